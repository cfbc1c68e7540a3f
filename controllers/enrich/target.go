package enrich

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// target is one thing that may be read of children.
type target struct {
	name orkv1.EnrichmentName
	// of tells whether children of a kind have it.
	of func(schema.GroupKind) bool
	// reads are the kinds that are read for a child of a kind.
	reads func(schema.GroupKind) []schema.GroupVersionKind
	add   func(*reading)
}

// targets are in the order in which they are read: Events are looked for last, as they are also about what was found before. Nobody
// writes to them.
var targets = []target{
	{name: "pods", of: makesPods, reads: kinds(podKind), add: addPods},
	{name: "endpoints", of: only(serviceKind), reads: kinds(sliceKind, podKind), add: addEndpoints},
	{name: "replicasets", of: only(deploymentKind), reads: kinds(setKind), add: addReplicaSets},
	{name: "pvcs", of: only(statefulKind), reads: kinds(claimKind), add: addClaims},
	{name: "pvc", of: only(claimKind), reads: kinds(volumeKind), add: addVolume},
	{name: "storageclass", of: only(claimKind), reads: kinds(classKind), add: addStorageClass},
	{name: "hpa", of: only(scalerKind), reads: kinds(), add: addScaleTarget},
	{name: "ingress", of: only(ingressKind), reads: kinds(secretKind), add: addIngress},
	{name: "cronjob", of: only(cronKind), reads: kinds(jobKind), add: addJobs},
	{name: "node", of: func(kind schema.GroupKind) bool { return kind == podKind.GroupKind() || makesPods(kind) }, reads: nodes, add: addNode},
	{name: "owner", of: every, reads: kinds(), add: addOwner},
	{name: "events", of: every, reads: kinds(eventKind), add: addWarnings},
}

// Canonical is the one spelling of a target that has two.
func Canonical(name orkv1.EnrichmentName) orkv1.EnrichmentName {
	if name == "service" {
		return "endpoints"
	}
	return name
}

// Applies tells whether children of a kind have what the target reads.
func Applies(name orkv1.EnrichmentName, kind schema.GroupKind) bool {
	at := slices.IndexFunc(targets, func(t target) bool { return t.name == Canonical(name) })
	return at >= 0 && targets[at].of(kind)
}

// Child is one declaration of children.
type Child struct {
	schema.GroupVersionKind
	// Labelled tells that what is made from the child carries orkv1.LabelOwnerName: its Pods, or the EndpointSlices and Pods of a
	// Service.
	Labelled bool
}

// Source is what one informer keeps: the objects of a kind, or only those that carry orkv1.LabelOwnerName.
type Source struct {
	schema.GroupVersionKind
	Labelled bool
}

// Resource is the resource of the kind.
func (s Source) Resource() schema.GroupVersionResource {
	return s.GroupVersion().WithResource(readables[s.GroupVersionKind].resource)
}

// Sources lists what must be kept to enrich children with the targets, in the order of group and kind. Where every child of which a
// kind is read is Labelled, that is enough of the kind.
func Sources(names []orkv1.EnrichmentName, children []Child) []Source {
	labelled := map[schema.GroupVersionKind]bool{}
	for _, t := range targets {
		if !slices.ContainsFunc(names, func(name orkv1.EnrichmentName) bool { return Canonical(name) == t.name }) {
			continue
		}
		for _, child := range children {
			if !t.of(child.GroupKind()) {
				continue
			}
			for _, kind := range t.reads(child.GroupKind()) {
				others, known := labelled[kind]
				labelled[kind] = readables[kind].derived && child.Labelled && (others || !known)
			}
		}
	}
	sources := make([]Source, 0, len(labelled))
	for kind, only := range labelled {
		sources = append(sources, Source{GroupVersionKind: kind, Labelled: only})
	}
	slices.SortFunc(sources, func(a, b Source) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind)) })
	return sources
}

func every(schema.GroupKind) bool { return true }

func only(kind schema.GroupVersionKind) func(schema.GroupKind) bool {
	return func(other schema.GroupKind) bool { return other == kind.GroupKind() }
}

func kinds(kinds ...schema.GroupVersionKind) func(schema.GroupKind) []schema.GroupVersionKind {
	return func(schema.GroupKind) []schema.GroupVersionKind { return kinds }
}

func nodes(kind schema.GroupKind) []schema.GroupVersionKind {
	if kind == podKind.GroupKind() {
		return []schema.GroupVersionKind{nodeKind}
	}
	return []schema.GroupVersionKind{podKind, nodeKind}
}

// makesPods is true of Kubernetes' own workloads, and of every kind that is not Kubernetes' own: it may be one.
func makesPods(kind schema.GroupKind) bool {
	switch kind.Group {
	case "apps":
		return kind.Kind != "ControllerRevision"
	case "batch":
		return kind.Kind == "Job"
	case "":
		return kind.Kind == "ReplicationController"
	}
	return strings.Contains(kind.Group, ".") && !strings.HasSuffix(kind.Group, ".k8s.io")
}

// controlsPods is true of those of Kubernetes' own workloads that are the controllers of their Pods.
func controlsPods(kind schema.GroupKind) bool {
	return makesPods(kind) && !strings.Contains(kind.Group, ".") && kind != deploymentKind.GroupKind()
}
