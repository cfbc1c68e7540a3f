package simulate

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Result is what came of all resources.
type Result struct {
	// Warnings are what is not certain of the scene.
	Warnings  []string  `json:"warnings,omitempty"`
	Resources []Outcome `json:"resources"`
}

// Outcome is what came of one resource.
type Outcome struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Warnings are what the server would warn of, and what is logged although the cycle goes on: errors, and rules that are left out.
	Warnings []string `json:"warnings,omitempty"`
	// Errors are why the server refuses the resource, or why cycles failed.
	Errors []string `json:"errors,omitempty"`
	// Cycles are those in which something changed, the first in any case.
	Cycles []Cycle `json:"cycles,omitempty"`
	// RequeueAfter is when the next cycle would come without an event. Empty: never.
	RequeueAfter string `json:"requeueAfter,omitempty"`
	// Children in the order in which they are applied, then those that are only kept.
	Children []*unstructured.Unstructured `json:"children,omitempty"`
	// Resource has the metadata and the status. It is nil for one that is refused or gone.
	Resource *unstructured.Unstructured `json:"resource,omitempty"`
}

// Cycle is one cycle of the reconciler.
type Cycle struct {
	Gates   []Gate   `json:"gates,omitempty"`
	Changes []Change `json:"changes,omitempty"`
	// Providers is what providers would be asked for. Nobody asks them.
	Providers []string `json:"providers,omitempty"`
	// Waiting is what a deleted resource waits for, such as the end of a stage of onDelete.
	Waiting string `json:"waiting,omitempty"`
}

// Gate is what a gate said.
type Gate struct {
	// Gate is what it is the gate of, such as deployments[0] web.
	Gate string `json:"gate"`
	Pass bool   `json:"pass"`
	// Reason why it does not pass, or for what else it would wait in a cluster.
	Reason string `json:"reason,omitempty"`
}

// Change is what was done to one child.
type Change struct {
	// Action is created, configured, adopted, delete, or collect, which garbage collection does.
	Action    string `json:"action"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Failed tells whether something went wrong.
func (r *Result) Failed() bool {
	for _, one := range r.Resources {
		if len(one.Errors) > 0 {
			return true
		}
	}
	return false
}
