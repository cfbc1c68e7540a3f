package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const types = "../../api/v1"

func TestGenerate(t *testing.T) {
	for kind, golden := range map[string]string{
		"Katalog": "../../config/schema/katalog.schema.json",
		"Motif":   "../../config/schema/motif.schema.json",
	} {
		got, err := Generate(types, kind)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: run make generate; -want, +got:\n%s", kind, diff)
		}
	}
	if _, err := Generate(t.TempDir(), "Katalog"); err == nil {
		t.Error("a directory without Go files is an error")
	}
	if _, err := Generate(types, "Komposer"); err == nil {
		t.Error("a kind without a schema is an error")
	}
}

// An editor says of every key what it is for.
func TestDescriptions(t *testing.T) {
	for kind := range kinds {
		var missing []string
		undescribed(load(t, kind).root, kind, &missing)
		slices.Sort(missing)
		for _, key := range missing {
			t.Errorf("%s has no description: write a comment on its Go field", key)
		}
	}
}

// undescribed collects the keys and types without a description in a part of a schema.
func undescribed(part any, at string, missing *[]string) {
	switch typed := part.(type) {
	case map[string]any:
		for key, below := range typed {
			undescribed(below, at+"."+key, missing)
			if named, ok := below.(map[string]any); ok && (key == "properties" || key == "definitions") {
				for name, schema := range named {
					if text, _ := schema.(map[string]any)["description"].(string); text == "" {
						*missing = append(*missing, at+"."+key+"."+name)
					}
				}
			}
		}
	case []any:
		for i, below := range typed {
			undescribed(below, fmt.Sprintf("%s[%d]", at, i), missing)
		}
	}
}

// TestEnums compares what the decoder checks with what the CustomResourceDefinition says.
func TestEnums(t *testing.T) {
	found, err := readComments(types)
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	visit := func(t2 reflect.Type) {
		marked := found[t2.Name()].markers["Enum"]
		if !t2.Implements(typeEnum) {
			if marked != "" {
				t.Errorf("%s has an Enum marker and no Values method", t2.Name())
			}
			return
		}
		checked[t2.Name()] = true
		if got := strings.Join(reflect.Zero(t2).Interface().(orkv1.Enum).Values(), ";"); got != marked {
			t.Errorf("%s: the marker says %q, Values %q", t2.Name(), marked, got)
		}
	}
	seen := map[reflect.Type]bool{}
	for _, root := range kinds {
		walk(root, seen, visit)
	}
	for name, said := range found {
		if said.markers["Enum"] != "" && !checked[name] {
			t.Errorf("%s has an Enum marker and is not a type that a document holds", name)
		}
	}
}

func walk(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type)) {
	if seen[t] || t.PkgPath() != "" && !strings.HasSuffix(t.PkgPath(), "api/v1") {
		return
	}
	seen[t] = true
	visit(t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		walk(t.Elem(), seen, visit)
	case reflect.Struct:
		for f := range t.Fields() {
			walk(f.Type, seen, visit)
		}
	default:
	}
}

// TestSpellings validates what only some spelling of a word is.
func TestSpellings(t *testing.T) {
	katalog := `{apiVersion: orkestra.orkspace.io/v1, kind: Katalog, metadata: {name: a}, spec: {crds: {a: {operatorBox: {
  reconciler: {queue: {type: Rate-Limited}}, onReconcile: {
    services: [{type: "{{ .spec.type }}", protocol: ""}],
    cronJobs: [{concurrencyPolicy: forbid, when: [{dayOfWeek: {in: [monday, FRIDAY]}}]}],
    hpa: [{behavior: {profile: ours}, scaleTargetRef: {kind: Website, name: a}}]}}}}}}`
	motif := `{apiVersion: orkestra.orkspace.io/v1, kind: Motif, metadata: {name: a}, resources: {
    networkPolicies: [{policyTypes: ["{{ .inputs.type }}"]}],
    external: [{name: a, url: a, method: "{{ .inputs.method }}"}],
    configMaps: [{when: [{operator: "{{ .inputs.operator }}", dayOfWeek: {in: ["{{ .inputs.day }}"]}}]}]}}`
	for kind, text := range map[string]string{"Katalog": katalog, "Motif": motif} {
		if problems := load(t, kind).check(t, []byte(text)); len(problems) > 0 {
			t.Errorf("%s:\n%s", kind, strings.Join(problems, "\n"))
		}
	}
}

// TestFiles validates files that the loader takes without a warning about their spelling.
func TestFiles(t *testing.T) {
	schema := load(t, "Katalog")
	valid := 0
	for _, name := range []string{"generation-3", "generation-4", "aliases-and-merges", "reconciler-include", "files"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "api", "katalog", "testdata", "valid", name, "katalog.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		valid++
		if problems := schema.check(t, data); len(problems) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(problems, "\n"))
		}
	}
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "katalog.yaml"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no example: %v", err)
	}
	for _, name := range examples {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if problems := schema.check(t, data); len(problems) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(problems, "\n"))
		}
	}
	if valid == 0 {
		t.Error("no file was read")
	}
	motif := load(t, "Motif")
	for _, name := range []string{"web", "label"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "api", "katalog", "testdata", "valid", "motif", "motifs", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if problems := motif.check(t, data); len(problems) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(problems, "\n"))
		}
	}
}

func TestInvalidFiles(t *testing.T) {
	schema := load(t, "Katalog")
	cases := map[string]struct{ reason, text, want string }{
		"UnknownKey": {"a misspelt key is shown", "spec: {crds: {a: {operatorBocks: {}}}}", "spec.crds.a.operatorBocks: not allowed"},
		"Enum":       {"only some values are valid", "spec: {crds: {a: {mode: static}}}", "spec.crds.a.mode: not one of"},
		"Version":    {"only one apiVersion is current", "apiVersion: v1", "apiVersion: not one of"},
		"Template":   {"a template is no list", "spec: {crds: {a: {operatorBox: {onCreate: {deployments: [{image: [a]}]}}}}}", "deployments.0.image: wrong type"},
		"Required":   {"a name is needed", "metadata: {}", "metadata.name: required"},
		"Word":       {"a word of a list is checked", "spec: {crds: {a: {operatorBox: {when: [{dayOfWeek: {in: [Mon]}}]}}}}", "in.0: none of"},
		"Operator":   {"so is an operator", "spec: {crds: {a: {operatorBox: {when: [{operator: is}]}}}}", "operator: not one of"},
		"Bounds":     {"workers are at least 1", "spec: {crds: {a: {operatorBox: {reconciler: {workers: 0}}}}}", "workers: below 1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(schema.check(t, []byte(tc.text)), "\n")
			if !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got:\n%s", tc.reason, tc.want, got)
			}
		})
	}
}

// validator knows the parts of JSON schema that the generator uses.
type validator struct{ root map[string]any }

func load(t *testing.T, kind string) *validator {
	t.Helper()
	data, err := Generate(types, kind)
	if err != nil {
		t.Fatal(err)
	}
	v := &validator{}
	if err := json.Unmarshal(data, &v.root); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *validator) check(t *testing.T, data []byte) []string {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return v.validate(v.root, value, "")
}

func (v *validator) validate(schema map[string]any, value any, path string) (problems []string) {
	say := func(text string) { problems = append(problems, strings.TrimPrefix(path, ".")+": "+text) }
	if ref, ok := schema["$ref"].(string); ok {
		definition := v.root["definitions"].(map[string]any)[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any)
		return v.validate(definition, value, path)
	}
	if all, ok := schema["allOf"].([]any); ok {
		problems = append(problems, v.validate(all[0].(map[string]any), value, path)...)
	}
	if either, ok := schema["anyOf"].([]any); ok && !slices.ContainsFunc(either, func(s any) bool {
		return len(v.validate(s.(map[string]any), value, path)) == 0
	}) {
		say("none of the alternatives")
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, value) {
		say(fmt.Sprintf("not one of %v", enum))
	}
	if want := schema["type"]; want != nil && !slices.Contains(typesOf(value), fmt.Sprint(want)) && !anyOf(want, typesOf(value)) {
		say("wrong type")
		return problems
	}
	if least, ok := schema["minimum"].(float64); ok && value.(float64) < least {
		say(fmt.Sprintf("below %v", least))
	}
	if pattern, ok := schema["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(fmt.Sprint(value)) {
		say("does not match")
	}
	switch typed := value.(type) {
	case []any:
		if items, ok := schema["items"].(map[string]any); ok {
			for i, item := range typed {
				problems = append(problems, v.validate(items, item, fmt.Sprintf("%s.%d", path, i))...)
			}
		}
	case map[string]any:
		problems = append(problems, v.fields(schema, typed, path)...)
	}
	return problems
}

func (v *validator) fields(schema map[string]any, value map[string]any, path string) (problems []string) {
	properties, _ := schema["properties"].(map[string]any)
	for key, below := range value {
		at := path + "." + key
		if property, ok := properties[key].(map[string]any); ok {
			problems = append(problems, v.validate(property, below, at)...)
			continue
		}
		switch rest := schema["additionalProperties"].(type) {
		case bool:
			problems = append(problems, strings.TrimPrefix(at, ".")+": not allowed")
		case map[string]any:
			problems = append(problems, v.validate(rest, below, at)...)
		}
	}
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, ok := value[key.(string)]; !ok {
			problems = append(problems, strings.TrimPrefix(path+"."+key.(string), ".")+": required")
		}
	}
	slices.Sort(problems)
	return problems
}

func typesOf(value any) []string {
	switch typed := value.(type) {
	case map[string]any:
		return []string{"object"}
	case []any:
		return []string{"array"}
	case string:
		return []string{"string"}
	case bool:
		return []string{"boolean"}
	case float64:
		if typed == float64(int64(typed)) {
			return []string{"integer", "number"}
		}
		return []string{"number"}
	default:
		return []string{"null"}
	}
}

func anyOf(want any, types []string) bool {
	list, _ := want.([]any)
	return slices.ContainsFunc(list, func(w any) bool { return slices.Contains(types, fmt.Sprint(w)) })
}
