package controllers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestObjects(t *testing.T) {
	clusterWide := kindtest.Owner()
	clusterWide.Namespace = ""
	cases := map[string]struct {
		reason   string
		owner    controllers.Owner
		identity controllers.Identity
		want     []string
		err      string
	}{
		"Own":       {reason: "without targets there is one", owner: kindtest.Owner(), identity: controllers.Identity{Name: "a"}, want: []string{"shop/a"}},
		"Default":   {reason: "with the name of the kind", owner: kindtest.Owner(), want: []string{"shop/blog-secret"}},
		"Targets":   {reason: "its own namespace first, each once", owner: kindtest.Owner(), identity: controllers.Identity{Name: "a", ToNamespaces: []orkv1.Template{"x", "shop", "x", ""}}, want: []string{"shop/a", "x/a"}},
		"Declared":  {reason: "its own is the declared one", owner: kindtest.Owner(), identity: controllers.Identity{Name: "a", Namespace: "y", ToNamespaces: []orkv1.Template{"x"}}, want: []string{"y/a", "x/a"}},
		"List":      {reason: "a template of a list renders to JSON", owner: kindtest.Owner(), identity: controllers.Identity{Name: "a", ToNamespaces: []orkv1.Template{`["x","y"]`, "z"}}, want: []string{"shop/a", "x/a", "y/a", "z/a"}},
		"Cluster":   {reason: "a cluster-scoped owner has no namespace", owner: clusterWide, identity: controllers.Identity{Name: "a", ToNamespaces: []orkv1.Template{"x"}}, want: []string{"x/a"}},
		"Nowhere":   {reason: "and needs one", owner: clusterWide, identity: controllers.Identity{Name: "a"}, err: `secrets[0].namespace: a namespace is required: Secret is namespaced, and its owner Website is cluster-scoped`},
		"Malformed": {reason: "a target is a namespace", owner: kindtest.Owner(), identity: controllers.Identity{Name: "a", ToNamespaces: []orkv1.Template{`["x","Y.z"]`}}, err: `secrets[0].toNamespaces[0]: "Y.z" is not a namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := kindtest.Declare(t, core.Secrets(), `{}`)
			objects, err := d.Objects(tc.owner, tc.identity)
			if message := text(err); message != tc.err {
				t.Fatalf("\n%s\nObjects(...): %s, want %s", tc.reason, message, tc.err)
			}
			var got []string
			for _, object := range objects {
				got = append(got, object.GetNamespace()+"/"+object.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nObjects(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCopy(t *testing.T) {
	d := kindtest.Declare(t, core.Secrets(), `{name: mine, fromSecret: theirs, fromNamespace: platform, labels: {tier: back}}`)
	source := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/basic-auth", "immutable": true,
		"metadata": map[string]any{"name": "theirs", "namespace": "platform", "labels": map[string]any{"theirs": "x"}},
		"data":     map[string]any{"a": "Yg=="},
	}}
	from, err := d.Source(kindtest.Owner(), d.Value)
	if want := (types.NamespacedName{Namespace: "platform", Name: "theirs"}); err != nil || from != want {
		t.Errorf("Source(...) = %v, %v, want %v", from, err, want)
	}
	copied, err := d.Build(kindtest.Owner(), d.Value, controllers.Seen{Source: source, Namespace: "other"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/basic-auth", "data": map[string]any{"a": "Yg=="},
		"metadata": map[string]any{
			"name": "mine", "namespace": "other",
			"labels": map[string]any{
				"tier": "back", orkv1.LabelApp: "blog", orkv1.LabelOwnerName: "blog", orkv1.LabelOwner: kindtest.Owner().Hash(), orkv1.LabelManagedBy: "orkestra",
			},
			"annotations": map[string]any{orkv1.AnnotationOwner: kindtest.Owner().Annotation()},
		},
	}
	if diff := cmp.Diff(want, copied.Object); diff != "" {
		t.Errorf("Build(...): -want, +got:\n%s", diff)
	}
	if err := unstructured.SetNestedField(copied.Object, "changed", "data", "a"); err != nil {
		t.Fatal(err)
	}
	if value, _, _ := unstructured.NestedString(source.Object, "data", "a"); value != "Yg==" {
		t.Error("a copy shares its data with the source")
	}
	if _, err := d.Build(kindtest.Owner(), d.Value, controllers.Seen{}); err == nil {
		t.Error("a copy of nothing is built")
	}
}
