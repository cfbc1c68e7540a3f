package live

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// Source is what the API tells of. What it returns is shared and must not be changed.
type Source interface { //nolint:interfacebloat // one method for each thing that is told
	// Runtime tells who answers.
	Runtime() Runtime
	// CRDs are the entries that are enabled, in the order of their names.
	CRDs() []CRD
	// Resources are those of an entry that are in memory, in the order of namespace and name.
	Resources(crd string) []Resource
	// Children are those of one resource, in the order of their kinds, namespaces and names.
	Children(crd string, name types.NamespacedName) []*unstructured.Unstructured
	// Flight are the records of what happened to one resource, the oldest first. It may be gone.
	Flight(crd string, name types.NamespacedName) []flight.Record
	// Events asks the API server for the Events of an object.
	Events(ctx context.Context, object *unstructured.Unstructured) ([]Event, error)
}

// Runtime is the process.
type Runtime struct {
	// Started tells that it runs, Stopping that it is about to end, and Leads that it is the one that operates.
	Started, Stopping, Leads bool
	// Katalogs are those that it has, with defaults.
	Katalogs []*orkv1.Katalog
}

// CRD is one entry at one moment.
type CRD struct {
	Name string
	// Katalog that declares it, and Declared what it says, with defaults.
	Katalog  *orkv1.Katalog
	Declared *orkv1.CRD
	GVK      schema.GroupVersionKind
	// Resource in URLs. Empty before it is known.
	Resource schema.GroupVersionResource
	// Capacity is how much its controller takes on.
	Capacity Capacity
	Health   health.Snapshot
	Sample   metrics.Sample
	// Resources is how many are in memory.
	Resources    int
	Dependencies []Dependency
}

// Capacity is how much a controller takes on at this moment.
type Capacity struct {
	Workers, MaxDepth Setting[int]
	Resync            Setting[time.Duration]
}

// Setting is a number, and where it comes from: default, configured or autoscaler.
type Setting[T any] struct {
	Value T
	From  string
}

// Dependency is another entry that must have reached something first.
type Dependency struct {
	Name string
	// State of the other entry, not started when there is none.
	State health.State
	// Reached is the most that the other one has reached: started, healthy, or empty for nothing.
	Reached orkv1.DependencyCondition
	// Acceptable is the condition that is enough: started or healthy.
	Acceptable orkv1.DependencyCondition
	Satisfied  bool
}

// Resource is one resource.
type Resource struct {
	Object *unstructured.Unstructured
	// Ready tells whether its last cycle left it as it should be.
	Ready bool
}

// Event is one Event of an object.
type Event struct {
	Type, Reason, Message string
	// Last is when it happened, the last time where it happened more than once.
	Last time.Time
}
