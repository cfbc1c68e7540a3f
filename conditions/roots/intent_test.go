package roots_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

func TestIntent(t *testing.T) {
	cases := map[string]struct {
		reason, key, text string
		want              map[string]any
	}{
		"Sent":   {reason: "numbers stay numbers", key: orkv1.AnnotationServeIntent, text: `{"size": 3, "tags": ["a"]}`, want: map[string]any{"size": int64(3), "tags": []any{"a"}}},
		"Legacy": {reason: "by the older domain", key: orkv1.LegacyDomain + "serve-intent", text: `{"size": "s"}`, want: map[string]any{"size": "s"}},
		"None":   {reason: "a resource that somebody applied"},
		"Broken": {reason: "what nobody can read", key: orkv1.AnnotationServeIntent, text: `{"size"`},
		"NoMap":  {reason: "an intent is a map", key: orkv1.AnnotationServeIntent, text: `[1]`},
		"Null":   {reason: "nothing was sent", key: orkv1.AnnotationServeIntent, text: `null`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			if tc.key != "" {
				object.SetAnnotations(map[string]string{tc.key: tc.text})
			}
			got := roots.Of(object)
			for _, root := range []string{"request", "intent"} {
				intent, _ := got[root].(map[string]any)
				if diff := cmp.Diff(tc.want, intent); diff != "" {
					t.Errorf("\n%s\n.%s: -want, +got:\n%s", tc.reason, root, diff)
				}
			}
		})
	}
}
