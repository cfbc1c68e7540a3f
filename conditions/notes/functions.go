package notes

import (
	"slices"
	"sync"
	"time"
)

// Function describes a function of templates: what a person needs to call it, and its code.
type Function struct {
	// Name by which templates call it. No two functions have the same.
	Name string
	// Family groups functions about one subject.
	Family string
	// Signature names the arguments, blanks between: "list value". One in brackets may be left out; dots behind the last
	// one mean any number of it.
	Signature string
	// Result is the type of the result: any, bool, list, map, number or text.
	Result string
	// Doc is one line on what it gives, without a full stop.
	Doc string
	// Examples are rendered in a test; there is at least one.
	Examples []Example
	// Code takes arguments of type any, behind an Evaluation where it needs one, and returns one value, or a value and an
	// error. It is nil for a function that Go's engine provides.
	Code any
	// Most bounds the number of arguments of a Code that takes any number; 0 does not.
	Most int
	// Random: every call gives something else.
	Random bool
	// Flows: the result counts the time, and says with CountsFrom from when.
	Flows bool
	// Needs is the enrich target that fetches what the function reads; without it the result is empty or 0, or what the
	// object says itself.
	Needs string
	// AliasOf names the function of which this is another spelling.
	AliasOf string
}

// Example is a template and the text that it renders to, with testdata/website.yaml as roots and ExampleTime as the clock.
type Example struct {
	Template string
	Result   string
}

// ExampleTime is the clock of examples: a Wednesday.
func ExampleTime() time.Time { return time.Date(2026, time.March, 4, 10, 30, 0, 0, time.UTC) }

// Evaluation is what a function may ask of the evaluation that calls it.
type Evaluation interface {
	// Now is the time of the clock.
	Now() time.Time
	// Root is the value of a root, such as metadata; nil when there is none.
	Root(name string) any
	// ChangesAt tells that from t on the result may be another, although nothing but the time has changed.
	ChangesAt(t time.Time)
	// CountsFrom tells that the result counts the time from t on, or until t: it changes as time passes.
	CountsFrom(t time.Time)
	// Random fills p with random bytes.
	Random(p []byte)
}

// Functions returns all functions, family by family. The slice is shared: nobody may write to it.
var Functions = sync.OnceValue(func() []Function {
	var all []Function
	for _, family := range families() {
		for _, function := range family.functions {
			function.Family = family.name
			all = append(all, function)
		}
	}
	return slices.Clip(all)
})

type family struct {
	name      string
	functions []Function
}

// families lists every family once, in the order of the documentation.
func families() []family {
	return []family{
		{"Conditional", conditionalFamily()},
		{"Type", typeFamily()},
		{"Strings", stringsFamily()},
		{"Data", dataFamily()},
		{"Domain and network", domainFamily()},
		{"Math", mathFamily()},
		{"Quantity", quantityFamily()},
		{"Random", randomFamily()},
		{"Time", timeFamily()},
		{"Cron", cronFamily()},
		{"Semver", semverFamily()},
		{"Collections", collectionsFamily()},
		{"Safe access", accessFamily()},
		{"Kubernetes object", objectFamily()},
		{"Replicas", replicasFamily()},
		{"Container", containerFamily()},
		{"Service", serviceFamily()},
		{"Job and CronJob", jobFamily()},
		{"HPA", hpaFamily()},
		{"Ingress", ingressFamily()},
		{"PVC", pvcFamily()},
		{"StatefulSet and ReplicaSet", workloadFamily()},
		{"Pods", podsFamily()},
		{"Node", nodeFamily()},
		{"Warnings", warningsFamily()},
		{"Prometheus", prometheusFamily()},
		{"Git", gitFamily()},
		{"Docker", dockerFamily()},
		{"Validation", validationFamily()},
		{"Serve provenance", provenanceFamily()},
		{"Comparison", comparisonFamily()},
		{"Elements", indexFamily()},
		{"Printing", printFamily()},
	}
}
