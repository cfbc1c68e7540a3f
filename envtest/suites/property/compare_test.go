package property_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/difference"
	"github.com/orkestra-runtime/orkestra/runtime/simulate"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// settle waits until the operator is at rest and there is what a simulation says.
func (w *world) settle() {
	w.t.Helper()
	w.run()
	gomega.NewWithT(w.t).Eventually(func() []string {
		ctx, cancel := context.WithTimeout(w.t.Context(), longest)
		defer cancel()
		if err := w.operator.Settle(ctx); err != nil {
			w.failf("%v\n%s", err, w.saying())
		}
		return w.compare()
	}).WithTimeout(longest).WithPolling(100*time.Millisecond).Should(gomega.BeEmpty(), func() string {
		return w.story(fmt.Sprintf("There is not what is simulated by the Katalog %s.\n%s", w.version, w.saying()))
	})
	w.taken = append(w.taken, "- as simulated -")
}

// saying is what the resources say of themselves.
func (w *world) saying() string {
	var b strings.Builder
	for _, called := range slices.Sorted(maps.Keys(w.specs)) {
		if live := w.read(shop(called)); live != nil {
			fmt.Fprintf(&b, "%s: spec %s\n  status %s\n", called, text(live.Object["spec"]), text(live.Object["status"]))
		}
	}
	return b.String()
}

// costNothing has every resource looked at once more. It is asked again when an object has changed meanwhile, by a controller.
func (w *world) costNothing() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), longest)
	defer cancel()
	for {
		before := w.versionsOf()
		w.operator.Take()
		cycles := w.operator.Cycles()
		for called := range w.specs {
			w.patch(shop(called), map[string]any{"metadata": map[string]any{
				"annotations": map[string]any{"example.com/touched": time.Now().Format(time.RFC3339Nano)},
			}})
		}
		if len(w.specs) > 0 {
			if err := w.operator.AwaitCycle(ctx, cycles+len(w.specs)-1); err != nil {
				w.failf("%v", err)
			}
		}
		asked := w.operator.Take()
		if len(asked) == 0 {
			return
		}
		if after := w.versionsOf(); maps.Equal(before, after) || ctx.Err() != nil {
			w.failf("another look costs requests with the Katalog %s: %q\n%s", w.version, asked, w.saying())
		}
	}
}

// versionsOf are the resource versions of all children.
func (w *world) versionsOf() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for name, child := range w.children() {
		all[name] = child.GetResourceVersion()
	}
	return all
}

// children are all objects that carry the label of an owner.
func (w *world) children() map[string]*unstructured.Unstructured {
	w.t.Helper()
	all := map[string]*unstructured.Unstructured{}
	kinds := []schema.GroupVersionKind{partKind}
	for _, kind := range builtin.Kinds() {
		if !kind.GVK.Empty() {
			kinds = append(kinds, kind.GVK)
		}
	}
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		if err := w.List(w.t.Context(), list, client.HasLabels{orkv1.LabelOwner}); err != nil {
			w.failf("list %s: %v", kind.Kind, err)
		}
		for i := range list.Items {
			all[difference.Identity(&list.Items[i])] = &list.Items[i]
		}
	}
	return all
}

// compare tells how the cluster differs from a simulation.
func (w *world) compare() []string {
	w.t.Helper()
	there, resources := w.children(), w.resources()
	var found []string
	for called, live := range resources {
		if w.specs[called] == nil || live.GetDeletionTimestamp() != nil {
			found = append(found, called+" is still there")
		}
	}
	for called := range w.specs {
		if resources[called] == nil {
			found = append(found, called+" is not there")
		}
	}
	for name, child := range there {
		switch {
		case child.GetDeletionTimestamp() != nil:
			found = append(found, name+" is on its way out")
		case child.GetLabels()[orkv1.LabelManagedBy] != orkv1.ManagedByValue:
			found = append(found, name+" has not got the label of the operator back")
		case metav1.GetControllerOf(child) == nil && child.GetNamespace() != "" && !slices.Contains(targets, child.GetNamespace()):
			found = append(found, name+" has no owner reference")
		case w.foreign[child.GetUID()] && child.GetAnnotations()["example.com/foreign"] == "":
			found = append(found, name+" has lost a foreign field")
		}
	}
	for _, one := range w.bystanders {
		if live := w.read(one); live == nil || live.GetResourceVersion() != one.GetResourceVersion() {
			found = append(found, difference.Identity(one)+" of nobody was touched")
		}
	}
	if len(found) > 0 {
		return found
	}
	if len(w.specs) == 0 {
		for name := range there {
			found = append(found, name+" is left")
		}
		return found
	}
	return append(w.compareObserved(there, resources), w.compareFresh(there, resources)...)
}

// resources are those that there are, by namespace/name.
func (w *world) resources() map[string]*unstructured.Unstructured {
	w.t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(shopKind)
	if err := w.List(w.t.Context(), list); err != nil {
		w.failf("list resources: %v", err)
	}
	all := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		all[key(&list.Items[i])] = &list.Items[i]
	}
	return all
}

// simulate simulates the resources with the children.
func (w *world) simulate(resources, children map[string]*unstructured.Unstructured) *simulate.Result {
	w.t.Helper()
	parts, err := readPartDefinition()
	if err != nil {
		w.failf("%v", err)
	}
	opts := simulate.Options{
		Katalogs: []*katalog.Document{w.katalogs[w.version]}, Objects: []*unstructured.Unstructured{parts}, Define: crdschema.New,
	}
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		one := resources[name].DeepCopy()
		delete(one.Object, "status")
		one.SetManagedFields(nil)
		opts.Objects = append(opts.Objects, one)
		if squatted := w.read(unowned(one.GetNamespace(), one.GetName())); squatted != nil && squatted.GetLabels()[orkv1.LabelOwner] == "" {
			opts.Objects = append(opts.Objects, squatted)
		}
	}
	if copied := w.read(source()); copied != nil {
		opts.Objects = append(opts.Objects, copied)
	}
	for _, name := range slices.Sorted(maps.Keys(children)) {
		child := children[name].DeepCopy()
		child.SetManagedFields(nil)
		opts.Children = append(opts.Children, child)
	}
	result, err := simulate.Run(w.t.Context(), opts)
	if err != nil {
		w.failf("simulate: %v", err)
	}
	return result
}

// compareObserved compares with a simulation that begins with the children that there are: it comes to the same ones, as they are.
func (w *world) compareObserved(there, resources map[string]*unstructured.Unstructured) (found []string) {
	w.t.Helper()
	simulated := map[string]bool{}
	for _, one := range w.simulate(resources, there).Resources {
		for _, child := range one.Children {
			if child.GetLabels()[orkv1.LabelOwner] == "" { // somebody else's, which is left
				continue
			}
			name := difference.Identity(child)
			simulated[name] = true
			live := there[name]
			if live == nil {
				found = append(found, name+" is simulated, and not there")
				continue
			}
			delete(child.Object, "status")
			for _, lacks := range difference.Lacking(child.Object, live.Object) {
				found = append(found, name+": "+lacks)
			}
		}
		found = append(found, compareStatus(one, resources)...)
	}
	for name := range there {
		if !simulated[name] {
			found = append(found, name+" is there, and not simulated")
		}
	}
	return found
}

// compareStatus compares the fields of the status, and what the condition Ready says.
func compareStatus(one simulate.Outcome, resources map[string]*unstructured.Unstructured) (found []string) {
	called := one.Namespace + "/" + one.Name
	if one.Resource == nil {
		return []string{fmt.Sprintf("%s is not simulated: %v", called, one.Errors)}
	}
	want, _ := one.Resource.Object["status"].(map[string]any)
	have, _ := resources[called].Object["status"].(map[string]any)
	say := func(object map[string]any) string {
		condition := status.Find(status.Conditions(object), orkv1.ConditionReady)
		if condition == nil {
			return "nothing"
		}
		return fmt.Sprintf("%s %s: %s", condition.Status, condition.Reason, condition.Message)
	}
	if a, b := say(one.Resource.Object), say(resources[called].Object); a != b {
		found = append(found, fmt.Sprintf("%s: Ready is %s, %s is simulated", called, b, a))
	}
	want = maps.Clone(want)
	for _, other := range []string{"conditions", "observedGeneration"} {
		delete(want, other)
	}
	for _, lacks := range difference.Lacking(want, have) {
		found = append(found, called+": status"+lacks)
	}
	return found
}

// compareFresh compares with a simulation that begins with nothing: what is kept as declared is the same whatever was before, and has
// nothing of an earlier declaration. A resource that is ready has no others.
func (w *world) compareFresh(there, resources map[string]*unstructured.Unstructured) (found []string) {
	w.t.Helper()
	if slices.Contains(looser, w.version) {
		return nil
	}
	ready := map[string]bool{} // by what children say of their owner
	for called, one := range resources {
		ready[shopKind.Kind+"."+shopKind.Group+"/"+called] = status.IsTrue(one, orkv1.ConditionReady)
	}
	fresh := map[string]*unstructured.Unstructured{}
	for _, one := range w.simulate(resources, nil).Resources {
		for _, child := range one.Children {
			fresh[difference.Identity(child)] = child
		}
	}
	for name, live := range there {
		want := fresh[name]
		if !w.keeps(live) {
			continue
		}
		if want == nil {
			if ready[live.GetAnnotations()[orkv1.AnnotationOwner]] {
				found = append(found, name+" is left")
			}
			continue
		}
		for _, fields := range [][]string{{"data"}, {"metadata", "labels"}, {"metadata", "annotations"}, {"spec", "size"}, {"spec", "items"}} {
			if !sameKeys(live, want, fields) {
				found = append(found, fmt.Sprintf("%s: %s is %s, and %s when it is made anew", name, strings.Join(fields, "."),
					text(fieldOf(live, fields)), text(fieldOf(want, fields))))
			}
		}
	}
	return found
}

// sameKeys tells whether a map of an object has the keys of another one's, but for those of others.
func sameKeys(live, want *unstructured.Unstructured, path []string) bool {
	have, isMap := fieldOf(live, path).(map[string]any)
	if !isMap {
		return live.GetKind() != partKind.Kind || equality.Semantic.DeepEqual(fieldOf(live, path), fieldOf(want, path))
	}
	wanted, _ := fieldOf(want, path).(map[string]any)
	for name := range have {
		_, declared := wanted[name]
		if !declared && !strings.Contains(name, "foreign") && !strings.Contains(name, "kubernetes.io/") && name != orkv1.AnnotationAppliedHash {
			return false
		}
	}
	return true
}

func fieldOf(object *unstructured.Unstructured, path []string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	return value
}

// keeps tells whether a child is kept as declared, and not only was so once.
func (w *world) keeps(child *unstructured.Unstructured) bool {
	return child.GetAnnotations()[orkv1.AnnotationAppliedHash] != "" && !slices.Contains(looser, w.version) &&
		(w.version == stricter || !strings.HasSuffix(child.GetName(), "-first"))
}
