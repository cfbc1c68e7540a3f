package apply

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ImmutableError says that the API server refuses to change a field of a child that exists.
type ImmutableError struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	// Fields tells for each field what it is and what it was to be: type is "Opaque", want "example.com/b".
	Fields string
	// Besides is what the server says of other fields, empty if nothing: then the object would be refused as a new one as well.
	Besides string
	// Recreate tells that the declaration has the object recreated, where that helps.
	Recreate bool
}

func (e *ImmutableError) Error() string {
	remedy := "delete it, or set onImmutable: recreate, to have it made anew"
	switch {
	case e.Besides != "":
		remedy = "besides, " + e.Besides
	case e.Recreate:
		remedy = "delete it to have it made anew"
	}
	return fmt.Sprintf("%s %s can't be changed in place: %s; %s", e.GVK.Kind, qualified(e.Namespace, e.Name), e.Fields, remedy)
}

// immutablePhrases are how the API server words such a refusal. Its words are all that there is: validation has no reason code for it.
var immutablePhrases = []string{
	"immutable", "may not change", "may not be changed", "may not be updated", "cannot change", "cannot be changed", "can not be changed",
	"cannot be modified", "may not be modified", "cannot be updated",
}

// isImmutableMessage recognizes the refusal of a change in the server's words.
func isImmutableMessage(message string) bool {
	return slices.ContainsFunc(immutablePhrases, func(phrase string) bool { return strings.Contains(message, phrase) }) ||
		strings.Contains(message, "updates to") && strings.Contains(message, "forbidden")
}

// mostChanges is how many changes a message tells of: a condition has 256 characters.
const mostChanges = 2

// changesOf tells what was to become of the fields that the server does not change, by the leaves that differ.
func changesOf(w write, observed *unstructured.Unstructured, fields []string) string {
	var told []string
	if observed != nil {
		for _, one := range differences(w.kind.GVK, w.desired.Object.Object, observed.Object) {
			if slices.ContainsFunc(fields, func(field string) bool { return lies(one.path, field) }) {
				told = append(told, w.tell(one))
			}
		}
	}
	if len(told) == 0 { // the server names a field that it fills in from ours
		told = slices.Compact(fields)
	}
	if more := len(told) - mostChanges; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(told[:mostChanges], ", "), more)
	}
	return strings.Join(told, ", ")
}

// lies tells whether a path is that of a field or below it. The server counts elements that we call by their keys, and speaks of
// clusterIPs where clusterIP was set.
func lies(path, field string) bool {
	path, field = elements.ReplaceAllString(path, ""), elements.ReplaceAllString(field, "")
	return path == field || strings.HasPrefix(path, field+".") || path == strings.TrimSuffix(field, "s")
}

var elements = regexp.MustCompile(`\[[^\]]*\]`)

func (w write) tell(one difference) string {
	if isSecret(w.kind.GVK, one.path) {
		return one.path + " differs"
	}
	return fmt.Sprintf("%s is %s, want %s", one.path, inShort(one.observed), inShort(one.desired))
}

// isSecret tells whether values at a path are not for a status.
func isSecret(gvk schema.GroupVersionKind, path string) bool {
	if gvk.Group == "" && gvk.Kind == "Secret" {
		return !strings.HasPrefix(path, "metadata.") && path != "type" && path != "immutable"
	}
	return strings.Contains(path, ".env[") || strings.HasSuffix(path, ".env")
}

// inShort is the JSON of a value, at most 32 characters of it.
func inShort(value any) string {
	if value == nil {
		return "absent"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "unreadable"
	}
	const most = 32
	if runes := []rune(string(text)); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return string(text)
}
