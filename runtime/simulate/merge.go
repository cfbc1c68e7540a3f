package simulate

import "k8s.io/apimachinery/pkg/runtime"

// mergePatch returns the content with a JSON merge patch made true.
func mergePatch(content, patch map[string]any) map[string]any {
	merged := runtime.DeepCopyJSON(content)
	if merged == nil {
		merged = map[string]any{}
	}
	for field, value := range patch {
		below, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(merged, field)
		case isMap:
			have, _ := merged[field].(map[string]any)
			merged[field] = mergePatch(have, below)
		default:
			merged[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	return merged
}

// overlay returns the content with all fields of another one. A list is one value.
func overlay(content, with map[string]any) map[string]any {
	merged := runtime.DeepCopyJSON(content)
	if merged == nil {
		merged = map[string]any{}
	}
	for field, value := range with {
		have, haveMap := merged[field].(map[string]any)
		below, isMap := value.(map[string]any)
		if haveMap && isMap {
			merged[field] = overlay(have, below)
		} else {
			merged[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	return merged
}

// without returns the content without the fields that were applied before and are not any more.
func without(content, before, after map[string]any) map[string]any {
	left := runtime.DeepCopyJSON(content)
	for field, value := range before {
		kept, still := after[field]
		have, haveMap := left[field].(map[string]any)
		was, wasMap := value.(map[string]any)
		switch {
		case haveMap && wasMap:
			is, _ := kept.(map[string]any)
			if left[field] = without(have, was, is); !still && len(left[field].(map[string]any)) == 0 {
				delete(left, field)
			}
		case !still:
			delete(left, field)
		}
	}
	return left
}
