package serve

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDenied shows what a caller is told of what the API server does not store.
func TestDenied(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"password": "s3cret!", "size": "x"}}}
	to := compiled(t, cache).censor(object)
	status := func(code int32, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Reason: reason, Message: message, Details: &metav1.StatusDetails{Causes: causes}}}
	}
	invalid := func(field, message string) metav1.StatusCause {
		return metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: field, Message: message}
	}
	const typed = `failed to create typed patch object (a/b; example.com/v1, Kind=Cache): `
	cases := map[string]struct {
		reason  string
		err     error
		code    int
		message string
		fields  []string
	}{
		"Open":   {"what is wrong with a field", status(422, metav1.StatusReasonInvalid, "all", invalid("spec.size", `Invalid value: "x"`)), 422, `Invalid value: "x"`, []string{"spec.size"}},
		"Hidden": {"nothing of one that nobody is to see", status(422, metav1.StatusReasonInvalid, "all", invalid("spec.password", `Invalid value: "s3cret!"`)), 422, errSensitive.Error(), []string{"spec.password"}},
		"Below":  {"nor of what is in it", status(422, metav1.StatusReasonInvalid, "all", invalid("spec.password[0].x", "wrong")), 422, errSensitive.Error(), []string{"spec.password[0].x"}},
		"Above":  {"nor of what it is in", status(422, metav1.StatusReasonInvalid, "all", invalid("spec", "wrong: {...}")), 422, errSensitive.Error(), []string{"spec"}},
		"Text":   {"nor in a message about anything", status(403, metav1.StatusReasonForbidden, "no s3cret! here"), 403, "no [redacted] here", nil},
		"Conflict": {"who holds a field is no value of it", status(409, metav1.StatusReasonConflict, "all", metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec.password", Message: `conflict with "jj"`,
		}), 409, `conflict with "jj"`, []string{"spec.password"}},
		"UntypedHidden": {"nor is one that nobody is to see told of", status(500, metav1.StatusReasonInternalError, typed+".spec.password: expected string, got &value.valueUnstructured{Value:1}"), 422, errSensitive.Error(), []string{"spec.password"}},
		"Untyped":       {"a field of another type is the caller's", status(500, metav1.StatusReasonInternalError, typed+".spec.size: expected numeric (int or float), got &value.valueUnstructured{Value:\"x\"}"), 422, "spec.size: expected numeric (int or float)", []string{"spec.size"}},
		"Unknown":       {"and so is one that is not there", status(500, metav1.StatusReasonInternalError, typed+"\n  .spec.a: field not declared in schema\n  .b: field not declared in schema"), 422, "spec.a: is not declared in the schema", []string{"spec.a", "b"}},
		"Internal":      {"all else is not", status(500, metav1.StatusReasonInternalError, "etcd"), 500, "etcd", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := denied(applied{}, to, tc.err)
			if err != nil {
				t.Fatal(err)
			}
			said := got.body.(applied)
			var fields []string
			for _, one := range said.Violations {
				fields = append(fields, one.Field)
			}
			if got.status != tc.code || said.Message != tc.message {
				t.Errorf("%s: %d %q, want %d %q", tc.reason, got.status, said.Message, tc.code, tc.message)
			}
			if diff := cmp.Diff(tc.fields, fields); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWishes(t *testing.T) {
	cases := map[string]struct {
		reason, query string
		want          wishes
		wrong         bool
	}{
		"None":     {"nothing is wished", "", wishes{}, false},
		"True":     {"each by its name", "dryRun=true&overwrite=true&override=true", wishes{true, true, true}, false},
		"Bare":     {"without a value", "dryRun", wishes{dryRun: true}, false},
		"All":      {"as the API server has it", "dryRun=All", wishes{dryRun: true}, false},
		"False":    {"what is not wished", "dryRun=false&override=0", wishes{}, false},
		"Misspelt": {"a dry run that would store", "dryrun=true", wishes{}, true},
		"Unclear":  {"neither yes nor no", "dryRun=maybe", wishes{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := wishesOf(&call{Request: &http.Request{URL: &url.URL{RawQuery: tc.query}}})
			if (err != nil) != tc.wrong || !tc.wrong && got != tc.want {
				t.Errorf("%s: %+v, %v", tc.reason, got, err)
			}
		})
	}
}

// What was not sent is not 0, false or an empty text.
func TestBlank(t *testing.T) {
	for _, kind := range []string{"integer", "number", "boolean"} {
		if err := set(&unstructured.Unstructured{Object: map[string]any{}}, []string{"a"}, " ", kind); err == nil {
			t.Errorf("an empty text is taken for a %s", kind)
		}
	}
	out, err := compiled(t, cache).Primary.translate(map[string]any{"name": "a", "team": "core", "size": nil})
	if err != nil {
		t.Fatal(err)
	}
	if _, found, _ := unstructured.NestedFieldNoCopy(out.object.Object, "spec", "storage"); found {
		t.Errorf("null makes %v", out.object.Object)
	}
}
