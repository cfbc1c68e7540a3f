package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// uses are parts of a CRD with a word of the field, and the end of the path at which the loader speaks of the word. Of the fields
// that are not here the loader does not check the words.
var uses = map[string]struct{ text, at string }{
	"Condition.Operator":     {"operatorBox: {when: [{field: spec.a, operator: %q}]}", "operator"},
	"Condition.ValueType":    {`operatorBox: {when: [{field: spec.a, equals: "1", valueType: %q}]}`, "valueType"},
	"DayOfWeek.In":           {"operatorBox: {when: [{dayOfWeek: {in: [%q]}}]}", "in[0]"},
	"DayOfWeek.NotIn":        {"operatorBox: {when: [{dayOfWeek: {notIn: [%q]}}]}", "notIn[0]"},
	"MutationRule.ValueType": {`mutation: {rules: [{field: spec.a, default: "1", valueType: %q}]}`, "valueType"},
	"StatusField.Type":       {`operatorBox: {status: {fields: [{path: a, value: "1", type: %q}]}}`, "type"},
	"ExternalCall.Method":    {inBlock("external: [{name: a, url: http://a, method: %q}]"), "method"},

	"Workload.Protocol":         {inDeployment("protocol: %q"), "protocol"},
	"Probe.Type":                {inDeployment("port: 1, probes: {liveness: {type: %q}}"), "type"},
	"Probe.Scheme":              {inDeployment("port: 1, probes: {liveness: {path: /, scheme: %q}}"), "scheme"},
	"Capabilities.Add":          {inDeployment("securityContext: {capabilities: {add: [%q]}}"), "add[0]"},
	"Capabilities.Drop":         {inDeployment("securityContext: {capabilities: {drop: [%q]}}"), "drop[0]"},
	"EmptyDir.Medium":           {inDeployment("volumes: [{name: a, emptyDir: {medium: %q}}]"), "medium"},
	"Pod.RestartPolicy":         {inBlock("pods: [{image: a, restartPolicy: %q}]"), "restartPolicy"},
	"CronJob.ConcurrencyPolicy": {inBlock(`cronJobs: [{image: a, schedule: "* * * * *", concurrencyPolicy: %q}]`), "concurrencyPolicy"},
	"Service.Type":              {inBlock("services: [{port: 1, type: %q}]"), "type"},
	"Service.Protocol":          {inBlock("services: [{port: 1, protocol: %q}]"), "protocol"},
	"Ingress.PathType":          {inBlock("ingresses: [{pathType: %q}]"), "pathType"},

	"PersistentVolume.AccessModes":      {inBlock("persistentVolumes: [{accessModes: [%q]}]"), "accessModes[0]"},
	"PersistentVolume.ReclaimPolicy":    {inBlock("persistentVolumes: [{reclaimPolicy: %q}]"), "reclaimPolicy"},
	"PersistentVolumeClaim.AccessModes": {inBlock("persistentVolumeClaims: [{accessModes: [%q]}]"), "accessModes[0]"},
	"PersistentVolumeClaim.VolumeMode":  {inBlock("persistentVolumeClaims: [{volumeMode: %q}]"), "volumeMode"},
	"VolumeClaimTemplate.AccessModes": {
		inBlock("statefulSets: [{image: a, volumeClaimTemplates: [{name: a, storageSize: 1, accessModes: [%q]}]}]"), "accessModes[0]",
	},
	"LimitRangeItem.Type": {inBlock("limitRanges: [{limits: [{type: %q}]}]"), "type"},
	"Subject.Kind":        {inBlock("roleBindings: [{subjects: [{name: a, kind: %q}]}]"), "kind"},
}

func inBlock(text string) string { return "operatorBox: {onReconcile: {" + text + "}}" }

func inDeployment(text string) string { return inBlock("deployments: [{image: a, " + text + "}]") }

// The loader takes the words that an editor suggests, and knows no others.
func TestVocabularies(t *testing.T) {
	words := vocabularies()
	for key, use := range uses {
		t.Run(key, func(t *testing.T) {
			known, ok := words[key]
			if !ok {
				t.Fatal("the field has no vocabulary")
			}
			for _, word := range known.words {
				if said := says(t, use.text, use.at, word); said != "" {
					t.Errorf("the loader refuses %q: %s", word, said)
				}
				if lower := strings.ToLower(word); known.anyCase && says(t, use.text, use.at, lower) != "" {
					t.Errorf("the loader refuses %q, which the schema takes", lower)
				}
			}
			said := says(t, use.text, use.at, "nonsense")
			if said == "" {
				t.Fatal("the loader takes any word: the vocabulary must be open")
			}
			_, list, _ := strings.Cut(said, "valid: ")
			list, _, _ = strings.Cut(list, ")")
			for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
				if !slices.Contains(known.words, word) {
					t.Errorf("the loader knows %q, the vocabulary does not: %s", word, said)
				}
			}
		})
	}
}

// says is what the loader has to say of the word in a part of a CRD, without what else may be wrong there. It says nothing of what
// it does not support yet: then there is nothing to test.
func says(t *testing.T, text, at, word string) string {
	t.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	check := func(document *katalog.Document) (errs, warnings field.ErrorList) {
		_, found := box.CompileKatalog(document.Katalog, box.Options{Registry: registry})
		return found.Errors, nil
	}
	file := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: a}\nspec:\n  crds:\n    a:\n" +
		"      apiTypes: {group: example.com, version: v1, kind: A}\n      " + fmt.Sprintf(text, word) + "\n"
	_, err = katalog.Parse(katalog.Options{Check: check}, "a.yaml", []byte(file))
	findings, ok := errors.AsType[katalog.Findings](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	for _, one := range findings {
		switch {
		case one.Message == "not supported yet":
			t.Skip(one)
		case strings.HasSuffix(one.Path, "."+at):
			return one.String()
		}
	}
	return ""
}

// Every vocabulary is that of a field, and leaves room for a template where one is rendered.
func TestVocabularyFields(t *testing.T) {
	fields := map[string]reflect.Type{}
	seen := map[reflect.Type]bool{}
	for _, root := range kinds {
		walk(root, seen, func(owner reflect.Type) {
			if owner.Kind() == reflect.Struct {
				for f := range owner.Fields() {
					fields[owner.Name()+"."+f.Name] = f.Type
				}
			}
		})
	}
	for key, words := range vocabularies() {
		if unique := slices.Compact(slices.Sorted(slices.Values(words.words))); len(unique) != len(words.words) || len(unique) == 0 {
			t.Errorf("%s has no words, or one twice: %v", key, words.words)
		}
		held, ok := fields[key]
		if !ok {
			t.Errorf("there is no field %s", key)
			continue
		}
		if held.Kind() == reflect.Slice {
			held = held.Elem()
		}
		if held.Kind() != reflect.String || held.Implements(typeEnum) {
			t.Errorf("%s is of the type %s, which is no text or knows its own words", key, held)
		}
		if rendered, refused := words.takes(t, held, "{{ .spec.a }}"), held != typeTemplate && !words.open; rendered == refused {
			t.Errorf("%s of the type %s takes a template: %t", key, held, rendered)
		}
	}
}

func TestVocabulary(t *testing.T) {
	template, plain := reflect.TypeFor[orkv1.Template](), reflect.TypeFor[string]()
	cases := map[string]struct {
		reason string
		words  vocabulary
		of     reflect.Type
		word   string
		want   bool
	}{
		"Word":         {"a word is valid", one("Pod", "Node"), plain, "Node", true},
		"OtherWord":    {"another one is not", one("Pod", "Node"), plain, "Nodes", false},
		"OtherCase":    {"nor is one in another case", one("Pod", "Node"), plain, "node", false},
		"Template":     {"a field that is rendered takes a template", one("Pod"), template, "{{ .spec.kind }}", true},
		"PartTemplate": {"a part of it may be text", one("Pod"), template, "Po{{ .spec.end }}", true},
		"NotRendered":  {"one that is not rendered takes none", one("Pod"), plain, "{{ .spec.kind }}", false},
		"Empty":        {"an empty text is as none in a field that is rendered", one("Pod"), template, "", true},
		"AnyCase":      {"some fields take any case", anyCase("Pod", "Huge-2"), plain, "huge-2", true},
		"AnyCaseOther": {"but no other word", anyCase("Pod", "Node"), plain, "podnode", false},
		"Open":         {"words of an open vocabulary are suggestions", open("Pod"), plain, "Nodes", true},
		"Element":      {"an element is a word", one("Pod", "Node"), reflect.TypeFor[[]string](), "Pod", true},
		"OtherElement": {"no other element is", one("Pod", "Node"), reflect.TypeFor[[]string](), "Pods", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.words.takes(t, tc.of, tc.word); got != tc.want {
				t.Errorf("%s: %q is valid: %t", tc.reason, tc.word, got)
			}
		})
	}
}

// takes validates a word, in a list where the type is one.
func (v vocabulary) takes(t *testing.T, of reflect.Type, word string) bool {
	t.Helper()
	data, err := json.Marshal(v.schema(of))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	var value any = word
	if of.Kind() == reflect.Slice {
		value = []any{word}
	}
	return len((&validator{}).validate(schema, value, "")) == 0
}
