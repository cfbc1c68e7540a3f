package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

func blog() controllers.Owner {
	return controllers.Owner{
		GVK: schema.GroupVersionKind{Group: "web.example.com", Version: "v1", Kind: "Website"}, Namespace: "shop", Name: "blog", UID: "u1",
	}
}

func ref(kind, name string, uid types.UID) *metav1.OwnerReference {
	return &metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: name, UID: uid, Controller: new(true)}
}

func TestOwnership(t *testing.T) {
	target := blog()
	target.Target = "canary"
	elsewhere := blog()
	elsewhere.Namespace = "other"
	cases := map[string]struct {
		reason     string
		controller *metav1.OwnerReference
		label      string
		annotation string
		want       held
	}{
		"Ours":         {reason: "reference and label", controller: ref("Website", "blog", "u1"), label: blog().Hash(), want: held{ours: true}},
		"LabelLost":    {reason: "the reference is enough", controller: ref("Website", "blog", "u1"), want: held{ours: true}},
		"NoReference":  {reason: "in another namespace the label is enough", label: blog().Hash(), want: held{ours: true}},
		"Nobody":       {reason: "neither", want: held{}},
		"Other":        {reason: "only one object can be the controller", controller: ref("Pod", "p", "u2"), label: blog().Hash(), want: held{other: "Pod p"}},
		"OldOwner":     {reason: "a resource of the same name that was deleted", controller: ref("Website", "blog", "u0"), label: blog().Hash(), want: held{other: "Website blog"}},
		"OtherTarget":  {reason: "it changes hands", controller: ref("Website", "blog", "u1"), label: target.Hash(), want: held{}},
		"OtherTarget2": {reason: "it changes hands, also without a reference", label: target.Hash(), annotation: target.Annotation(), want: held{}},
		"OtherLabel":   {reason: "the annotation says whose it is", label: elsewhere.Hash(), annotation: elsewhere.Annotation(), want: held{other: "Website.web.example.com/other/blog"}},
		"NoAnnotation": {reason: "a label alone says that it is not ours", label: "x", want: held{other: "another resource"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			if tc.controller != nil {
				object.SetOwnerReferences([]metav1.OwnerReference{*tc.controller})
			}
			if tc.label != "" {
				object.SetLabels(map[string]string{orkv1.LabelOwner: tc.label})
			}
			if tc.annotation != "" {
				object.SetAnnotations(map[string]string{orkv1.AnnotationOwner: tc.annotation})
			}
			if diff := cmp.Diff(tc.want, ownership(blog(), object), cmp.AllowUnexported(held{})); diff != "" {
				t.Errorf("\n%s\nownership(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestIsStranger(t *testing.T) {
	cases := map[string]struct {
		reason, namespace, annotation string
		want                          bool
	}{
		"Wide":       {reason: "a Namespace that was there before would go with the resource", want: true},
		"Namespaced": {reason: "one object, of the name that the resource wants", namespace: "shop"},
		"HandedOver": {reason: "somebody says whose it is, or it is that of another target", annotation: blog().Annotation()},
		"Others":     {reason: "said of another resource", annotation: "Website.web.example.com/shop/other", want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetNamespace(tc.namespace)
			if tc.annotation != "" {
				object.SetAnnotations(map[string]string{orkv1.AnnotationOwner: tc.annotation})
			}
			if got := isStranger(blog(), object); got != tc.want {
				t.Errorf("\n%s\nisStranger(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestIsImmutableMessage(t *testing.T) {
	cases := map[string]bool{
		"field is immutable": true,
		"updates to statefulset spec for fields other than 'replicas' are forbidden": true,
		"pod updates may not change fields other than `spec.containers[*].image`":    true,
		"cannot change roleRef":                true,
		`Invalid value: "x": must be a number`: false,
		"updates are fine":                     false,
	}
	for message, want := range cases {
		if got := isImmutableMessage(message); got != want {
			t.Errorf("isImmutableMessage(%q) = %t, want %t", message, got, want)
		}
	}
}
