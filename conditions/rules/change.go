package rules

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Change is one value that was set. The maps on the way to it are made where they are missing.
type Change struct {
	// Rule is the name of the mutation rule, or where it stands, such as rules[0]; the key for normalize.
	Rule string
	// Path is where the value stands, from the object down.
	Path template.Path
	// Found tells that there was a value before, Before, which may be null.
	Found  bool
	Before any
	// After is the value now. Nobody may write to it, or to Before.
	After any
}

// Replay makes the same changes to another object, and returns a copy that shares the rest with it.
func Replay(object map[string]any, changes []Change) (map[string]any, error) {
	for _, one := range changes {
		var err error
		if object, err = with(object, one.Path, 0, one.After); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Rule, err)
		}
	}
	return object, nil
}

// draft is an object while it is changed: a copy that shares with the first one what is the same.
type draft struct {
	object  map[string]any
	changes []Change
}

// set sets the value at a path, and tells whether that is a change.
func (d *draft) set(rule string, path template.Path, value any) (bool, error) {
	before, found := lookup(d.object, path)
	if found && reflect.DeepEqual(before, value) {
		return false, nil
	}
	object, err := with(d.object, path, 0, value)
	if err != nil {
		return false, err
	}
	d.object = object
	d.changes = append(d.changes, Change{Rule: rule, Path: path, Found: found, Before: before, After: value})
	return true, nil
}

// with returns a copy of the map at a depth of the path that has the value at the path. It shares all else with the map.
func with(at map[string]any, path template.Path, depth int, value any) (map[string]any, error) {
	copied := maps.Clone(at)
	if copied == nil {
		copied = map[string]any{}
	}
	key := path[depth]
	if depth == len(path)-1 {
		copied[key] = value
		return copied, nil
	}
	var below map[string]any
	switch next := at[key].(type) {
	case map[string]any:
		below = next
	case nil:
	default:
		return nil, fmt.Errorf("%s is a %s, in which no field can be set", WritePath(path[:depth+1]), notes.TypeOf(next))
	}
	var err error
	copied[key], err = with(below, path, depth+1, value)
	return copied, err
}

func lookup(object map[string]any, path template.Path) (any, bool) {
	return path.Lookup(template.NewFacts(object, nil))
}

// unset tells whether a default may be set in place of a value: one that is absent, null or the empty text. 0, false and
// empty lists are values, as they are for the operator exists.
func unset(value any) bool {
	return value == nil || value == "" || value == notes.NoValue
}
