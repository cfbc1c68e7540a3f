package args_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/runtime/args"
)

var values = args.New(map[string]any{
	"text": "a", "number": int64(3), "float": 2.5, "yes": true, "written": "7", "said": "true", "list": []any{"a"},
	"tls": map[string]any{"secret": "s", "deep": map[string]any{"days": int64(9)}},
})

func TestAccessors(t *testing.T) {
	type read struct {
		String string
		Int    int
		Bool   bool
	}
	cases := map[string]struct {
		reason string
		want   read
	}{
		"text":    {reason: "text that is no number", want: read{String: "a"}},
		"number":  {reason: "a number is text as well", want: read{String: "3", Int: 3}},
		"float":   {reason: "no whole number", want: read{String: "2.5"}},
		"yes":     {reason: "a bool is text as well", want: read{String: "true", Bool: true}},
		"written": {reason: "a template may give a number as text", want: read{String: "7", Int: 7}},
		"said":    {reason: "a template may give a bool as text", want: read{String: "true", Bool: true}},
		"list":    {reason: "a list is none of them"},
		"absent":  {reason: "what is absent has the zero value"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := read{values.String(name), values.Int(name), values.Bool(name)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	if got := values.Sub("tls").Sub("deep").Int("days"); got != 9 {
		t.Errorf("a nested argument is %d, want 9", got)
	}
	if none := values.Sub("absent").Sub("text"); none.Has("text") || none.String("text") != "" || len(none.Names()) != 0 {
		t.Errorf("what is below an absent argument is %v, want none", none)
	}
}

func TestBind(t *testing.T) {
	type config struct {
		Number int    `json:"number"`
		Kept   string `json:"kept"`
		TLS    struct {
			Secret string `json:"secret"`
		} `json:"tls"`
	}
	cases := map[string]struct {
		reason string
		args   map[string]any
		into   any
		want   string
	}{
		"Fits":     {reason: "absent arguments leave defaults", args: map[string]any{"number": int64(3), "tls": map[string]any{"secret": "s"}}, into: &config{}},
		"Nothing":  {reason: "no arguments at all", into: &config{}},
		"Unknown":  {reason: "a misspelt argument must not be left out silently", args: map[string]any{"numbr": int64(3)}, into: &config{}, want: `unknown field "numbr"`},
		"Type":     {reason: "both types are told, and the place", args: map[string]any{"tls": map[string]any{"secret": int64(1)}}, into: &config{}, want: "tls.secret is a number in the Katalog, and string in the program"},
		"NoStruct": {reason: "a mistake of the program", args: map[string]any{}, into: config{}, want: "want a pointer to a struct, got args_test.config"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if into, ok := tc.into.(*config); ok {
				into.Kept = "default"
			}
			err := args.New(tc.args).Bind(tc.into)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nBind(...) = %v, want %q", tc.reason, err, tc.want)
			}
			if into, ok := tc.into.(*config); ok && err == nil && into.Kept != "default" {
				t.Errorf("\n%s\nBind(...) changes what is absent to %q", tc.reason, into.Kept)
			}
		})
	}
}

// A constructor is called once; its args are rendered for one resource after the other, typed or not.
func TestFor(t *testing.T) {
	unrendered := args.Unrendered(map[string]any{"name": "{{ .metadata.name }}"}, func(resource *unstructured.Unstructured) (map[string]any, error) {
		if resource.GetName() == "bad" {
			return nil, errors.New("no")
		}
		return map[string]any{"name": resource.GetName()}, nil
	})
	if got := unrendered.String("name"); got != "{{ .metadata.name }}" {
		t.Errorf("before there is a resource the argument is %q, want the template", got)
	}
	typed := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	rendered, err := unrendered.For(typed)
	if err != nil || rendered.String("name") != "a" {
		t.Errorf("For(a) = %q, %v; want a", rendered.String("name"), err)
	}
	if again, err := rendered.For(&metav1.PartialObjectMetadata{}); err != nil || again.String("name") != "a" {
		t.Errorf("what is rendered becomes %q, %v; want it to stay", again.String("name"), err)
	}
	typed.Name = "bad"
	if _, err := unrendered.For(typed); err == nil {
		t.Error("an error of a template is lost")
	}
}
