package property_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// steps are taken at random, those more often that are there twice. Each tells what it did, or nothing if there was no occasion for it.
var steps = []func(*world) string{
	edit, edit, edit, edit, edit, edit, bring, remove, anew, deleteChild, deleteChild, drift, drift, addFields, addFields, changePart, changePart,
	changeSource, squat, restart, stopOperator, otherVersion, otherVersion,
}

// begin makes two resources of one name and another one.
func begin(w *world) string {
	w.makeSource(map[string]string{"a": "1"})
	w.run()
	var made []string
	for _, called := range []string{"property-a/one", "property-a/two", "property-b/one"} {
		w.specs[called] = w.randomSpec()
		w.create(called)
		made = append(made, called+" "+text(w.specs[called]))
	}
	return "create " + strings.Join(made, ", ")
}

// finish removes all resources.
func finish(w *world) string {
	w.run()
	for _, called := range slices.Sorted(maps.Keys(w.specs)) {
		w.remove(called)
	}
	return "delete all"
}

func edit(w *world) string {
	called := w.present()
	if called == "" {
		return ""
	}
	w.changeSpec(w.specs[called])
	w.update(called)
	return "change " + called + " to " + text(w.specs[called])
}

// changeSpec changes one field.
func (w *world) changeSpec(spec map[string]any) {
	switch w.random.IntN(12) {
	case 0:
		spec["size"] = int64(1 + w.random.IntN(5))
	case 1:
		spec["text"] = pick(w, []string{"alpha", "beta", "gamma"})
	case 2:
		spec["mode"] = pick(w, []string{"red", "blue", "none"})
	case 3:
		spec["profile"] = pick(w, []string{"tiny", "small", "medium"})
	case 4:
		spec["targets"] = w.some(targets)
	case 5, 6:
		spec["items"] = w.changedItems(spec["items"])
	case 7:
		keys := map[string]any{}
		for _, one := range w.some([]string{"k1", "k2", "k3"}) {
			keys[one.(string)] = pick(w, []string{"x", "y"})
		}
		spec["keys"] = keys
	default:
		gate := pick(w, []string{"first", "kept", "part", "run", "stopped"})
		if spec[gate] == "true" {
			spec[gate] = "false"
		} else {
			spec[gate] = "true"
		}
	}
}

func (w *world) some(of []string) []any {
	some := []any{}
	for _, at := range w.random.Perm(len(of)) {
		if w.random.IntN(2) == 0 {
			some = append(some, of[at])
		}
	}
	return some
}

// changedItems adds an element to a list, takes one out, renames one, gives it another value, reorders the list or empties it.
func (w *world) changedItems(list any) []any {
	items, _ := list.([]any)
	items = slices.Clone(items)
	free := slices.DeleteFunc([]string{"a", "b", "c", "d"}, func(name string) bool {
		return slices.ContainsFunc(items, func(item any) bool { return item.(map[string]any)["name"] == name })
	})
	value := pick(w, []string{"v", "w", "hidden"})
	choice := w.random.IntN(6)
	switch {
	case len(items) == 0 || choice == 0 && len(free) > 0:
		return slices.Insert(items, w.random.IntN(len(items)+1), any(map[string]any{"name": pick(w, free), "value": value}))
	case choice == 1:
		return []any{}
	case choice == 2:
		at := w.random.IntN(len(items))
		return slices.Delete(items, at, at+1)
	case choice == 3 && len(free) > 0:
		items[w.random.IntN(len(items))] = map[string]any{"name": pick(w, free), "value": value}
	case choice == 4:
		at := w.random.IntN(len(items))
		items[at] = map[string]any{"name": items[at].(map[string]any)["name"], "value": value}
	default:
		w.random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	return items
}

// bring makes a resource that is not there.
func bring(w *world) string {
	called := pick(w, namespaces) + "/" + pick(w, names)
	if w.specs[called] != nil {
		return ""
	}
	w.run() // the one before may have to be cleaned up
	w.specs[called] = w.randomSpec()
	w.create(called)
	return "create " + called + " " + text(w.specs[called])
}

func (w *world) remove(called string) {
	w.t.Helper()
	if err := w.Delete(w.t.Context(), shop(called)); err != nil {
		w.failf("delete %s: %v", called, err)
	}
	delete(w.specs, called)
}

func remove(w *world) string {
	called := w.present()
	if called == "" {
		return ""
	}
	w.remove(called)
	return "delete " + called
}

// anew deletes a resource and makes it at once again, as it was or otherwise.
func anew(w *world) string {
	called := w.present()
	if called == "" {
		return ""
	}
	spec := w.specs[called]
	w.run()
	w.remove(called)
	if w.random.IntN(2) == 0 {
		spec = w.randomSpec()
	}
	w.specs[called] = spec
	w.create(called)
	return "delete " + called + ", and create it " + text(spec)
}

// child is any child that there is, nil when there is none.
func (w *world) child() *unstructured.Unstructured {
	w.t.Helper()
	all := w.children()
	if len(all) == 0 {
		return nil
	}
	return all[pick(w, slices.Sorted(maps.Keys(all)))]
}

func deleteChild(w *world) string {
	child := w.child()
	if child == nil {
		return ""
	}
	if err := client.IgnoreNotFound(w.Delete(w.t.Context(), child)); err != nil {
		w.failf("delete %s %s: %v", child.GetKind(), key(child), err)
	}
	return "delete the " + child.GetKind() + " " + key(child)
}

// drift changes what a child holds.
func drift(w *world) string {
	child := w.child()
	if child == nil {
		return ""
	}
	patch := map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "drifted"}}}
	switch data, _ := child.Object["data"].(map[string]any); {
	case child.GetKind() == "ConfigMap" && len(data) > 0:
		changed := map[string]any{pick(w, slices.Sorted(maps.Keys(data))): pick(w, []any{"drifted", nil})}
		patch = map[string]any{"data": changed}
	case child.GetKind() == "Deployment":
		patch = map[string]any{"spec": map[string]any{"replicas": 2}}
	case child.GetKind() == "Part":
		patch = map[string]any{"spec": pick(w, []any{nil, map[string]any{"size": "drifted"}, map[string]any{"items": nil}})}
	case child.GetKind() == "ClusterRole":
		patch = map[string]any{"rules": []any{}}
	case child.GetKind() == "Service":
		patch = map[string]any{"spec": map[string]any{"selector": map[string]any{"app": "drifted"}}}
	}
	w.patch(child, patch)
	return "patch the " + child.GetKind() + " " + key(child) + " with " + text(patch)
}

// addFields adds fields that no declaration has.
func addFields(w *world) string {
	child := w.child()
	if child == nil {
		return ""
	}
	patch := map[string]any{"metadata": map[string]any{
		"labels": map[string]any{"foreign": "1"}, "annotations": map[string]any{"example.com/foreign": "1"},
	}}
	if child.GetKind() == "ConfigMap" {
		patch["data"] = map[string]any{"foreign": "1"}
	}
	if w.patch(child, patch) {
		w.foreign[child.GetUID()] = true
	}
	return "add foreign fields to the " + child.GetKind() + " " + key(child)
}

// stripLabel takes the label away by which children are watched, of one that is kept as declared and waits for no other. It comes back
// with a cycle that does not fail.
func stripLabel(w *world) string {
	child := w.child()
	if child == nil || w.read(source()) == nil || !w.keeps(child) || cmp.Or(child.GetAnnotations()[orkv1.AnnotationDepth], "0") != "0" {
		return ""
	}
	w.patch(child, map[string]any{"metadata": map[string]any{"labels": map[string]any{orkv1.LabelManagedBy: nil}}})
	return "take the label of the operator from the " + child.GetKind() + " " + key(child)
}

// patch is a JSON merge patch. It tells whether the object was there.
func (w *world) patch(one *unstructured.Unstructured, patch map[string]any) bool {
	w.t.Helper()
	err := w.Patch(w.t.Context(), one.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(text(patch))))
	if client.IgnoreNotFound(err) != nil {
		w.failf("patch %s %s: %v", one.GetKind(), key(one), err)
	}
	return err == nil
}

// changePart has a Part, on which other children depend, say whether it is ready.
func changePart(w *world) string {
	called := w.present()
	if called == "" {
		return ""
	}
	part := w.read(object(partKind, shop(called).GetNamespace(), shop(called).GetName()))
	if part == nil {
		return ""
	}
	ready := pick(w, []string{"True", "False"})
	condition := map[string]any{"type": "Ready", "status": ready, "reason": "Said", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
	patch := text(map[string]any{"status": map[string]any{"conditions": []any{condition}}})
	err := w.Status().Patch(w.t.Context(), part, client.RawPatch(types.MergePatchType, []byte(patch)))
	if client.IgnoreNotFound(err) != nil {
		w.failf("change the status of Part %s: %v", called, err)
	}
	return "say of the Part " + called + " that Ready is " + ready
}

func source() *unstructured.Unstructured {
	return object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), sourceNamespace, "source")
}

// makeSource has the object of which copies are made hold data.
func (w *world) makeSource(data map[string]string) {
	w.t.Helper()
	one := source()
	there := w.read(one)
	if there != nil {
		one = there
	}
	held := map[string]any{}
	for name, value := range data {
		held[name] = value
	}
	one.Object["data"] = held
	var err error
	if there != nil {
		err = w.Update(w.t.Context(), one)
	} else {
		err = w.Create(w.t.Context(), one)
	}
	if err != nil {
		w.failf("write the source: %v", err)
	}
}

func changeSource(w *world) string {
	if w.read(source()) != nil && w.random.IntN(3) == 0 {
		if err := w.Delete(w.t.Context(), source()); err != nil {
			w.failf("delete the source: %v", err)
		}
		return "delete the source of copies"
	}
	data := map[string]string{pick(w, []string{"a", "b"}): pick(w, []string{"1", "2"})}
	w.makeSource(data)
	return "have the source of copies hold " + fmt.Sprint(data)
}

// squat makes an object of a child's name, if there is none.
func squat(w *world) string {
	called := w.present()
	if called == "" {
		return ""
	}
	one := unowned(shop(called).GetNamespace(), shop(called).GetName())
	if w.read(one) != nil {
		return ""
	}
	one.Object["data"] = map[string]any{"size": "squatted", "foreign": "1"}
	if err := client.IgnoreAlreadyExists(w.Create(w.t.Context(), one)); err != nil {
		w.failf("create ConfigMap %s: %v", key(one), err)
	}
	return "create the ConfigMap " + key(one) + ", which belongs to nobody"
}

func restart(w *world) string {
	w.stop()
	w.run()
	return "restart the operator"
}

// stopOperator stops the operator until the next comparison, or until it is needed.
func stopOperator(w *world) string {
	w.stop()
	return "stop the operator"
}

func otherVersion(w *world) string {
	w.stop()
	w.version = cmp.Or(w.versionFor(), pick(w, slices.Sorted(maps.Keys(versions))))
	w.run()
	return "run the Katalog " + w.version
}

// versionFor brings the Katalog back as it is, every other time.
func (w *world) versionFor() string {
	if w.random.IntN(2) == 0 {
		return "as it is"
	}
	return ""
}

func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // all of it comes from here
	}
	return string(encoded)
}
