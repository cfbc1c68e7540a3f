package box

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// mostSteps is how many cycles a status may take to come to rest before it is told that it hardly does.
const mostSteps = 20

// restless warns of status fields without a gate that go on from what the status says, as a counter does: each cycle would write
// another status, which brings the next cycle. What such fields come to is tried, as one that keeps its first value rests.
func (c *compiler) restless(fields []StatusField, at *field.Path) {
	var feeding []int
	for i, one := range fields {
		if one.Value == nil {
			return // what is wrong with it is known
		}
		if !one.Conditional && slices.ContainsFunc(one.Value.References(), readsStatus) {
			feeding = append(feeding, i)
		}
	}
	if len(feeding) == 0 {
		return
	}
	var moved []int
	status := map[string]any{}
	for range mostSteps {
		facts := template.NewFacts(c.example(fields, status), notes.ExampleTime)
		next := map[string]any{}
		moved = nil
		for i, one := range fields {
			if one.Conditional {
				continue
			}
			value, err := one.Value.Value(facts)
			if err != nil {
				return // of the example alone, perhaps
			}
			set(next, one.Path, value)
			if before, _ := facts.Lookup(append([]string{"status"}, one.Path...)); slices.Contains(feeding, i) && !reflect.DeepEqual(before, value) {
				moved = append(moved, i)
			}
		}
		status = next
	}
	for _, i := range moved {
		c.language.Warn(field.Invalid(at.Child("fields").Index(i).Child("value"), fields[i].Value.Source(),
			fmt.Sprintf("reads the status, and is another value after each cycle, which brings the next one without end: give it a when that ends, as {field: status.%s, lessThan: \"10\"}",
				fields[i].Path[len(fields[i].Path)-1])))
	}
}

// example has a value for all that the fields read besides the status.
func (c *compiler) example(fields []StatusField, status map[string]any) map[string]any {
	roots := map[string]any{}
	for _, one := range fields {
		for _, path := range one.Value.References() {
			if len(path) == 0 || slices.Contains(path, template.Element) {
				continue
			}
			var value any = int64(1)
			switch c.known.Shape(path).Type {
			case notes.TypeString:
				value = "a"
			case notes.TypeBool:
				value = true
			case notes.TypeList:
				value = []any{"a"}
			case notes.TypeMap:
				value = map[string]any{"a": "a"}
			}
			set(roots, path, value)
		}
	}
	roots["status"] = maps.Clone(status)
	return roots
}

// set puts a value at a path, in maps that are made on the way. What is in the way of them stays.
func set(into map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		below, there := into[key].(map[string]any)
		if !there {
			below = map[string]any{}
			into[key] = below
		}
		into = below
	}
	into[path[len(path)-1]] = value
}
