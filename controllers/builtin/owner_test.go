package builtin_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

// wide are declarations of kinds without a namespace, whose children are found by their label alone.
var wide = map[string]string{
	"namespaces":          `{name: a}`,
	"persistentVolumes":   `{name: a, capacity: 1Gi, hostPath: /a}`,
	"clusterRoles":        `{name: a, rules: [{resources: [pods], verbs: [get]}]}`,
	"clusterRoleBindings": `{name: a, roleRef: {name: a}, subjects: [{name: a}]}`,
}

// Children without a namespace of two resources that differ in nothing but their namespace have different owners, and the longest
// names still make labels.
func TestDefect46OwnerOfWideChildren(t *testing.T) {
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a", 62) + "." + strings.Repeat("b", 190)
	for key, declaration := range wide {
		t.Run(key, func(t *testing.T) {
			kind, ok := registry.Kind(key)
			if !ok {
				t.Fatal("there is no such kind")
			}
			owners := map[string]controllers.Owner{}
			for _, change := range []func(*controllers.Owner){
				func(*controllers.Owner) {},
				func(o *controllers.Owner) { o.Namespace = "other" },
				func(o *controllers.Owner) { o.Name = long },
				func(o *controllers.Owner) { o.Name = long + "c" },
			} {
				owner := kindtest.Owner()
				change(&owner)
				d := kindtest.Declare(t, kind, declaration)
				object, err := d.Build(owner, d.Value, controllers.Seen{})
				if err != nil {
					t.Fatal(err)
				}
				for label, value := range object.GetLabels() {
					if msgs := validation.IsValidLabelValue(value); len(msgs) > 0 {
						t.Errorf("label %s of a child of %s: %v", label, owner.Name, msgs)
					}
				}
				if object.GetNamespace() != "" || len(object.GetOwnerReferences()) > 0 {
					t.Errorf("the child is in namespace %q with the owners %v: want neither", object.GetNamespace(), object.GetOwnerReferences())
				}
				hash := object.GetLabels()[orkv1.LabelOwner]
				if other, taken := owners[hash]; taken {
					t.Errorf("%v and %v both own what is labelled %s", other, owner, hash)
				}
				owners[hash] = owner
			}
		})
	}
}
