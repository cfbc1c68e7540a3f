package conversion

import (
	"encoding/json"
	"fmt"
	"reflect"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// annotationOf is where the spec of a version is kept while the resource is in another one.
func annotationOf(version string) string { return orkv1.AnnotationConversion + version }

// preserved puts what the way back would lose into an annotation, and gives back what an earlier one holds.
func (p *Program) preserved(object, converted *unstructured.Unstructured, from, to string) (*unstructured.Unstructured, error) {
	annotations := converted.GetAnnotations()
	kept, was := annotations[annotationOf(to)]
	delete(annotations, annotationOf(to))
	if was {
		spec, err := p.restore(kept, converted, from, to)
		if err != nil {
			return nil, err
		}
		converted.Object["spec"] = spec
	}
	back, err := p.plain(converted, from)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(back.Object["spec"], object.Object["spec"]) {
		text, err := json.Marshal(object.Object["spec"])
		if err != nil {
			return nil, fmt.Errorf("keep the spec of %s: %w", from, err)
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotationOf(from)] = string(text)
	}
	switch {
	case len(annotations) > 0:
		converted.SetAnnotations(annotations)
	case was:
		converted.SetAnnotations(nil) // it was there for what is given back now
	}
	return converted, nil
}

// restore returns the spec that was kept, with what has changed since in the other version.
func (p *Program) restore(kept string, converted *unstructured.Unstructured, from, to string) (any, error) {
	var spec any
	if err := utiljson.Unmarshal([]byte(kept), &spec); err != nil {
		return converted.Object["spec"], nil //nolint:nilerr // somebody else wrote it: what the path gives is right
	}
	then := converted.DeepCopy()
	then.Object["spec"] = spec
	// What the resource was in the other version when the spec was kept, and what the path would give back of that.
	there, err := p.plain(then, from)
	if err != nil {
		return converted.Object["spec"], nil //nolint:nilerr // as above
	}
	base, err := p.plain(there, to)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(base.Object["spec"])
	if err != nil {
		return nil, fmt.Errorf("write the spec: %w", err)
	}
	now, err := json.Marshal(converted.Object["spec"])
	if err != nil {
		return nil, fmt.Errorf("write the spec: %w", err)
	}
	change, err := jsonpatch.CreateMergePatch(before, now)
	if err != nil {
		return nil, fmt.Errorf("compare the specs: %w", err)
	}
	merged, err := jsonpatch.MergePatch([]byte(kept), change)
	if err != nil {
		return nil, fmt.Errorf("put the specs together: %w", err)
	}
	var out any
	if err := utiljson.Unmarshal(merged, &out); err != nil {
		return nil, fmt.Errorf("read the spec: %w", err)
	}
	return out, nil
}

// plain converts without keeping anything.
func (p *Program) plain(object *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	bare := *p
	bare.preserve = false
	return bare.Convert(object, to)
}
