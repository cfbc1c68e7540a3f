package cross

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Entry tells which entry of the Katalogs operates the resources: the one of a name, or the first that selects its resources by these labels.
type Entry struct {
	Name string
	// Labels are a selector as text. Empty: Name counts.
	Labels string
}

// Named is the entry of a name.
func Named(name string) Entry { return Entry{Name: name} }

// Labelled is the entry that selects its resources by these labels.
func Labelled(selector map[string]string) Entry {
	return Entry{Labels: labels.SelectorFromSet(selector).String()}
}

// Query is what one resource asks for. All that it tells must be true of a resource.
type Query struct {
	Entry
	// Namespace is empty for all of them. It counts for nothing where the resources have none.
	Namespace string
	// Name is empty for any.
	Name string
	// Labels that a resource has, besides others.
	Labels map[string]string
	// All asks for every resource, not for the first alone.
	All bool
	// Feedback asks for the health and the metrics of the entry as well.
	Feedback bool
}

// equal tells whether two queries ask for the same.
func (q *Query) equal(other *Query) bool {
	return q.Entry == other.Entry && q.Namespace == other.Namespace && q.Name == other.Name && q.All == other.All &&
		q.Feedback == other.Feedback && maps.Equal(q.Labels, other.Labels)
}

// Matches tells whether the query asks for a resource. Nil is none.
func (q *Query) Matches(object *unstructured.Unstructured) bool {
	if object == nil {
		return false
	}
	metadata, _ := object.Object["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	if q.Namespace != "" && namespace != "" && q.Namespace != namespace {
		return false
	}
	if name, _ := metadata["name"].(string); q.Name != "" && q.Name != name {
		return false
	}
	carried, _ := metadata["labels"].(map[string]any)
	for key, value := range q.Labels {
		if carried[key] != value {
			return false
		}
	}
	return true
}

// Select returns those of the resources that are asked for: the oldest first, and of the same age by namespace and name. Unless all are asked
// for, it is one.
func (q *Query) Select(from iter.Seq[*unstructured.Unstructured]) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for object := range from {
		switch {
		case !q.Matches(object):
		case q.All || len(found) == 0:
			found = append(found, object)
		case order(object, found[0]) < 0:
			found[0] = object
		}
	}
	slices.SortFunc(found, order)
	return found
}

func order(a, b *unstructured.Unstructured) int {
	return cmp.Or(
		a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time),
		cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()),
	)
}

// Result is what was found for a query.
type Result struct {
	// Resources are shared and must not be changed.
	Resources []*unstructured.Unstructured
	// Health and Metrics are those of the entry, where they are asked for.
	Health, Metrics any
	// Hidden tells that the entry is here and lets nobody read its resources: nobody else is to be asked.
	Hidden bool
}

// Reader reads for the resources of one entry.
type Reader interface {
	// Read answers every query of a resource from memory. From then on, and until it reads anew, the resource is looked at again when one of
	// the answers may be another.
	Read(by types.NamespacedName, queries []Query) []Result
	// Forget ends that.
	Forget(by types.NamespacedName)
	// Ask asks another operator. Only what is known of its answers is told unless fresh may be asked for. It returns nil for what it does not have.
	Ask(ctx context.Context, what *Ask, fresh bool) map[string]any
}
