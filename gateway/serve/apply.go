package serve

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
)

// applied is the answer to an apply.
type applied struct {
	Accepted   bool           `json:"accepted"`
	DryRun     bool           `json:"dryRun,omitempty"`
	Name       string         `json:"name,omitempty"`
	Namespace  string         `json:"namespace,omitempty"`
	Kind       string         `json:"kind,omitempty"`
	APIVersion string         `json:"apiVersion,omitempty"`
	PollURL    string         `json:"pollUrl,omitempty"` //nolint:tagliatelle // its public name
	Message    string         `json:"message,omitempty"`
	Warnings   []string       `json:"warnings,omitempty"`
	Violations []violation    `json:"violations,omitempty"`
	Payload    map[string]any `json:"payload,omitempty"`
	// Clusters are what has become of it in each of several, and PartialSuccess tells that it was not the same in all of them.
	Clusters       []appliedTo `json:"clusters,omitempty"`
	PartialSuccess bool        `json:"partialSuccess,omitempty"`
}

// wishes are what a caller asks for besides.
type wishes struct{ dryRun, overwrite, override bool }

// wishesOf reads the query. What is misspelt is no wish, and must not be taken for one that is not there: a dry run that stores is none.
func wishesOf(c *call) (wishes, error) {
	var want wishes
	known := map[string]*bool{"dryRun": &want.dryRun, "overwrite": &want.overwrite, "override": &want.override}
	query := c.URL.Query()
	for _, key := range slices.Sorted(maps.Keys(query)) {
		wish, is := known[key]
		if !is {
			return want, badRequest("there is no parameter %q (valid: dryRun, override, overwrite)", key)
		}
		switch text := query.Get(key); text {
		case "true", "1", "":
			*wish = true
		case "All": // as the API server has it
			*wish = key == "dryRun"
		case "false", "0":
		default:
			return want, badRequest("%s=%s is neither true nor false", key, text)
		}
	}
	return want, nil
}

// apply takes an intent, or a whole resource.
func (a *API) apply(c *call) (*answer, error) {
	want, err := wishesOf(c)
	if err != nil {
		return nil, err
	}
	sent, err := body(c.Context(), c.Request)
	if err != nil {
		return nil, err
	}
	s, out, err := a.resourceOf(c, sent)
	if err != nil {
		return a.refused(s, out, err)
	}
	s.provenance(out.object, c.caller.Name, c.caller.Subject)
	if err := a.mayStore(c, s, out.object.GetNamespace(), want); err != nil {
		return nil, err
	}
	names, err := a.clustersOf(s, out.intent)
	if err != nil {
		return nil, err
	}
	if len(names) > 1 {
		return a.fanOut(c, s, out, want, names), nil
	}
	where, err := a.at(c.Context(), c, strings.Join(names, ""))
	if err != nil {
		return nil, err
	}
	return a.store(c.Context(), c, s, out, want, where)
}

// resourceOf makes a resource of what was sent: of an intent, if that has a target, else of a resource.
func (a *API) resourceOf(c *call, sent map[string]any) (*Surface, *translated, error) {
	if target, intent := sent["target"]; intent {
		name, ok := target.(string)
		if !ok || name == "" {
			return nil, nil, badRequest("target must be a text that names one")
		}
		s, err := a.surface(c, name)
		if err != nil {
			return nil, nil, err
		}
		if !s.Intents {
			return nil, nil, badRequest("target %s takes no intents", name)
		}
		if err := a.mayWrite(c, s); err != nil {
			return s, nil, err
		}
		out, err := s.translate(sent)
		if err != nil {
			return s, nil, err
		}
		out.intent = sent
		if err := s.CRD.identify(out.object, sent); err != nil {
			return s, out, err
		}
		keepIntent(s.CRD, out.object, sent)
		return s, out, nil
	}
	return a.whole(c, sent)
}

// whole takes a resource as it is, without what is not a caller's to say.
func (a *API) whole(c *call, sent map[string]any) (*Surface, *translated, error) {
	object := &unstructured.Unstructured{Object: sent}
	gvk := object.GroupVersionKind()
	if gvk.Kind == "" || gvk.Version == "" {
		return nil, nil, badRequest("the body has neither a target nor apiVersion and kind")
	}
	crd := a.kinds[gvk]
	if crd == nil {
		return nil, nil, badRequest("%s of %s is not served", gvk.Kind, gvk.GroupVersion())
	}
	s, selected := crd.route(object)
	if !s.Resources || !s.Enabled {
		return nil, nil, badRequest("whole resources of %s are not taken", gvk.Kind)
	}
	if err := a.mayWrite(c, s); err != nil {
		return s, nil, err
	}
	if err := textsOnly(sent); err != nil {
		return s, nil, err
	}
	annotations := maps.Clone(object.GetAnnotations())
	protection.Strip(annotations)
	clean := &unstructured.Unstructured{Object: maps.Clone(sent)}
	for _, key := range []string{"metadata", "status"} {
		delete(clean.Object, key)
	}
	if clean.Object["spec"] == nil {
		delete(clean.Object, "spec")
	}
	clean.SetName(object.GetName())
	clean.SetNamespace(object.GetNamespace())
	labels := maps.Clone(object.GetLabels())
	for _, key := range orkv1.Spellings(orkv1.LabelStrictExempt) {
		delete(labels, key)
	}
	clean.SetLabels(labels)
	if len(annotations) > 0 {
		clean.SetAnnotations(annotations)
	}
	if selected {
		s.keepSelector(clean)
	}
	intent := map[string]any{}
	if spec, ok := sent["spec"].(map[string]any); ok {
		maps.Copy(intent, spec)
	}
	crd.flatten(clean, intent)
	out := &translated{object: clean, intent: intent}
	if crd.namespace == nil && clean.GetNamespace() == "" && crd.Namespaced {
		return s, out, badRequest("metadata.namespace is required")
	}
	return s, out, crd.identify(clean, intent)
}

// textsOnly tells what is wrong with labels and annotations: with one of them that is no text all would be dropped.
func textsOnly(sent map[string]any) error {
	metadata, _ := sent["metadata"].(map[string]any)
	for _, part := range []string{"labels", "annotations"} {
		switch all := metadata[part].(type) {
		case nil:
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(all)) {
				if _, text := all[key].(string); !text {
					return badRequest("%s is no text", dotpath.Write([]string{"metadata", part, key}))
				}
			}
		default:
			return badRequest("metadata.%s is no map", part)
		}
	}
	return nil
}

// flatten adds to an intent that a whole resource stands for the fields that the resource has elsewhere, for the templates that read them.
func (c *CRD) flatten(object *unstructured.Unstructured, intent map[string]any) {
	for key, f := range c.Fields {
		if _, there := intent[key]; there || len(f.path) == 0 {
			continue
		}
		var value any
		found := false
		switch f.Place {
		case InLabel:
			value, found = mapped(object.GetLabels(), f.path[0])
		case InAnnotation:
			value, found = mapped(object.GetAnnotations(), f.path[0])
		case InSpec:
			value, found, _ = unstructured.NestedFieldNoCopy(object.Object, append([]string{"spec"}, f.path...)...)
		case Nowhere:
		}
		if found {
			intent[key] = value
		}
	}
}

func mapped(all map[string]string, key string) (any, bool) {
	value, found := all[key]
	return value, found
}

// surface finds one that a caller names. One that is switched off is as one that is not there.
func (a *API) surface(c *call, name string) (*Surface, error) {
	if s := a.surfaces[name]; s != nil && s.Enabled {
		return s, nil
	}
	return nil, badRequest("unknown target %q (yours: %s)", name, a.known(c))
}

// known are the names of the targets that a caller may know of.
func (a *API) known(c *call) string {
	var known []string
	for _, other := range slices.Sorted(maps.Keys(a.surfaces)) {
		if s := a.surfaces[other]; s.Enabled && s.allows(c.caller.Name, onSchema, "list", "") == nil {
			known = append(known, other)
		}
	}
	return cmp.Or(strings.Join(known, ", "), "none")
}

// mayWrite tells early whether a caller may write here at all, before anything is told of what is there.
func (a *API) mayWrite(c *call, s *Surface) error {
	create := s.allows(c.caller.Name, onResources, "create", "")
	if create == nil || s.allows(c.caller.Name, onResources, "update", "") == nil {
		return nil
	}
	return create
}

// refused is the answer to what was not understood, with all that is wrong with it.
func (a *API) refused(s *Surface, out *translated, err error) (*answer, error) {
	wrong, ok := errors.AsType[problems](err)
	if !ok {
		return nil, err
	}
	status := http.StatusBadRequest
	if wrong[0].missing {
		status = http.StatusUnprocessableEntity
	}
	response := applied{Kind: s.CRD.GVK.Kind, APIVersion: s.CRD.GVK.GroupVersion().String(), Message: wrong[0].Field + " " + wrong[0].Message, Violations: wrong}
	if out != nil {
		response.Warnings = out.warnings
	}
	return &answer{status: status, body: response}, nil
}

// mayStore tells whether a caller may make or change a resource in a namespace, and may wish what it does.
func (a *API) mayStore(c *call, s *Surface, namespace string, want wishes) error {
	for _, operation := range []orkv1.ServeOperation{"create", "update"} {
		if err := s.allows(c.caller.Name, onResources, operation, namespace); err == nil {
			break
		} else if operation == "update" {
			return err
		}
	}
	if want.overwrite && !s.Overwrites {
		return badRequest("target %s does not allow overwrite", s.Name)
	}
	return nil
}

func severityOf(cause metav1.CauseType) string {
	switch cause { //nolint:exhaustive // all others warn
	case metav1.CauseTypeFieldValueInvalid, metav1.CauseTypeFieldValueRequired, metav1.CauseTypeFieldValueDuplicate, metav1.CauseTypeFieldValueNotSupported,
		metav1.CauseTypeTypeInvalid, metav1.CauseTypeFieldManagerConflict: // nothing is stored for those either
		return severityError
	}
	return severityWarning
}

// keepSelector writes which target's selector a resource met.
func (s *Surface) keepSelector(object *unstructured.Unstructured) {
	text, err := json.Marshal(s.written)
	if err != nil { // of texts, which cannot be
		return
	}
	annotate(object, orkv1.AnnotationServeSelectorTarget, s.Name)
	annotate(object, orkv1.AnnotationServeSelector, string(text))
}

// annotate writes an annotation.
func annotate(object *unstructured.Unstructured, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

// keepIntent writes what was sent into an annotation, without what is sensitive, and no more of it than the CRD keeps.
func keepIntent(crd *CRD, object *unstructured.Unstructured, intent map[string]any) {
	kept := maps.Clone(intent)
	for key, f := range crd.Fields {
		if _, sent := kept[key]; sent && f.Declared.Sensitive {
			kept[key] = rules.Redacted
		}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return
	}
	if len(text) > cmp.Or(crd.MaxIntent, orkv1.DefaultIntentAnnotation) {
		sum := sha256.Sum256(text)
		text = fmt.Appendf(nil, `{"truncated":true,"bytes":%d,"sha256":%q}`, len(text), hex.EncodeToString(sum[:]))
	}
	annotate(object, orkv1.AnnotationServeIntent, string(text))
}
