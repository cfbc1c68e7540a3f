package controllers

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Labels reads labels or a label selector, and reports keys and values that can't be ones.
func (d *Draft) Labels(declared map[string]orkv1.Template, at *field.Path) map[string]string {
	labels := make(map[string]string, len(declared))
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		text := declared[key]
		d.checkText(key, validation.IsQualifiedName, "is not a label key", at)
		if !d.Known(text) {
			continue
		}
		value := strings.TrimSpace(string(text))
		d.checkText(value, validation.IsValidLabelValue, "is not a label value", at.Key(key))
		labels[key] = value
	}
	return labels
}

// childLabels are the labels of the object. A declaration decides on LabelApp; the others carry the inventory.
func (d *Draft) childLabels() map[string]string {
	labels := d.PodLabels()
	labels[orkv1.LabelManagedBy] = orkv1.ManagedByValue
	labels[orkv1.LabelOwner] = d.Owner.Hash()
	if d.Owner.Target != "" {
		labels[orkv1.LabelServeTarget] = LabelValue(d.Owner.Target)
	}
	if d.served {
		labels[orkv1.LabelResource] = d.Owner.ResourceHash()
	}
	return labels
}

// Serve has the Services of the resource select the child itself, a pod that keeps running.
func (d *Draft) Serve() { d.served = true }

// PodLabels are the labels of the pods of a child that runs to its end. They lack the label that the cache of children
// selects by, and no Service of the resource selects them.
func (d *Draft) PodLabels() map[string]string {
	name := LabelValue(d.Owner.Name)
	labels := map[string]string{orkv1.LabelApp: name}
	maps.Copy(labels, d.labels)
	labels[orkv1.LabelOwnerName] = name
	for _, key := range []string{orkv1.LabelManagedBy, orkv1.LabelOwner, orkv1.LabelServeTarget, orkv1.LabelResource, orkv1.LabelWorkload} {
		delete(labels, key)
	}
	return labels
}

// WorkloadLabels are the labels of the pods of a child that keeps running: PodLabels and WorkloadSelector.
func (d *Draft) WorkloadLabels() map[string]string {
	labels := d.PodLabels()
	maps.Copy(labels, d.WorkloadSelector())
	return labels
}

// WorkloadSelector selects the pods of this child. Nothing that a declaration can change is in it but the name of the child:
// selectors are immutable.
func (d *Draft) WorkloadSelector() map[string]string {
	return map[string]string{
		orkv1.LabelResource: d.Owner.ResourceHash(),
		orkv1.LabelWorkload: LabelValue(d.Name),
	}
}

// ResourceSelector selects the pods of all children of the resource that keep running.
func (d *Draft) ResourceSelector() map[string]string {
	return map[string]string{orkv1.LabelResource: d.Owner.ResourceHash()}
}

// LabelValue is the name of an object as a label value: a name of more than 63 characters is cut and ends in a hash of the
// whole.
func LabelValue(name string) string {
	if len(name) <= validation.LabelValueMaxLength {
		return name
	}
	hash := digest(name)[:8]
	return strings.TrimRight(name[:validation.LabelValueMaxLength-len(hash)-1], "-._") + "-" + hash
}
