package admission

import (
	"slices"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Entry is what admission does for the resources of one CRD. It never changes.
type Entry struct {
	// Name of the entry.
	Name string
	// Resource is asked about, in any version.
	schema.GroupResource
	// Mutation and Validation are its rules. Nil ones do nothing.
	Mutation   *rules.Mutation
	Validation *rules.Validation
	// Operations that it looks at.
	Operations []admissionv1.Operation
	// DenyUnmutated denies a resource that a mutation rule fails for. Else it is admitted with a warning, unless the rule overrides.
	DenyUnmutated bool
}

// Entries finds the entry of a resource.
type Entries map[schema.GroupResource]*Entry

// Runtime is what only the runtime knows, which is asked where a rule reads it.
type Runtime interface {
	// Unique returns a check whether no other resource of an entry has a value.
	Unique(entry string, object *unstructured.Unstructured) template.UniqueCheck
	// State returns the roots health and metrics of an entry.
	State(entry string) (map[string]any, error)
}

// Options of the handlers.
type Options struct {
	// Entries are those that there are at the moment. It is asked for each request.
	Entries func() Entries
	// Runtime is asked where a rule needs it. Nil: values are unique, and health and metrics are empty.
	Runtime Runtime
	// Recorder is told of outcomes. Nil: nobody is.
	Recorder Recorder
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// Recorder is told of what admission comes to.
type Recorder interface {
	// Mutated is told of the rules that failed.
	Mutated(entry string, changes, problems int)
	// Validated is told of a result.
	Validated(entry string, result rules.Result)
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Recorder == nil {
		o.Recorder = nobody{}
	}
}

type nobody struct{}

func (nobody) Mutated(string, int, int)       {}
func (nobody) Validated(string, rules.Result) {}

// looksAt tells whether the entry is to look at an operation. What is on its way out is nobody's business: an update takes a finalizer away.
func (e *Entry) looksAt(operation admissionv1.Operation, subresource string, object *unstructured.Unstructured) bool {
	return subresource == "" && slices.Contains(e.Operations, operation) &&
		(operation == admissionv1.Delete || object.GetDeletionTimestamp() == nil)
}

// facts are what rules read of an object.
func (o *Options) facts(e *Entry, object *unstructured.Unstructured, references [][]string) (template.Facts, error) {
	facts := template.NewFacts(roots.Of(object), o.Now)
	if o.Runtime == nil {
		return facts, nil
	}
	facts = facts.WithUnique(o.Runtime.Unique(e.Name, object))
	if !slices.ContainsFunc(references, roots.IsFeedback) {
		return facts, nil
	}
	state, err := o.Runtime.State(e.Name)
	if err != nil {
		return facts, err
	}
	for name, value := range state {
		facts = facts.With(name, value)
	}
	return facts, nil
}

// DefaultOperations are those of a CRD that names none.
var DefaultOperations = []orkv1.WebhookOperation{"CREATE", "UPDATE"}
