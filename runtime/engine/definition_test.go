package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// crd is an established definition of Widgets.
func crd(change ...func(*apiextensionsv1.CustomResourceDefinition)) *apiextensionsv1.CustomResourceDefinition {
	c := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com", UID: "1", Generation: 1},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", Plural: "widgets"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1alpha1", Served: false},
				{
					Name: "v1", Served: true, Storage: true,
					Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				},
			},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue},
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
		}},
	}
	for _, apply := range change {
		apply(c)
	}
	return c
}

func TestDefined(t *testing.T) {
	type want struct {
		Resource  string
		HasStatus bool
		// Waits is why the definition is not to be used yet.
		Waits string
	}
	cases := map[string]struct {
		reason string
		change func(*apiextensionsv1.CustomResourceDefinition)
		kind   schema.GroupVersionKind
		want   want
	}{
		"Established": {
			reason: "an established definition that serves the version is used",
			kind:   widgetKind, want: want{Resource: "widgets", HasStatus: true},
		},
		"NoStatus": {
			reason: "without the subresource a status cannot be written",
			change: func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[1].Subresources = nil },
			kind:   widgetKind, want: want{Resource: "widgets"},
		},
		"ScaleOnly": {
			reason: "another subresource is no status",
			change: func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[1].Subresources.Status = nil },
			kind:   widgetKind, want: want{Resource: "widgets"},
		},
		"Deleting": {
			reason: "one that is being deleted serves those of its resources that wait for a finalizer",
			change: func(c *apiextensionsv1.CustomResourceDefinition) { c.DeletionTimestamp = new(metav1.Now()) },
			kind:   widgetKind, want: want{Resource: "widgets", HasStatus: true},
		},
		"NotEstablished": {
			reason: "one that is new is not served yet",
			change: func(c *apiextensionsv1.CustomResourceDefinition) {
				c.Status.Conditions[1].Status = apiextensionsv1.ConditionFalse
			},
			kind: widgetKind, want: want{Waits: "CRD widgets.example.com is not established yet"},
		},
		"NoConditions": {
			reason: "one that the server has not looked at yet has no conditions",
			change: func(c *apiextensionsv1.CustomResourceDefinition) { c.Status.Conditions = nil },
			kind:   widgetKind, want: want{Waits: "CRD widgets.example.com is not established yet"},
		},
		"OtherKind": {
			reason: "one of the plural may be of another kind",
			change: func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Names.Kind = "Gadget" },
			kind:   widgetKind, want: want{Waits: "CRD widgets.example.com is of kind Gadget, not Widget"},
		},
		"NotServed": {
			reason: "a version may be there and not served",
			kind:   schema.GroupVersionKind{Group: "example.com", Version: "v1alpha1", Kind: "Widget"},
			want:   want{Waits: "CRD widgets.example.com does not serve version v1alpha1"},
		},
		"NoVersion": {
			reason: "a version may not be there",
			kind:   schema.GroupVersionKind{Group: "example.com", Version: "v2", Kind: "Widget"},
			want:   want{Waits: "CRD widgets.example.com does not serve version v2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.change == nil {
				tc.change = func(*apiextensionsv1.CustomResourceDefinition) {}
			}
			d, err := defined(tc.kind, crd(tc.change))
			got := want{Resource: d.GroupVersionResource.Resource, HasStatus: d.HasStatus}
			if notReady, ok := errors.AsType[*notReadyError](err); ok {
				got.Waits = notReady.reason
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ndefined(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSame(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*apiextensionsv1.CustomResourceDefinition)
		want   bool
	}{
		"Untouched": {
			reason: "labels and status of a definition change nothing",
			change: func(c *apiextensionsv1.CustomResourceDefinition) {
				c.Labels, c.Status.StoredVersions = map[string]string{"a": "b"}, []string{"v1"}
			},
			want: true,
		},
		"Edited":   {reason: "an edit may change the schema", change: func(c *apiextensionsv1.CustomResourceDefinition) { c.Generation = 2 }},
		"MadeAnew": {reason: "another definition of the name may have another scope", change: func(c *apiextensionsv1.CustomResourceDefinition) { c.UID = "2" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, err := defined(widgetKind, crd())
			if err != nil {
				t.Fatal(err)
			}
			after, err := defined(widgetKind, crd(tc.change))
			if err != nil {
				t.Fatal(err)
			}
			if got := before.same(after); got != tc.want {
				t.Errorf("%s\nsame(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDefinitionName(t *testing.T) {
	cases := map[string]struct {
		reason string
		set    box.Set
		want   string
	}{
		"Declared": {reason: "the declared plural counts", set: box.Set{GVK: widgetKind, Plural: "widgetry"}, want: "widgetry.example.com"},
		"Guessed":  {reason: "without one it is the usual one", set: box.Set{GVK: widgetKind}, want: "widgets.example.com"},
		"Ies": {
			reason: "which follows the usual spelling", want: "proxies.example.com",
			set: box.Set{GVK: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Proxy"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (&entry{set: &tc.set}).definitionName(); got != tc.want {
				t.Errorf("%s\ndefinitionName() = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
