package conversion

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// annotationOf is where the spec of a version is kept while the resource is in another one.
func annotationOf(version string) string { return orkv1.AnnotationConversion + version }

// preserved puts what the way back would lose into an annotation, and gives back what an earlier one holds. Callers may write that one as
// well: what cannot be given back is as none. Lost tells that it does not fit there.
func (p *Program) preserved(object, converted *unstructured.Unstructured, from, to string) (_ *unstructured.Unstructured, lost bool, err error) {
	annotations := converted.GetAnnotations()
	kept, was := annotations[annotationOf(to)]
	delete(annotations, annotationOf(to))
	var back *unstructured.Unstructured
	if was {
		converted, back = p.restored(kept, converted, from, to)
	}
	if back == nil {
		if back, err = p.plain(converted, from); err != nil {
			return nil, false, err
		}
	}
	if spec, is := object.Object["spec"].(map[string]any); is && !reflect.DeepEqual(back.Object["spec"], object.Object["spec"]) {
		text, err := json.Marshal(spec)
		if err != nil {
			return nil, false, fmt.Errorf("keep the spec of %s: %w", from, err)
		}
		annotations, lost = with(annotations, annotationOf(from), string(text))
	}
	switch {
	case len(annotations) > 0:
		converted.SetAnnotations(annotations)
	case was:
		converted.SetAnnotations(nil) // it was there for what is given back now
	}
	return converted, lost, nil
}

// with adds an annotation, but for one that is too large: the API server would read no resource of the kind any more.
func with(annotations map[string]string, key, text string) (_ map[string]string, lost bool) {
	added := maps.Clone(annotations)
	if added == nil {
		added = map[string]string{}
	}
	added[key] = text
	if validation.ValidateAnnotationsSize(added) == nil {
		return added, false
	}
	delete(added, key)
	return added, true
}

// restored returns the resource with the spec that was kept, and what the way back makes of it. What cannot be used leaves the resource as
// it is, and nothing is told of the way back.
func (p *Program) restored(kept string, converted *unstructured.Unstructured, from, to string) (whole, back *unstructured.Unstructured) {
	spec, err := p.restore(kept, converted, from, to)
	if err != nil {
		return converted, nil
	}
	if known := p.schemas[to]; known != nil {
		if shape, declared := known.Properties["spec"]; declared && !readable(spec, &shape) {
			return converted, nil
		}
	}
	whole = &unstructured.Unstructured{Object: maps.Clone(converted.Object)}
	whole.Object["spec"] = spec
	if back, err = p.plain(whole, from); err != nil {
		return converted, nil
	}
	return whole, back
}

// restore returns the spec that was kept, with what has changed since in the other version.
func (p *Program) restore(kept string, converted *unstructured.Unstructured, from, to string) (map[string]any, error) {
	var spec map[string]any
	if err := utiljson.Unmarshal([]byte(kept), &spec); err != nil {
		return nil, fmt.Errorf("read what is kept: %w", err)
	}
	if spec == nil {
		return nil, errors.New("nothing is kept")
	}
	then := converted.DeepCopy()
	then.Object["spec"] = spec
	// What the resource was in the other version when the spec was kept, and what the path would give back of that.
	there, err := p.plain(then, from)
	if err != nil {
		return nil, err
	}
	base, err := p.plain(there, to)
	if err != nil {
		return nil, err
	}
	before, err := specOf(base)
	if err != nil {
		return nil, err
	}
	now, err := specOf(converted)
	if err != nil {
		return nil, err
	}
	change, err := jsonpatch.CreateMergePatch(before, now)
	if err != nil {
		return nil, fmt.Errorf("compare the specs: %w", err)
	}
	merged, err := jsonpatch.MergePatch([]byte(kept), change)
	if err != nil {
		return nil, fmt.Errorf("put the specs together: %w", err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(merged, &out); err != nil {
		return nil, fmt.Errorf("read the spec: %w", err)
	}
	return out, nil
}

// specOf is the spec of a resource as JSON. One without a spec has an empty one.
func specOf(object *unstructured.Unstructured) ([]byte, error) {
	spec, _ := object.Object["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("write the spec: %w", err)
	}
	return text, nil
}

// plain converts without keeping anything.
func (p *Program) plain(object *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	bare := *p
	bare.preserve = false
	return bare.Convert(object, to)
}
