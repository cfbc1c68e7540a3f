package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// read is what rules read of an object.
type read struct {
	facts template.Facts
	// object is the resource with its spec in the form of a cycle.
	object map[string]any
	// unknown is what the runtime does not tell.
	unknown rules.Unknown
}

// read reads an object, and what the runtime knows where rules ask for it.
func (o *Options) read(ctx context.Context, e *Entry, object *unstructured.Unstructured, references [][]string) (read, error) {
	r := read{facts: template.NewFacts(roots.Of(object), o.Now), object: object.Object}
	normalized, changes, err := e.Normalize.Apply(r.facts, object.Object)
	if err != nil {
		return r, fmt.Errorf("normalize: %w", err)
	}
	if len(changes) > 0 {
		r.facts, r.object = r.facts.With("spec", normalized["spec"]), normalized
	}
	if o.Runtime == nil {
		return r, nil
	}
	r.facts = r.facts.WithUnique(o.Runtime.Unique(ctx, e.Name, object))
	if !slices.ContainsFunc(references, readsFeedback) {
		return r, nil
	}
	state, err := o.Runtime.State(ctx, e.Name)
	if err != nil {
		r.unknown = rules.Unknown{Reads: readsFeedback, Err: fmt.Errorf("the operator does not tell health and metrics: %w", err)}
		return r, nil
	}
	for name, value := range state {
		r.facts = r.facts.With(name, value)
	}
	return r, nil
}

// call makes calls, whose results the facts then have. A request that changes nothing makes those that only read.
func (o *Options) call(ctx context.Context, list call.List, facts template.Facts, dry bool) (template.Facts, error) {
	if len(list) == 0 {
		return facts, nil
	}
	maker := call.Maker{By: o.Calls, Admission: true}
	if dry && o.Calls != nil {
		maker.By = harmless{o.Calls}
	}
	results, err := maker.Make(ctx, list, facts, nil)
	return facts.With(roots.External, results), err //nolint:wrapcheck // names the call
}

// failedCalls is what is not known for a call that failed: its result, and those of the calls after it, which are not made.
func failedCalls(list call.List, err error) rules.Unknown {
	failed, ok := errors.AsType[*call.Error](err)
	if !ok {
		return rules.Unknown{}
	}
	names := list.Names()
	names = names[slices.Index(names, failed.Name):]
	return rules.Unknown{Err: err, Reads: func(path []string) bool {
		return len(path) > 0 && path[0] == roots.External && (len(path) == 1 || slices.Contains(names, path[1]))
	}}
}

// harmless makes no call that may change something.
type harmless struct{ external.Caller }

// Call makes a call that only reads.
func (h harmless) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	if !ReadsOnly(r) {
		return external.Answer{}, call.ErrNotMade
	}
	return h.Caller.Call(ctx, r) //nolint:wrapcheck // names the call
}

// ReadsOnly tells whether a call changes nothing by what HTTP says of its method. Of other protocols nothing is known.
func ReadsOnly(r external.Request) bool {
	return (r.Protocol == "" || r.Protocol == "http") && slices.Contains([]string{"", http.MethodGet, http.MethodHead}, r.Method)
}

// Calls are all that the rules may make. A nil Entry makes none.
func (e *Entry) Calls() call.List {
	if e == nil {
		return nil
	}
	return slices.Concat(e.MutationCalls, e.ValidationCalls)
}

// Writes tells whether one of them may change something.
func (e *Entry) Writes() bool {
	return slices.ContainsFunc(e.Calls(), func(one *call.Call) bool { return !ReadsOnly(one.Base) })
}

// ReadsRuntime tells whether a rule or a call reads what only the runtime knows of the CRD.
func (e *Entry) ReadsRuntime() bool {
	return slices.ContainsFunc(slices.Concat(e.Calls().References(), e.Mutation.References(), e.Validation.References()), readsFeedback)
}

// AsksUnique tells whether a rule asks for a value that no other resource has.
func (e *Entry) AsksUnique() bool { return e.Validation.AsksUnique() }

// validationCalls are those before the validation, and those before the mutation whose results it reads.
func (e *Entry) validationCalls() call.List {
	read := map[string]bool{}
	whole := false
	for _, path := range slices.Concat(e.Validation.References(), e.ValidationCalls.References()) {
		switch {
		case len(path) > 1 && path[0] == roots.External:
			read[path[1]] = true
		case len(path) == 0 || path[0] == roots.External:
			whole = true
		}
	}
	before := slices.DeleteFunc(slices.Clone(e.MutationCalls), func(one *call.Call) bool { return !whole && !read[one.Name] })
	return append(before, e.ValidationCalls...)
}

// readsFeedback tells whether a reference is to .health or .metrics. One to everything, as in {{ getLabel . "team" }}, is to the resource: the operator is
// not asked for it.
func readsFeedback(reference []string) bool {
	return len(reference) > 0 && roots.IsFeedback(reference)
}
