package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// replace writes an object anew in one request: whoever watches it or has it mounted never sees it gone. Labels and annotations of others
// stay. It is made from what memory shows, and is a conflict when that is not the present.
func (a *Applier) replace(ctx context.Context, w write, observed *unstructured.Unstructured) (Change, error) {
	if err := a.refusals.known(w, observed); err != nil {
		return Change{}, err
	}
	body, err := json.Marshal(replacement(w.desired.Object, observed))
	if err != nil {
		return Change{}, fmt.Errorf("encode %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	replaced, err := a.send(w, func() (*unstructured.Unstructured, error) {
		return a.resource(w).Patch(ctx, observed.GetName(), types.MergePatchType, body, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	})
	if err != nil {
		return Change{}, a.refusals.note(w, observed, fmt.Errorf("replace %s %s: %w", w.kind.GVK.Kind, w.name(), err))
	}
	return Change{Action: Configured, Object: replaced}, nil
}

// replacement is the merge patch that makes an object hold what is desired. A member of a map that is desired no more is taken out.
func replacement(desired, observed *unstructured.Unstructured) map[string]any {
	patch := maps.Clone(desired.Object)
	for name, value := range patch {
		want, ok := value.(map[string]any)
		if !ok || name == "metadata" {
			continue
		}
		members := maps.Clone(want)
		have, _ := observed.Object[name].(map[string]any)
		for member := range have {
			if _, stays := want[member]; !stays {
				members[member] = nil
			}
		}
		patch[name] = members
	}
	patch["metadata"] = map[string]any{
		"labels": asAny(desired.GetLabels()), "annotations": asAny(desired.GetAnnotations()),
		"uid": string(observed.GetUID()), "resourceVersion": observed.GetResourceVersion(),
	}
	return patch
}

func asAny(texts map[string]string) map[string]any {
	values := make(map[string]any, len(texts))
	for key, text := range texts {
		values[key] = text
	}
	return values
}
