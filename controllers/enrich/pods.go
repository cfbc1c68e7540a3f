package enrich

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

func addPods(r *reading) { r.list("_pods", r.pods()) }

// pods are those that the workload controls. One that has others control them, as a Deployment has ReplicaSets, selects them.
func (r *reading) pods() []*unstructured.Unstructured {
	owned := r.indexed(podKind, byController, string(r.child.GetUID()))
	if len(owned) > 0 || controlsPods(r.kind) {
		return owned
	}
	given := mapAt(r.child.Object, "spec", "selector")
	if given["matchLabels"] == nil && given["matchExpressions"] == nil {
		return nil // as a kind's own, which is no selector of Pods
	}
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given, &selector); err != nil {
		return nil
	}
	return r.selected(&selector)
}

func addEndpoints(r *reading) {
	namespace := r.child.GetNamespace()
	r.list("_endpoints", r.indexed(sliceKind, byService, namespace+"/"+r.child.GetName()))
	selector := map[string]string{}
	for key, value := range mapAt(r.child.Object, "spec", "selector") {
		if value, ok := value.(string); ok {
			selector[key] = value
		}
	}
	r.list("_backingPods", r.selected(&metav1.LabelSelector{MatchLabels: selector}))
}

// selected are the Pods in the child's namespace that a selector selects; an empty one selects none.
func (r *reading) selected(declared *metav1.LabelSelector) []*unstructured.Unstructured {
	selector, err := metav1.LabelSelectorAsSelector(declared)
	if err != nil || selector.Empty() {
		return nil
	}
	// The rarest of the labels leaves the fewest Pods to look at.
	candidates, searched := []*unstructured.Unstructured(nil), false
	for key, value := range declared.MatchLabels {
		having := r.indexed(podKind, byLabel, labelValue(r.child.GetNamespace(), key, value))
		if !searched || len(having) < len(candidates) {
			candidates, searched = having, true
		}
	}
	if !searched {
		candidates = r.indexed(podKind, byLabel, labelValue(r.child.GetNamespace(), "", ""))
	}
	var found []*unstructured.Unstructured
	for _, pod := range candidates {
		if selector.Matches(podLabels{mapAt(pod.Object, "metadata", "labels")}) {
			found = append(found, pod)
		}
	}
	return found
}

// podLabels reads labels where they are.
type podLabels struct{ of map[string]any }

var _ labels.Labels = podLabels{}

func (l podLabels) Has(key string) bool { return l.of[key] != nil }

func (l podLabels) Get(key string) string {
	value, _ := l.of[key].(string)
	return value
}

func (l podLabels) Lookup(key string) (value string, exists bool) {
	value, exists = l.of[key].(string)
	return value, exists
}

func addNode(r *reading) {
	pods := []*unstructured.Unstructured{r.child}
	if r.kind != podKind.GroupKind() {
		pods = byName(r.pods())
	}
	for _, pod := range pods {
		if node := r.named(nodeKind, "", textAt(pod.Object, "spec", "nodeName")); node != nil {
			r.one("_node", node)
			return
		}
	}
}
