package apply

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/controllers/children"
)

func TestDoubts(t *testing.T) {
	cases := map[string]struct {
		reason    string
		namespace string
		err       error
		seen      bool
		want      int
	}{
		"Lost":      {reason: "nobody knows what the server did", namespace: "away", err: errors.New("connection reset"), want: 1},
		"Failed":    {reason: "nor when it failed on the way", namespace: "away", err: apierrors.NewInternalError(errors.New("etcd")), want: 1},
		"Cluster":   {reason: "garbage collection does not reach what has no namespace", err: errors.New("connection reset"), want: 1},
		"Refused":   {reason: "the server says that it did nothing", namespace: "away", err: apierrors.NewForbidden(schema.GroupResource{}, "a", nil)},
		"Collected": {reason: "garbage collection takes it", namespace: "shop", err: errors.New("connection reset")},
		"Seen":      {reason: "memory shows it", namespace: "away", err: errors.New("connection reset"), seen: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetName("a")
			object.SetNamespace(tc.namespace)
			w := write{kind: &children.Kind{GVK: deploymentKind}, owner: blog(), desired: Desired{Object: object}}
			var d doubts
			d.note(w, fmt.Errorf("create: %w", tc.err))
			if tc.seen {
				d.dispel(w)
			}
			if got := len(d.of(blog().Hash())); got != tc.want {
				t.Errorf("\n%s\n%d in doubt, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDepthOf(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        int
		ok          bool
	}{
		"None":     {reason: "most children stand alone"},
		"Zero":     {reason: "the lowest has one", annotations: map[string]string{"orkestra.konductor.io/depth": "0"}, ok: true},
		"Deep":     {reason: "a whole number", annotations: map[string]string{"orkestra.konductor.io/depth": "12"}, want: 12, ok: true},
		"Nonsense": {reason: "what is no number is none", annotations: map[string]string{"orkestra.konductor.io/depth": "x"}},
		"Negative": {reason: "nothing is below the lowest", annotations: map[string]string{"orkestra.konductor.io/depth": "-1"}, want: -1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetAnnotations(tc.annotations)
			if got, ok := DepthOf(object); got != tc.want || ok != tc.ok {
				t.Errorf("\n%s\nDepthOf(...) = %d, %t, want %d, %t", tc.reason, got, ok, tc.want, tc.ok)
			}
		})
	}
}
