package engine

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestOwns(t *testing.T) {
	cases := map[string]struct {
		reason, namespace, owner string
		want                     bool
	}{
		"Everywhere":     {reason: "an entry without a namespace operates all", owner: "Website.example.com/shop/w", want: true},
		"Namespace":      {reason: "one with a namespace what is in it", namespace: "shop", owner: "Website.example.com/shop/w", want: true},
		"OtherNamespace": {reason: "and nothing else", namespace: "shop", owner: "Website.example.com/other/w"},
		"OtherKind":      {reason: "another kind is another entry's", owner: "Mail.example.com/shop/w"},
		"NoOwner":        {reason: "as is what says nothing"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &entry{set: &box.Set{
				GVK: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Website"}, Watch: box.Watch{Namespace: tc.namespace},
			}}
			child := &unstructured.Unstructured{}
			child.SetAnnotations(map[string]string{orkv1.AnnotationOwner: tc.owner})
			if got := e.owns(child); got != tc.want {
				t.Errorf("\n%s\nowns(child of %q) = %t, want %t", tc.reason, tc.owner, got, tc.want)
			}
		})
	}
}
