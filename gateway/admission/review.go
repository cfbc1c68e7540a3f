package admission

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
)

// Mutator mutates resources.
type Mutator struct{ Options }

// Validator validates resources.
type Validator struct{ Options }

var (
	_ admission.Handler = (*Mutator)(nil)
	_ admission.Handler = (*Validator)(nil)
)

// NewMutator returns a Mutator.
func NewMutator(opts Options) *Mutator {
	opts.setDefaults()
	return &Mutator{opts}
}

// NewValidator returns a Validator.
func NewValidator(opts Options) *Validator {
	opts.setDefaults()
	return &Validator{opts}
}

// find returns the entry that is to look at a request, and the object that it is about. Nil: none is.
func (o *Options) find(r *admission.Request) (*Entry, *unstructured.Unstructured, error) {
	e := o.Entries().Of(schema.GroupVersionResource(r.Resource))
	if e == nil || !e.looksAt(r.Operation, r.SubResource) {
		return nil, nil, nil
	}
	raw := r.Object.Raw
	if r.Operation == admissionv1.Delete {
		raw = r.OldObject.Raw
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, &object.Object); err != nil {
		return nil, nil, fmt.Errorf("read the object: %w", err)
	}
	if object.Object == nil {
		return nil, nil, fmt.Errorf("there is no object in a %s", r.Operation)
	}
	// What is on its way out is nobody's business: an update takes a finalizer away. Only the API server says that, and what is written counts for nothing.
	if r.Operation == admissionv1.Update && object.GetDeletionTimestamp() != nil {
		before := &metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(r.OldObject.Raw, before); err == nil && before.DeletionTimestamp != nil {
			return nil, nil, nil
		}
	}
	return e, object, nil
}

// Handle answers a request with a patch.
func (m *Mutator) Handle(ctx context.Context, r admission.Request) admission.Response {
	_, response := m.Mutate(ctx, &r)
	return response
}

// Mutate also returns the object as it is then, nil where there is nothing to mutate.
func (m *Mutator) Mutate(ctx context.Context, r *admission.Request) (*unstructured.Unstructured, admission.Response) {
	e, object, err := m.find(r)
	switch {
	case err != nil:
		return nil, admission.Errored(http.StatusInternalServerError, err)
	case e == nil || e.Mutation == nil, r.Operation == admissionv1.Delete: // a patch of what is deleted is an error to the API server
		return object, admission.Allowed("")
	}
	ctx, cancel := context.WithTimeout(ctx, m.Limit)
	defer cancel()
	seen, err := m.read(ctx, e, object, append(e.MutationCalls.References(), e.Mutation.References()...))
	if err = cmp.Or(err, seen.unknown.Err); err == nil {
		seen.facts, err = m.call(ctx, e.MutationCalls, seen.facts, isDry(r))
	}
	if err != nil {
		return object, m.unable(ctx, e, r, err)
	}
	_, changes, problems := e.Mutation.Apply(seen.facts, seen.object, rules.Admission)
	m.Recorder.Mutated(e.Name, len(changes), len(problems))
	var warnings []string
	for _, problem := range problems {
		if e.DenyUnmutated || problem.Binding {
			return object, denied(r, http.StatusBadRequest, "a rule that sets a field failed: "+problem.Error(), nil)
		}
		warnings = append(warnings, "not defaulted: "+problem.Error())
	}
	response := admission.Allowed("").WithWarnings(warnings...)
	if len(changes) == 0 {
		return object, response
	}
	mutated, err := rules.Replay(object.Object, changes)
	if err != nil {
		return object, m.unable(ctx, e, r, err)
	}
	response.Patches = difference(nil, "", object.Object, mutated)
	return &unstructured.Unstructured{Object: mutated}, response
}

// unable is the answer where mutation is not possible at all.
func (m *Mutator) unable(ctx context.Context, e *Entry, r *admission.Request, err error) admission.Response {
	logf.FromContext(ctx).Info("a resource is not mutated", "crd", e.Name, "reason", err.Error())
	if e.DenyUnmutated {
		return denied(r, http.StatusInternalServerError, "can't be mutated: "+err.Error(), nil)
	}
	return admission.Allowed("").WithWarnings("not mutated: " + err.Error())
}

// isDry tells whether a request is one that stores nothing.
func isDry(r *admission.Request) bool { return r.DryRun != nil && *r.DryRun }

// Handle answers a request with a verdict.
func (v *Validator) Handle(ctx context.Context, r admission.Request) admission.Response {
	e, object, err := v.find(&r)
	switch {
	case err != nil:
		return admission.Errored(http.StatusInternalServerError, err)
	case e == nil || e.Validation == nil:
		return admission.Allowed("")
	}
	ctx, cancel := context.WithTimeout(ctx, v.Limit)
	defer cancel()
	calls := e.validationCalls()
	seen, err := v.read(ctx, e, object, append(calls.References(), e.Validation.References()...))
	unknown := []rules.Unknown{seen.unknown}
	if err == nil {
		seen.facts, err = v.call(ctx, calls, seen.facts, isDry(&r))
		// Rules that say what it means that they can't be checked are asked, where they read what failed.
		if failed := failedCalls(calls, err); !e.Lenient && e.Validation.Spares(failed) {
			unknown, err = append(unknown, failed), nil
		}
	}
	if err != nil {
		logf.FromContext(ctx).Info("a resource can't be validated", "crd", e.Name, "reason", err.Error())
		if !e.Lenient {
			return denied(&r, http.StatusInternalServerError, "can't be validated: "+err.Error(), nil)
		}
	}
	result := e.Validation.CheckWithout(seen.facts, rules.Admission, unknown...)
	v.Recorder.Validated(e.Name, result)
	warnings := make([]string, 0, len(result.Warned)+len(result.Problems))
	for _, one := range result.Warned {
		warnings = append(warnings, one.Name()+": "+one.Message)
	}
	for _, one := range result.Problems {
		warnings = append(warnings, "not evaluated: "+one.Error())
	}
	if err != nil {
		warnings = append(warnings, "rules read what is not known: "+err.Error())
	}
	if len(result.Denied) == 0 {
		return admission.Allowed("").WithWarnings(warnings...)
	}
	return denied(&r, http.StatusBadRequest, result.Err().Error(), causes(result.Denied)).WithWarnings(warnings...)
}

// causes are the violations, for programs.
func causes(violations []rules.Violation) []metav1.StatusCause {
	all := make([]metav1.StatusCause, 0, len(violations))
	for _, one := range violations {
		all = append(all, metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: one.Name(), Message: one.Message})
	}
	return all
}

// denied is a denial that names the object.
func denied(r *admission.Request, code int32, why string, causes []metav1.StatusCause) admission.Response {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	response := admission.Denied("")
	response.Result = &metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: metav1.StatusReasonInvalid,
		Message: fmt.Sprintf("%s %s: %s", r.Kind.Kind, strings.TrimSuffix(name, "/"), why),
		Details: &metav1.StatusDetails{Name: r.Name, Group: r.Kind.Group, Kind: r.Kind.Kind, Causes: causes},
	}
	return response
}
