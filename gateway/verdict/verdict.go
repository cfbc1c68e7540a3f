package verdict

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"gomodules.xyz/jsonpatch/v2"
	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	rules "github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
)

// Options of Of.
type Options struct {
	// Entries of the Katalogs.
	Entries []*entry.Entry
	// Old are resources as they were before. One that is among them is updated, any other is created.
	Old []*unstructured.Unstructured
	// Definition is that of an entry, nil where it is not known. Nil: none is.
	Definition func(*entry.Entry) *apiextensionsv1.CustomResourceDefinition
	// Now is the clock of rules. Defaults to time.Now.
	Now func() time.Time
}

// Verdict is what admission would say of one resource.
type Verdict struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Operation  string `json:"operation"`
	// CRD is the name of the entry. Empty: the Katalogs have none for the kind.
	CRD string `json:"crd,omitempty"`
	// ConvertedTo is the apiVersion that the rules are about, where the resource has another one: changes and violations are of that.
	ConvertedTo string `json:"convertedTo,omitempty"`
	Allowed     bool   `json:"allowed"`
	// Changes are what mutation makes of it, and Patch the same as the API server is told.
	Changes []Change              `json:"changes,omitempty"`
	Patch   []jsonpatch.Operation `json:"patch,omitempty"`
	// Violations have it denied. Reason is why it is, in one line.
	Violations []Violation `json:"violations,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Warnings   []string    `json:"warnings,omitempty"`
	// Notes tell what was left out.
	Notes []string `json:"notes,omitempty"`
}

// Change is one value that mutation sets.
type Change struct {
	// Path is a JSON pointer.
	Path string `json:"path"`
	From any    `json:"from,omitempty"`
	To   any    `json:"to,omitempty"`
}

// Violation is a rule that is broken.
type Violation struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Of returns the verdicts on resources, in their order.
func Of(ctx context.Context, opts Options, resources ...*unstructured.Unstructured) ([]Verdict, error) {
	entries := rules.Entries{}
	for _, one := range opts.Entries {
		if one.Admission != nil {
			entries[one.Resource] = one.Admission
		}
	}
	asked := rules.Options{Entries: func() rules.Entries { return entries }, Now: opts.Now}
	c := &court{opts: opts, mutator: rules.NewMutator(asked), validator: rules.NewValidator(asked)}
	all := make([]Verdict, 0, len(resources))
	for _, one := range resources {
		verdict, err := c.judge(ctx, one)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", nameOf(one), err)
		}
		all = append(all, verdict)
	}
	return all, nil
}

// court has the handlers.
type court struct {
	opts      Options
	mutator   *rules.Mutator
	validator *rules.Validator
}

func (c *court) judge(ctx context.Context, o *unstructured.Unstructured) (Verdict, error) {
	v := Verdict{
		APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Operation: string(admissionv1.Create), Allowed: true,
	}
	e := c.entry(o.GroupVersionKind())
	if e == nil {
		v.Notes = append(v.Notes, "no CRD of the Katalogs is of this kind: nothing is asked about it")
		return v, nil
	}
	v.CRD = e.Name
	q := question{entry: e, way: c.way(e), version: o.GroupVersionKind().Version, object: o, old: c.old(o)}
	if q.old != nil {
		v.Operation = string(admissionv1.Update)
	}
	err := q.way.unserved(q.version)
	if err == nil && e.Admission != nil { // who has no rules is asked about the namespace alone
		err = q.convert()
	}
	if err != nil {
		v.refuse(err)
		return v, nil
	}
	v.convertedFrom(&q)
	err = c.ask(ctx, &v, &q)
	return v, err
}

// question is what the API server asks about a resource.
type question struct {
	entry *entry.Entry
	way   *way
	// version is that of the request.
	version string
	// object and old are in the version of the rules. A nil old is created.
	object, old *unstructured.Unstructured
}

// convert brings the objects to the version of the rules.
func (q *question) convert() (err error) {
	if q.object, err = q.way.there(q.object); err == nil && q.old != nil {
		q.old, err = q.way.there(q.old)
	}
	return err
}

// ask has the handlers answer.
func (c *court) ask(ctx context.Context, v *Verdict, q *question) error {
	request, err := requestOf(q.entry, q.object)
	if err != nil {
		return err
	}
	if q.old != nil {
		request.Operation = admissionv1.Update
		if request.OldObject.Raw, err = q.old.MarshalJSON(); err != nil {
			return fmt.Errorf("encode what it was: %w", err)
		}
	}
	v.note(q.entry, &request)
	v.guard(ctx, q.entry, request)
	mutated, response := c.mutator.Mutate(ctx, &request)
	v.take(q.entry, q.object, response)
	if !v.Allowed || mutated == nil {
		return nil
	}
	if len(response.Patches) > 0 {
		mutated = v.kept(q, mutated)
	}
	if mutated == nil {
		return nil
	}
	if request.Object.Raw, err = mutated.MarshalJSON(); err != nil {
		return fmt.Errorf("encode what mutation makes of it: %w", err)
	}
	v.take(q.entry, q.object, c.validator.Handle(ctx, request))
	return nil
}

// kept is what the version of the request keeps of what mutation makes of a resource: the API server has it in that version once more before it asks
// about the validation. Nil: it is refused.
func (v *Verdict) kept(q *question, mutated *unstructured.Unstructured) *unstructured.Unstructured {
	kept, err := q.way.again(mutated, q.version)
	if err != nil {
		v.refuse(err)
		return nil
	}
	if !reflect.DeepEqual(kept.Object["spec"], mutated.Object["spec"]) {
		v.Notes = append(v.Notes, q.version+" does not keep all of what mutation makes of it")
	}
	return kept
}

// entry is that of a kind which the API server asks about: the one of the version, else the first with rules, else the first.
func (c *court) entry(gvk schema.GroupVersionKind) *entry.Entry {
	var found *entry.Entry
	better := func(one, than *entry.Entry) bool {
		if (one.Admission != nil) != (than.Admission != nil) {
			return one.Admission != nil
		}
		return one.GVK.Version < than.GVK.Version
	}
	for _, one := range c.opts.Entries {
		switch {
		case one.GVK == gvk && one.Admission != nil:
			return one
		case one.GVK.GroupKind() == gvk.GroupKind() && (found == nil || better(one, found)):
			found = one
		}
	}
	return found
}

func (c *court) old(o *unstructured.Unstructured) *unstructured.Unstructured {
	i := slices.IndexFunc(c.opts.Old, func(old *unstructured.Unstructured) bool { return same(old, o) })
	if i < 0 {
		return nil
	}
	return c.opts.Old[i]
}

// Unmatched are those of Old that are none of the resources.
func Unmatched(old, resources []*unstructured.Unstructured) []string {
	var names []string
	for _, one := range old {
		if !slices.ContainsFunc(resources, func(o *unstructured.Unstructured) bool { return same(one, o) }) {
			names = append(names, nameOf(one))
		}
	}
	return names
}

func same(a, b *unstructured.Unstructured) bool {
	return a.GroupVersionKind().GroupKind() == b.GroupVersionKind().GroupKind() && a.GetNamespace() == b.GetNamespace() && a.GetName() == b.GetName()
}

func nameOf(o *unstructured.Unstructured) string {
	name := o.GetName()
	if o.GetNamespace() != "" {
		name = o.GetNamespace() + "/" + name
	}
	return o.GetKind() + " " + name
}

func requestOf(e *entry.Entry, o *unstructured.Unstructured) (admission.Request, error) {
	raw, err := o.MarshalJSON()
	if err != nil {
		return admission.Request{}, fmt.Errorf("encode the resource: %w", err)
	}
	gvk := o.GroupVersionKind()
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind:     metav1.GroupVersionKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
		Resource: metav1.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: e.Resource.Resource},
		Name:     o.GetName(), Namespace: o.GetNamespace(), Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: raw},
	}}, nil
}

// refuse has a resource denied that the API server does not get as far as to ask about.
func (v *Verdict) refuse(err error) { v.Allowed, v.Reason = false, err.Error() }

// guard asks whether a resource may be in its namespace.
func (v *Verdict) guard(ctx context.Context, e *entry.Entry, request admission.Request) {
	if !e.GuardsNamespaces {
		return
	}
	guard := &protection.Namespace{Guard: func(schema.GroupVersionResource) namespaces.Guard { return e.Namespaces }}
	v.take(e, nil, guard.Handle(ctx, request))
}

// take adds what a handler answers, without what nobody is to see.
func (v *Verdict) take(e *entry.Entry, o *unstructured.Unstructured, response admission.Response) {
	v.Warnings = append(v.Warnings, response.Warnings...)
	for _, one := range response.Patches {
		path := keysOf(one.Path)
		one.Value = e.Hidden.Redact(path, one.Value)
		change := Change{Path: one.Path, To: one.Value}
		if one.Operation != "add" {
			change.From = e.Hidden.Redact(path, lookup(o.Object, path))
		}
		v.Changes, v.Patch = append(v.Changes, change), append(v.Patch, one)
	}
	if response.Allowed {
		return
	}
	v.Allowed = false
	if response.Result == nil {
		return
	}
	v.Reason = response.Result.Message
	if response.Result.Details == nil {
		return
	}
	for _, cause := range response.Result.Details.Causes {
		v.Violations = append(v.Violations, Violation{Field: cause.Field, Message: cause.Message})
	}
}

// note tells what an answer without a cluster leaves out.
func (v *Verdict) note(e *entry.Entry, request *admission.Request) {
	switch {
	case e.Admission == nil:
		v.Notes = append(v.Notes, "the CRD has no rules at admission")
		return
	case !slices.Contains(e.Admission.Operations, request.Operation):
		v.Notes = append(v.Notes, fmt.Sprintf("the gateway is not asked about %s", request.Operation))
	}
	for _, one := range e.Admission.Calls() {
		v.Notes = append(v.Notes, "not called: "+one.Place)
	}
	if e.Admission.ReadsRuntime() {
		v.Notes = append(v.Notes, "not known: .health and .metrics, which are empty here")
	}
	if e.Admission.AsksUnique() {
		v.Notes = append(v.Notes, "not known: other resources, so that every value is unique")
	}
}
