package serve

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// response shapes the answers of a surface.
type response struct {
	// bare answers with the payload alone.
	bare    bool
	payload map[string]*template.Program
	exclude []*template.Program
	field   string
	url     *template.Program
}

func (c *compiler) response(declared *orkv1.ServeConfig, at *field.Path) response {
	if declared == nil || declared.Response == nil {
		return response{}
	}
	d := declared.Response
	r := response{bare: !yes(d.Default, true), payload: map[string]*template.Program{}}
	for _, key := range slices.Sorted(maps.Keys(d.Payload)) {
		r.payload[key] = c.template(d.Payload[key], at.Child("payload").Key(key))
	}
	for i, path := range d.Exclude {
		r.exclude = append(r.exclude, c.template(path, at.Child("exclude").Index(i)))
	}
	if d.Poll != nil {
		r.field = d.Poll.Field
		r.url = c.named(d.Poll.URL, at.Child("poll", "url"))
	}
	return r
}

// payloadOf renders the payload of a resource. What cannot be resolved is the empty text.
func (r *response) payloadOf(object *unstructured.Unstructured) map[string]any {
	if len(r.payload) == 0 {
		return nil
	}
	facts := template.NewFacts(roots.Of(object), nil)
	out := make(map[string]any, len(r.payload))
	for key, program := range r.payload {
		value, err := program.Value(facts)
		if err != nil || value == nil {
			value = ""
		}
		out[key] = value
	}
	return out
}

// copied tells whether an annotation has some of the resource, or of what was sent for it, once more as a text.
func copied(annotation string) bool {
	if key, older := strings.CutPrefix(annotation, orkv1.LegacyDomain); older {
		annotation = orkv1.Domain + key
	}
	switch annotation {
	case orkv1.AnnotationServeIntent, orkv1.AnnotationServeSelector, orkv1.AnnotationPreviousSpec, corev1.LastAppliedConfigAnnotation:
		return true
	}
	return strings.HasPrefix(annotation, orkv1.AnnotationConversion)
}

// shown is the resource without what is excluded, and without annotations that would have it all the same. The one that is given is not changed. Nil: it can't
// be told what is excluded, so that nothing is shown.
func (r *response) shown(object *unstructured.Unstructured) map[string]any {
	if len(r.exclude) == 0 {
		return object.Object
	}
	facts := template.NewFacts(roots.Of(object), nil)
	less := object.DeepCopy()
	annotations := less.GetAnnotations()
	maps.DeleteFunc(annotations, func(key, _ string) bool { return copied(key) })
	less.SetAnnotations(annotations)
	for _, program := range r.exclude {
		text, err := program.Text(facts)
		if err != nil {
			return nil
		}
		for path := range strings.SplitSeq(text, ",") {
			if path = strings.TrimSpace(path); path == "" { // a template that has nothing to exclude
				continue
			}
			keys, err := rules.ParsePath(path)
			if err != nil {
				return nil
			}
			remove(less.Object, keys)
		}
	}
	return less.Object
}

// remove takes away what is at a path, which goes through each element of a list.
func remove(value any, path template.Path) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			remove(element, path)
		}
	case map[string]any:
		if len(path) == 1 {
			delete(value, path[0])
			return
		}
		remove(value[path[0]], path[1:])
	}
}

// noNamespace stands in a path for the namespace of what has none.
const noNamespace = "-"

// pollURL is where a caller reads the resource, of a cluster that is not the API's own too.
func (r *response) pollURL(s *Surface, object *unstructured.Unstructured, cluster string) string {
	if r.url != nil {
		if text, err := r.url.Text(template.NewFacts(roots.Of(object), nil)); err == nil {
			return r.asking(text, "")
		}
	}
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = noNamespace
	}
	return r.asking("/api/v1/resources/"+url.PathEscape(strings.ToLower(s.Name))+"/"+url.PathEscape(namespace)+"/"+url.PathEscape(object.GetName()), cluster)
}

// asking adds the parameters that name a cluster and ask for one field.
func (r *response) asking(text, cluster string) string {
	if r.field == "" && cluster == "" {
		return text
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return text
	}
	query := parsed.Query()
	for name, value := range map[string]string{"field": r.field, "cluster": cluster} {
		if value != "" {
			query.Set(name, value)
		}
	}
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
