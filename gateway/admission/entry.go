package admission

import (
	"cmp"
	"context"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Entry is what admission does for the resources of one CRD. It never changes.
type Entry struct {
	// Name of the entry.
	Name string
	// Resource is asked about, in any version.
	schema.GroupResource
	// Normalize gives the spec the form that rules read, as in a cycle; what is stored keeps its own. Nil: they read it as it is.
	Normalize *rules.Normalize
	// Mutation and Validation are its rules. Nil ones do nothing.
	Mutation   *rules.Mutation
	Validation *rules.Validation
	// MutationCalls and ValidationCalls are made before the rules that may read their results.
	MutationCalls, ValidationCalls call.List
	// Operations that it looks at.
	Operations []admissionv1.Operation
	// DenyUnmutated denies a resource that a mutation rule fails for. Else it is admitted with a warning, unless the rule overrides.
	DenyUnmutated bool
	// AsksAlways has the API server ask about each object, also where it can tell by itself that the rules have nothing to say.
	AsksAlways bool
	// Lenient admits with a warning what can't be validated for a call that fails. Else it is denied.
	Lenient bool
}

// Entries are those of resources, in the version that their rules are about.
type Entries map[schema.GroupVersionResource]*Entry

// Of is the entry of a resource. One in a version that no rules are about, of which the API server does not ask, has that of the first version
// with rules. Nil: there is none.
func (e Entries) Of(resource schema.GroupVersionResource) *Entry {
	if one, exact := e[resource]; exact {
		return one
	}
	var found *Entry
	first := ""
	for other, one := range e {
		if other.GroupResource() == resource.GroupResource() && (found == nil || other.Version < first) {
			found, first = one, other.Version
		}
	}
	return found
}

// Runtime is what only the runtime knows, which is asked where a rule reads it. What it answers is for one request.
type Runtime interface {
	// Unique returns a check whether no other resource of an entry has a value.
	Unique(ctx context.Context, entry string, object *unstructured.Unstructured) template.UniqueCheck
	// State returns the roots health and metrics of an entry.
	State(ctx context.Context, entry string) (map[string]any, error)
}

// DefaultLimit is how long a request may take, less than the 5 seconds that the API server waits.
const DefaultLimit = 4 * time.Second

// Options of the handlers.
type Options struct {
	// Entries are those that there are at the moment. It is asked for each request.
	Entries func() Entries
	// Runtime is asked where a rule needs it. Nil: values are unique, and health and metrics are empty.
	Runtime Runtime
	// Calls answers external calls. Nil: none are made.
	Calls external.Caller
	// Limit is how long calls and questions of one request may take together. Defaults to DefaultLimit.
	Limit time.Duration
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
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	if o.Recorder == nil {
		o.Recorder = nobody{}
	}
}

type nobody struct{}

func (nobody) Mutated(string, int, int)       {}
func (nobody) Validated(string, rules.Result) {}

// looksAt tells whether the entry is to look at an operation.
func (e *Entry) looksAt(operation admissionv1.Operation, subresource string) bool {
	return subresource == "" && slices.Contains(e.Operations, operation)
}

// DefaultOperations are those of a CRD that names none.
var DefaultOperations = []orkv1.WebhookOperation{"CREATE", "UPDATE"}

// MutationIdle is a CEL expression over object that is true only where the mutation changes nothing, and can't fail. Empty: only the gateway can tell.
func (e *Entry) MutationIdle() string {
	if e == nil || e.AsksAlways || e.Normalize != nil || len(e.MutationCalls) > 0 {
		return ""
	}
	return e.Mutation.Surely()
}

// ValidationIdle is a CEL expression over object that is true only where the validation has nothing to say, and can't fail. Empty: only the gateway can
// tell.
func (e *Entry) ValidationIdle() string {
	if e == nil || e.AsksAlways || e.Normalize != nil || len(e.validationCalls()) > 0 {
		return ""
	}
	return e.Validation.Surely()
}
