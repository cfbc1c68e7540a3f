package apply

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// difference is a desired leaf that the observed object does not have as desired.
type difference struct {
	path              string
	desired, observed any
}

// holds tells whether observed has every leaf of desired to the letter, elements of lists by their position. It is the
// question that is asked on every cycle, so it allocates nothing; when it says no, differences gives the answer.
func holds(desired, observed any) bool {
	switch desired := desired.(type) {
	case map[string]any:
		have, ok := observed.(map[string]any)
		if !ok {
			return len(desired) == 0 && observed == nil
		}
		for field, want := range desired {
			if !holds(want, have[field]) || atomicField(field) && exceeds(want, have[field]) {
				return false
			}
		}
		return true
	case []any:
		have, ok := observed.([]any)
		if !ok {
			return len(desired) == 0 && observed == nil
		}
		if len(have) != len(desired) {
			return false
		}
		for i, want := range desired {
			if !holds(want, have[i]) {
				return false
			}
		}
		return true
	default:
		return same(desired, observed)
	}
}

// differences finds the leaves of desired that observed lacks or has otherwise. What observed has beyond them belongs to
// somebody else, to the server's defaults or to another manager, and is not looked at, but in values that have one owner as a
// whole.
func differences(gvk schema.GroupVersionKind, desired, observed map[string]any) []difference {
	c := comparison{builtin: !strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io")}
	for field, want := range desired {
		if field == "apiVersion" || field == "kind" { // the object was found by them, maybe in another version
			continue
		}
		c.value(field, field, want, observed[field])
	}
	slices.SortFunc(c.found, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return c.found
}

type comparison struct {
	// builtin kinds have lists whose elements are known by a key, and values that the server spells anew.
	builtin bool
	found   []difference
}

// value compares what is at a path. Name is the last field of the path, which tells how to read a list.
func (c *comparison) value(path, name string, desired, observed any) {
	c.additions(path, name, desired, observed)
	switch desired := desired.(type) {
	case map[string]any:
		have, ok := observed.(map[string]any)
		if !ok && observed != nil {
			c.differs(path, desired, observed)
			return
		}
		for field, want := range desired {
			c.value(path+"."+field, field, want, have[field])
		}
	case []any:
		have, ok := observed.([]any)
		if !ok && observed != nil {
			c.differs(path, desired, observed)
			return
		}
		c.list(path, name, desired, have)
	default:
		if !c.sameValue(path, desired, observed) {
			c.differs(path, desired, observed)
		}
	}
}

func (c *comparison) list(path, name string, desired, observed []any) {
	if keys := c.keysOf(path, name, desired); keys != nil {
		for _, element := range desired {
			want, _ := element.(map[string]any)
			here := fmt.Sprintf("%s[%s]", path, keyText(keys, want))
			at := slices.IndexFunc(observed, func(other any) bool { return sameKeys(keys, want, other) })
			if at < 0 {
				c.differs(here, want, nil)
				continue
			}
			c.value(here, "", want, observed[at])
		}
		return
	}
	if len(desired) != len(observed) {
		c.differs(path, desired, observed)
		return
	}
	for i := range desired {
		c.value(fmt.Sprintf("%s[%d]", path, i), "", desired[i], observed[i])
	}
}

func (c *comparison) differs(path string, desired, observed any) {
	c.found = append(c.found, difference{path: path, desired: desired, observed: observed})
}

// listKeys are the fields that tell the elements of a built-in kind's list apart, by the name of the list. Lists that are
// not here are replaced as a whole.
var listKeys = map[string][]string{
	"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "volumes": {"name"}, "env": {"name"},
	"imagePullSecrets": {"name"}, "secrets": {"name"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"},
	"hostAliases": {"ip"}, "topologySpreadConstraints": {"topologyKey", "whenUnsatisfiable"}, "conditions": {"type"},
	"resourceClaims": {"name"}, "schedulingGates": {"name"},
}

// keysOf returns the fields that tell the elements of the list apart, nil for a list that is one value.
func (c *comparison) keysOf(path, name string, desired []any) []string {
	if path == "metadata.ownerReferences" {
		return []string{"uid"}
	}
	if !c.builtin || len(desired) == 0 {
		return nil
	}
	keys := listKeys[name]
	if name == "ports" { // of a Service or a container; those of a NetworkPolicy are one value
		if first, ok := desired[0].(map[string]any); ok && first["containerPort"] != nil {
			keys = []string{"containerPort", "protocol"}
		} else if path == "spec.ports" {
			keys = []string{"port", "protocol"}
		}
	}
	for _, element := range desired {
		member, ok := element.(map[string]any)
		if !ok || keys == nil || member[keys[0]] == nil {
			return nil
		}
	}
	return keys
}

func sameKeys(keys []string, desired map[string]any, observed any) bool {
	have, ok := observed.(map[string]any)
	if !ok {
		return false
	}
	for _, key := range keys {
		want := desired[key]
		if want == nil && key == "protocol" {
			want = "TCP" // the server's default, and part of the key
		}
		if !same(want, have[key]) {
			return false
		}
	}
	return true
}

func keyText(keys []string, element map[string]any) string {
	parts := make([]string, 0, len(keys))
	for _, key := range keys {
		parts = append(parts, fmt.Sprint(element[key]))
	}
	return strings.Join(parts, "/")
}

// sameValue tells whether the server holds the desired value, be it in its own spelling.
func (c *comparison) sameValue(path string, desired, observed any) bool {
	if same(desired, observed) {
		return true
	}
	if desired == nil || desired == "" {
		return observed == nil || observed == ""
	}
	if !c.builtin || observed == nil || holdsText(path) {
		return false
	}
	want, err := orkv1.ParseQuantity(fmt.Sprint(desired))
	if err != nil {
		return false
	}
	have, err := orkv1.ParseQuantity(fmt.Sprint(observed))
	return err == nil && want.Cmp(have) == 0
}

// holdsText tells whether values at the path are text to the letter, where 1000m is not the same as 1.
func holdsText(path string) bool {
	for _, prefix := range []string{"metadata.", "data.", "stringData.", "binaryData."} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return strings.HasSuffix(path, ".value") || strings.Contains(path, ".labels.") || strings.Contains(path, ".annotations.") ||
		strings.Contains(path, ".command[") || strings.Contains(path, ".args[") || strings.Contains(path, "atchLabels.") || strings.Contains(path, "elector.")
}

// same compares two JSON scalars; numbers by their value.
func same(a, b any) bool {
	switch a := a.(type) {
	case int64:
		switch b := b.(type) {
		case int64:
			return a == b
		case float64:
			return float64(a) == b
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return a == float64(b)
		case float64:
			return a == b
		}
	case string:
		text, ok := b.(string)
		return ok && a == text
	case bool:
		truth, ok := b.(bool)
		return ok && a == truth
	case nil:
		return b == nil
	}
	return false
}
