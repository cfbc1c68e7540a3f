package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/gateway/conversion"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// way is how the API server brings resources of a kind to the version that the rules of an entry are about, before it asks.
type way struct {
	to schema.GroupVersion
	// definition of the kind. Nil: it is not known.
	definition *apiextensionsv1.CustomResourceDefinition
	// program converts, on says that in a cluster it does as well. Nil: the Katalogs declare no conversion.
	program *conversion.Program
	on      bool
	// named are the versions that the Katalogs tell of.
	named []string
}

// way to the version of an entry. The conversion may be declared by another entry of the kind.
func (c *court) way(e *entry.Entry) *way {
	w := &way{to: e.GVK.GroupVersion()}
	named := map[string]bool{}
	for _, one := range c.opts.Entries {
		if one.GVK.GroupKind() != e.GVK.GroupKind() {
			continue
		}
		named[one.GVK.Version] = true
		if one.Conversion != nil {
			w.program, w.on = one.Conversion, one.Converts
			for _, version := range one.Conversion.Versions() {
				named[version] = true
			}
		}
		if c.opts.Definition != nil && w.definition == nil {
			w.definition = c.opts.Definition(one)
		}
	}
	w.named = slices.Sorted(maps.Keys(named))
	return w
}

// unserved is an error for a version that the API server does not serve, or of which nothing is known.
func (w *way) unserved(version string) error {
	if w.definition == nil {
		if slices.Contains(w.named, version) {
			return nil
		}
		return fmt.Errorf("nothing is known of version %s; the Katalog tells of %s: name the definition by crdFile, or declare the conversion", version, strings.Join(w.named, ", "))
	}
	var served []string
	for _, one := range w.definition.Spec.Versions {
		if one.Served {
			served = append(served, one.Name)
		}
	}
	if slices.Contains(served, version) {
		return nil
	}
	return fmt.Errorf("the definition does not serve version %s; served: %s", version, strings.Join(served, ", "))
}

// there is an object in the version of the rules.
func (w *way) there(o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return w.convert(o, w.to.Version)
}

// again is what is left of an object after the way to the version of the request and back.
func (w *way) again(o *unstructured.Unstructured, version string) (*unstructured.Unstructured, error) {
	back, err := w.convert(o, version)
	if err != nil {
		return nil, err
	}
	return w.there(back)
}

func (w *way) convert(o *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	from := o.GroupVersionKind().Version
	switch {
	case from == to:
		return o, nil
	case w.program != nil:
		converted, err := w.program.Convert(o, to)
		if err != nil {
			return nil, fmt.Errorf("can't be converted: %w", err)
		}
		return converted, nil
	case w.byWebhook():
		return nil, fmt.Errorf("can't be converted from %s to %s: the definition names a webhook, and the Katalogs declare no conversion", from, to)
	}
	converted := o.DeepCopy()
	converted.SetAPIVersion(schema.GroupVersion{Group: w.to.Group, Version: to}.String())
	return converted, nil
}

// byWebhook tells whether the definition leaves the conversion to somebody.
func (w *way) byWebhook() bool {
	return w.definition != nil && w.definition.Spec.Conversion != nil && w.definition.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// convertedFrom tells of a conversion.
func (v *Verdict) convertedFrom(q *question) {
	to := q.object.GroupVersionKind().Version
	if q.version == to {
		return
	}
	v.ConvertedTo = q.object.GetAPIVersion()
	said := fmt.Sprintf("converted from %s to %s, which the rules are about", q.version, to)
	switch {
	case q.way.program == nil:
		said += ": by apiVersion alone, as no conversion is declared"
	case !q.way.on:
		said += "; security.conversion is off: the gateway would not convert it"
	}
	v.Notes = append(v.Notes, said)
}
