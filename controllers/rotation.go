package controllers

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// GeneratedAt reads when what a child holds was made, from its annotation in one of its spellings. Ok is false without one that can be
// read.
func GeneratedAt(child *unstructured.Unstructured) (at time.Time, ok bool) {
	annotations := child.GetAnnotations()
	for _, key := range orkv1.Spellings(orkv1.AnnotationGeneratedAt) {
		if at, err := time.Parse(time.RFC3339, annotations[key]); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// RotatesAt tells when a child that is created once is to be made anew: at once if it does not say when it was made. Ok is false for one
// that stays as it is.
func (d Declaration) RotatesAt(child *unstructured.Unstructured) (at time.Time, ok bool) {
	if d.RotateAfter <= 0 {
		return time.Time{}, false
	}
	made, _ := GeneratedAt(child)
	if made.IsZero() {
		return made, true
	}
	return made.Add(d.RotateAfter), true
}

// TakeStamps has the object say of itself what the other one does: when it was made, and how old it may get.
func TakeStamps(object, other *unstructured.Unstructured) {
	annotations := object.GetAnnotations()
	for _, key := range []string{orkv1.AnnotationGeneratedAt, orkv1.AnnotationRotateAfter} {
		for _, spelling := range slices.Backward(orkv1.Spellings(key)) { // the one that is written counts
			if value, ok := other.GetAnnotations()[spelling]; ok {
				annotations[key] = value
			}
		}
	}
	object.SetAnnotations(annotations)
}
