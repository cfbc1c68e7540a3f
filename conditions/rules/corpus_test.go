package rules_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/corpus"
)

// TestExistingRules compiles rules that were written for real. They may use what is not supported yet, and notes of their
// Katalog, and nothing else may be wrong with them.
func TestExistingRules(t *testing.T) {
	dir := corpus.Root()
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("there is no corpus: %v", err)
	}
	found := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for document := range strings.SplitSeq(string(data), "\n---\n") {
			var content any
			if yaml.Unmarshal([]byte(document), &content) == nil {
				found += compileAll(t, path, content)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Errorf("no rules in %s", dir)
	}
}

// compileAll compiles the rules at any depth, and returns how many it found.
func compileAll(t *testing.T, path string, content any) int {
	t.Helper()
	found := 0
	switch v := content.(type) {
	case []any:
		for _, element := range v {
			found += compileAll(t, path, element)
		}
	case map[string]any:
		if list, ok := v["rules"].([]any); ok && isRules(list) {
			return compileRules(t, path, v)
		}
		if expressions, ok := v["normalize"].(map[string]any); ok {
			var n orkv1.Normalize
			read(t, path, expressions, &n)
			_, errs := rules.CompileNormalize(template.NewLanguage(nil, nil), &n, field.NewPath("normalize"))
			allow(t, path, errs)
			found++
		}
		for _, below := range v {
			found += compileAll(t, path, below)
		}
	}
	return found
}

func isRules(list []any) bool {
	first, ok := list[0].(map[string]any)
	return ok && first["field"] != nil
}

func compileRules(t *testing.T, path string, declared map[string]any) int {
	t.Helper()
	first := declared["rules"].([]any)[0].(map[string]any)
	_, isDefault := first["default"]
	_, isOverride := first["override"]
	if isDefault || isOverride {
		var m orkv1.Mutation
		read(t, path, declared, &m)
		_, errs := rules.CompileMutation(template.NewLanguage(nil, nil), &m, field.NewPath("mutation"))
		allow(t, path, errs)
		return len(m.Rules)
	}
	var v orkv1.Validation
	read(t, path, texts(declared), &v)
	_, errs := rules.CompileValidation(template.NewLanguage(nil, nil), &v, field.NewPath("validation"))
	allow(t, path, errs)
	return len(v.Rules)
}

// texts spells values and conditions as the loader of Katalogs does.
func texts(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = texts(v[i])
		}
	case map[string]any:
		if either, ok := v["anyOf"]; ok {
			v["or"] = either
			delete(v, "anyOf")
		}
		for key := range v {
			switch key {
			case "exists", "notExists", "negate", "fires":
			default:
				v[key] = texts(v[key])
			}
		}
	case bool, float64:
		return fmt.Sprint(v)
	}
	return value
}

func read(t *testing.T, path string, content, into any) {
	t.Helper()
	data, err := json.Marshal(content)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

func allow(t *testing.T, path string, errs field.ErrorList) {
	t.Helper()
	for _, err := range errs {
		if text := err.Error(); !strings.Contains(text, "not supported yet") && !strings.Contains(text, "unknown function") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
