package conversion_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
)

// FuzzConvert converts any spec, of which an empty text is none, with any text in the annotation that preserve writes: what is made has the
// types of the schema, is the same each time, and with preserve it comes back whole. The annotation makes nothing fail.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{
		`{"schedule":"5","size":"5","note":"7"}`, `{"size":"5Gi"}`, `{"size":1e3}`, `{"size":"1e3","note":5}`, `{"size":"99999999999999999999"}`,
		`{"plan":{"size":5,"paused":true},"note":null}`, `{"note":{"a":1}}`, `{"size":[1]}`, `{"size":" "}`, `{"schedule":""}`, `null`, `[]`, `5`, ``,
	} {
		for _, kept := range []string{
			``, `null`, `5`, `"a"`, `[1]`, `{`, `{}`, `{"plan":null}`, `{"plan":{"size":"big","paused":[]}}`, `{"size":"big","note":{}}`, `{"size":1e999}`,
			`{"schedule":"5","size":"5","note":null,"more":[null]}`, `{"plan":{"schedule":"5","size":5,"more":{"a":1}}}`,
		} {
			f.Add(seed, kept)
		}
	}
	plain, kept := compile(f, paths, schemas), compile(f, "preserve: true"+paths, schemas)
	f.Fuzz(func(t *testing.T, text, annotation string) {
		var spec any
		if text != "" && json.Unmarshal([]byte(text), &spec) != nil {
			t.Skip()
		}
		for from, to := range map[string]string{"v1": "v2", "v2": "v1"} {
			o := object(t, backup(from, "{}"))
			o.Object["spec"] = spec
			if text == "" {
				delete(o.Object, "spec")
			}
			once, err := plain.Convert(o, to)
			if err != nil {
				continue
			}
			fits(t, once)
			twice, err := plain.Convert(o, to)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(once.Object, twice.Object); diff != "" {
				t.Errorf("another time another result: -once, +twice:\n%s", diff)
			}
			// What is not of the version's types is nothing that the API server has, and need not come back.
			_, isMap := spec.(map[string]any)
			shape := schemas[from].Properties["spec"]
			if losses, err := kept.RoundTrip(o, to); isMap && (err != nil || len(losses) > 0 && conversion.Readable(o.Object["spec"], &shape)) {
				t.Errorf("with preserve: %v, %v", losses, err)
			}
			if _, err := kept.Convert(o, to); err != nil {
				continue
			}
			o.SetAnnotations(map[string]string{orkv1.AnnotationConversion + to: annotation})
			came, err := kept.Convert(o, to)
			if err != nil {
				t.Errorf("with %q as what is kept: %v", annotation, err)
				continue
			}
			fits(t, came)
		}
	})
}

// fits checks the types of what is made.
func fits(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	spec, _ := o.Object["spec"].(map[string]any)
	wants := func(value any, name string, fits bool) {
		if value != nil && !fits {
			t.Errorf("%s is %T", name, value)
		}
	}
	text := func(name string) {
		_, fits := spec[name].(string)
		wants(spec[name], name, fits)
	}
	text("note")
	if o.GroupVersionKind().Version == "v1" {
		text("schedule")
		text("size")
		return
	}
	plan, _ := spec["plan"].(map[string]any)
	_, whole := plan["size"].(int64)
	_, large := plan["size"].(float64) // a whole number that no integer holds
	wants(plan["size"], "size", whole || large)
	_, truth := plan["paused"].(bool)
	wants(plan["paused"], "paused", truth)
}
