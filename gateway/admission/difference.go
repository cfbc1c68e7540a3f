package admission

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"gomodules.xyz/jsonpatch/v2"
)

// pointed escapes a key in a JSON pointer.
var pointed = strings.NewReplacer("~", "~0", "/", "~1")

// difference adds to a patch what makes one map of another, below a pointer. What rules set is a value of a map, or all that a map or a list holds, so
// lists are replaced whole. The library that the operations are of compares texts: it would have both objects written and read again for one value.
func difference(patch []jsonpatch.Operation, pointer string, before, after map[string]any) []jsonpatch.Operation {
	for _, key := range slices.Sorted(maps.Keys(after)) {
		now := after[key]
		at := pointer + "/" + pointed.Replace(key)
		was, found := before[key]
		below, isMap := was.(map[string]any)
		wanted, staysMap := now.(map[string]any)
		switch {
		case !found:
			patch = append(patch, jsonpatch.NewOperation("add", at, now))
		case isMap && staysMap:
			patch = difference(patch, at, below, wanted)
		case !reflect.DeepEqual(was, now):
			patch = append(patch, jsonpatch.NewOperation("replace", at, now))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[key]; !stays {
			patch = append(patch, jsonpatch.NewOperation("remove", pointer+"/"+pointed.Replace(key), nil))
		}
	}
	return patch
}
