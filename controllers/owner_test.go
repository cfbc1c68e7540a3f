package controllers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/orkestra-runtime/orkestra/controllers"
)

func website() controllers.Owner {
	return controllers.Owner{
		GVK:       schema.GroupVersionKind{Group: "web.example.com", Version: "v1", Kind: "Website"},
		Namespace: "shop", Name: "blog", UID: "uid", Target: "blue",
	}
}

func TestReference(t *testing.T) {
	want := metav1.OwnerReference{
		APIVersion: "web.example.com/v1", Kind: "Website", Name: "blog", UID: "uid",
		Controller: new(true), BlockOwnerDeletion: new(true),
	}
	if diff := cmp.Diff(want, website().Reference()); diff != "" {
		t.Errorf("Reference(): -want, +got:\n%s", diff)
	}
}

func TestHash(t *testing.T) {
	cases := map[string]struct {
		reason       string
		change       func(*controllers.Owner)
		sameHash     bool
		sameResource bool
	}{
		"Nothing":   {reason: "a hash is stable", change: func(*controllers.Owner) {}, sameHash: true, sameResource: true},
		"Version":   {reason: "all versions are one resource", change: func(o *controllers.Owner) { o.GVK.Version = "v2" }, sameHash: true, sameResource: true},
		"UID":       {reason: "a restored resource finds its children", change: func(o *controllers.Owner) { o.UID = "" }, sameHash: true, sameResource: true},
		"Target":    {reason: "children of targets are apart, Services span them", change: func(o *controllers.Owner) { o.Target = "" }, sameResource: true},
		"Name":      {reason: "resources are apart", change: func(o *controllers.Owner) { o.Name = "wiki" }},
		"Namespace": {reason: "also of equal names", change: func(o *controllers.Owner) { o.Namespace = "" }},
		"Group":     {reason: "also of equal kinds", change: func(o *controllers.Owner) { o.GVK.Group = "" }},
		"Kind":      {reason: "kinds are apart", change: func(o *controllers.Owner) { o.GVK.Kind = "Wiki" }},
		"Shift":     {reason: "parts can't run into each other", change: func(o *controllers.Owner) { o.Namespace, o.Name = "shopb", "log" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			changed := website()
			tc.change(&changed)
			if same := changed.Hash() == website().Hash(); same != tc.sameHash {
				t.Errorf("\n%s\nHash() is the same: %t, want %t", tc.reason, same, tc.sameHash)
			}
			if same := changed.ResourceHash() == website().ResourceHash(); same != tc.sameResource {
				t.Errorf("\n%s\nResourceHash() is the same: %t, want %t", tc.reason, same, tc.sameResource)
			}
			if msgs := validation.IsValidLabelValue(changed.Hash()); len(changed.Hash()) != 20 || len(msgs) > 0 {
				t.Errorf("Hash() = %q is no label value of 20 digits: %v", changed.Hash(), msgs)
			}
		})
	}
}

func TestParseOwner(t *testing.T) {
	type want struct {
		kind schema.GroupKind
		name types.NamespacedName
		fail bool
	}
	core := controllers.Owner{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: "shop"}
	cases := map[string]struct {
		reason string
		in     string
		want   want
	}{
		"Namespaced": {
			reason: "what Annotation writes is read back", in: website().Annotation(),
			want: want{kind: schema.GroupKind{Group: "web.example.com", Kind: "Website"}, name: types.NamespacedName{Namespace: "shop", Name: "blog"}},
		},
		"ClusterScopedCore": {
			reason: "without group and namespace too", in: core.Annotation(),
			want: want{kind: schema.GroupKind{Kind: "Namespace"}, name: types.NamespacedName{Name: "shop"}},
		},
		"Empty":     {reason: "nothing is no owner", in: "", want: want{fail: true}},
		"TwoParts":  {reason: "a cluster-scoped owner has an empty namespace", in: "Website.web.example.com/blog", want: want{fail: true}},
		"FourParts": {reason: "names have no slash", in: "A.b/c/d/e", want: want{fail: true}},
		"NoName":    {reason: "an owner has a name", in: "A.b/c/", want: want{fail: true}},
		"NoKind":    {reason: "an owner has a kind", in: "/c/d", want: want{fail: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind, key, err := controllers.ParseOwner(tc.in)
			got := want{kind: kind, name: key, fail: err != nil}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nParseOwner(%q): -want, +got:\n%s", tc.reason, tc.in, diff)
			}
		})
	}
	if got, want := core.Annotation(), "Namespace//shop"; got != want {
		t.Errorf("Annotation() = %q, want %q", got, want)
	}
}

func FuzzParseOwner(f *testing.F) {
	f.Add("Website.web.example.com/shop/blog")
	f.Add("Namespace//shop")
	f.Add("//")
	f.Fuzz(func(t *testing.T, text string) {
		kind, key, err := controllers.ParseOwner(text)
		if err != nil {
			return
		}
		owner := controllers.Owner{GVK: kind.WithVersion("v1"), Namespace: key.Namespace, Name: key.Name}
		again, sameKey, err := controllers.ParseOwner(owner.Annotation())
		if err != nil || again != kind || sameKey != key {
			t.Errorf("%q reads as %v %v, which reads as %v %v (%v)", text, kind, key, again, sameKey, err)
		}
	})
}

func TestLabelValue(t *testing.T) {
	a53 := strings.Repeat("a", 53)
	cases := map[string]struct{ reason, in, want string }{
		"Short":      {reason: "a name that fits stays", in: "blog", want: "blog"},
		"Longest":    {reason: "63 characters fit", in: a53 + "0123456789", want: a53 + "0123456789"},
		"Weakness53": {reason: "a longer one is cut and told apart by its hash", in: a53 + "01234567890", want: a53 + "0-d14cc125"},
		"CutDot":     {reason: "never behind a dot, which would be legal but ugly", in: a53 + ".1234567890", want: a53 + "-16a6b735"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := controllers.LabelValue(tc.in)
			if got != tc.want {
				t.Errorf("\n%s\nLabelValue(%q) = %q, want %q", tc.reason, tc.in, got, tc.want)
			}
			if msgs := validation.IsValidLabelValue(got); len(msgs) > 0 {
				t.Errorf("LabelValue(%q) = %q is no label value: %v", tc.in, got, msgs)
			}
		})
	}
}
