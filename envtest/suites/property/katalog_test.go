package property_test

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

// looser are the versions in which something is created once that was kept as declared: what was made stays as it is.
var looser = []string{looserEntry, looserBlock}

const (
	// stricter is the version in which something is kept as declared that is created once in all others: the ConfigMap <resource>-first.
	stricter    = "with an entry that is created once no more"
	looserEntry = "with an entry that is now created once"
	looserBlock = "with all of onReconcile in onCreate"
	katalogFile = "testdata/katalog.yaml"
)

// versions are the Katalog and what may become of it. A version is a change of the box.
var versions = map[string]func(box map[string]any){
	"as it is": func(map[string]any) {},
	"without an entry of a list that has others": func(box map[string]any) {
		lists := block(box, "onReconcile")
		lists["configMaps"] = without(lists["configMaps"], 3) // far
	},
	"without a list": func(box map[string]any) {
		delete(block(box, "onReconcile"), "clusterRoles")
		delete(block(box, "onReconcile"), "serviceAccounts")
	},
	"with an entry by another name": func(box map[string]any) {
		rename(block(box, "onReconcile")["secrets"], 0, "{{ .metadata.name }}-renamed")
		rename(block(box, "onReconcile")["configMaps"], 0, "{{ .metadata.name }}-red")
	},
	stricter:    func(box map[string]any) { move(box, "onCreate", "onReconcile", 0) },
	looserEntry: func(box map[string]any) { move(box, "onReconcile", "onCreate", 2) },
	looserBlock: func(box map[string]any) {
		for name := range block(box, "onReconcile") {
			if name != "when" && name != "custom" { // what depends on each other stays together
				list, _ := block(box, "onReconcile")[name].([]any)
				kept := list[:0:0]
				for _, entry := range list {
					if entry.(map[string]any)["dependsOn"] != nil {
						kept = append(kept, entry)
					} else {
						add(box, "onCreate", name, entry)
					}
				}
				block(box, "onReconcile")[name] = kept
			}
		}
	},
	"with other fields": func(box map[string]any) {
		lists := block(box, "onReconcile")
		for _, name := range []string{"configMaps", "secrets"} {
			list, _ := lists[name].([]any)
			for _, entry := range list {
				fields, _ := entry.(map[string]any)
				if data, ok := fields["data"].(map[string]any); ok {
					delete(data, "size")
					data["another"] = "{{ .spec.text }}"
				}
				fields["labels"] = map[string]any{"version": "other"}
			}
		}
		deployment, _ := lists["deployments"].([]any)[0].(map[string]any)
		delete(deployment, "env")
		delete(deployment, "resources")
	},
	"without onDelete and dependsOn": func(box map[string]any) {
		delete(box, "onDelete")
		list, _ := block(box, "onReconcile")["configMaps"].([]any)
		for _, entry := range list {
			delete(entry.(map[string]any), "dependsOn")
		}
	},
	"without onReconcile": func(box map[string]any) {
		delete(box, "onReconcile")
		fields, _ := block(box, "status")["fields"].([]any)
		block(box, "status")["fields"] = without(fields, 2) // reads the Part
	},
}

func block(box map[string]any, name string) map[string]any {
	lists, _ := box[name].(map[string]any)
	return lists
}

func without(list any, at int) []any {
	entries, _ := list.([]any)
	return append(append([]any{}, entries[:at]...), entries[at+1:]...)
}

func rename(list any, at int, name string) { list.([]any)[at].(map[string]any)["name"] = name }

// move moves a ConfigMap from one block to another.
func move(box map[string]any, from, to string, at int) {
	entry := block(box, from)["configMaps"].([]any)[at]
	block(box, from)["configMaps"] = without(block(box, from)["configMaps"], at)
	add(box, to, "configMaps", entry)
}

func add(box map[string]any, to, list string, entry any) {
	entries, _ := block(box, to)[list].([]any)
	block(box, to)[list] = append(append([]any{}, entries...), entry)
}

// readVersions reads the Katalog, and makes all its versions.
func readVersions(t *testing.T) map[string]*katalog.Document {
	t.Helper()
	text, err := os.ReadFile(katalogFile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*katalog.Document{}
	for name, change := range versions {
		var content map[string]any
		if err := yaml.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		box, _, err := unstructured.NestedFieldNoCopy(content, "spec", "crds", "shop", "operatorBox")
		if err != nil {
			t.Fatal(err)
		}
		change(box.(map[string]any))
		changed, err := yaml.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		result, err := katalog.Parse(katalog.Options{}, katalogFile, changed)
		if err != nil {
			t.Fatalf("the Katalog %s: %v", name, err)
		}
		all[name] = result.Documents[0]
	}
	return all
}

// readPartDefinition reads the definition of a kind of children.
func readPartDefinition() (*unstructured.Unstructured, error) {
	text, err := os.ReadFile("testdata/part.yaml")
	if err != nil {
		return nil, err
	}
	definition := &unstructured.Unstructured{}
	return definition, yaml.Unmarshal(text, &definition.Object)
}
