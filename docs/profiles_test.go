package docs_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// The tables of the built-in profiles are made of the code; -update writes them.
func TestProfilesPage(t *testing.T) {
	rows := map[string][]string{}
	builtIn := reflect.ValueOf(profile.BuiltIn()).Elem()
	for i := range builtIn.NumField() {
		name, _, _ := strings.Cut(builtIn.Type().Field(i).Tag.Get("json"), ",")
		for _, preset := range slices.Collect(elements(builtIn.Field(i))) {
			rows[name] = append(rows[name], presetRow(t, preset))
		}
	}
	page := read(t, "profiles.md")
	var out []string
	for i := 0; i < len(page.lines); i++ {
		out = append(out, page.lines[i])
		kind, class := mark(page.lines[i])
		if kind != "profiles" {
			continue
		}
		if len(rows[class]) == 0 {
			t.Errorf("profiles.md:%d: there is no built-in profile of %s", i+1, class)
		}
		out = append(append(out, "| profile | fields |", "|---|---|"), rows[class]...)
		delete(rows, class)
		for i+1 < len(page.lines) && strings.HasPrefix(page.lines[i+1], "|") {
			i++
		}
	}
	for class := range rows {
		t.Errorf("profiles.md has no table of the built-in profiles of %s", class)
	}
	golden.Compare(t, "profiles.md", strings.Join(out, "\n"))
}

// elements are those of a slice.
func elements(list reflect.Value) func(yield func(any) bool) {
	return func(yield func(any) bool) {
		for i := range list.Len() {
			if !yield(list.Index(i).Interface()) {
				return
			}
		}
	}
}

// presetRow is a preset in a line, its fields as one would write them.
func presetRow(t *testing.T, preset any) string {
	t.Helper()
	text, err := json.Marshal(preset)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	root := document.Content[0]
	name := root.Content[1].Value
	root.Content = root.Content[2:]
	flow(root)
	fields, err := yaml.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.TrimSpace(string(fields))
	return fmt.Sprintf("| %#q | %#q |", name, shown[1:len(shown)-1])
}

// flow takes the quotes away that YAML does not need.
func flow(n *yaml.Node) {
	n.Style = 0
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	for _, one := range n.Content {
		flow(one)
	}
}

// The table of the lists has every list with all its fields.
func TestProfileLists(t *testing.T) {
	documented := map[string][]string{}
	for _, row := range read(t, "profiles.md").tables(t, "presets")[0].rows {
		documented[words(row[0])[0]] = words(row[2])
	}
	lists := reflect.TypeFor[orkv1.Profiles]()
	for list := range lists.Fields() {
		name, _, _ := strings.Cut(list.Tag.Get("json"), ",")
		var want []string
		for f := range list.Type.Elem().Fields() {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
				want = append(want, key)
			}
		}
		slices.Sort(want)
		slices.Sort(documented[name])
		if !slices.Equal(want, documented[name]) {
			t.Errorf("profiles.md: the list %s has the fields %q, documented are %q", name, want, documented[name])
		}
	}
	if len(documented) != lists.NumField() {
		t.Errorf("profiles.md: %d lists, want %d", len(documented), lists.NumField())
	}
}
