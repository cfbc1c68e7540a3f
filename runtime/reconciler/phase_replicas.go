package reconciler

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// decideReplicas tells of every planned workload who sets its replicas: the declaration, unless a HorizontalPodAutoscaler among the
// children does, or the workload's own autoscaler. What is declared is then where they begin.
func (d *Declarative) decideReplicas(ctx context.Context, s *scope) (done bool, err error) {
	scalers, err := d.scalers(s)
	if err != nil {
		return false, err
	}
	for i := range s.planned {
		one := &s.planned[i]
		scaler, scaled := scalers[apply.IDOf(one.Object)]
		switch {
		case one.child.Autoscale != nil && scaler.planned != "":
			err = &controllers.InvalidError{Fields: scaledTwice(one.child, scaler.planned)}
		case one.child.Autoscale != nil:
			err = d.autoscale(ctx, s, one)
		case scaled && replicasOf(one.Object) != nil:
			one.Yields = []apply.Yielded{{Path: replicasPath()}}
		}
		if err != nil { // as in plan: what comes before it is applied all the same
			s.planErr, s.planned = err, s.planned[:i]
			break
		}
	}
	return false, nil
}

func replicasPath() []string { return []string{"spec", "replicas"} }

func lastScalePath() []string { return []string{"metadata", "annotations", orkv1.AnnotationLastScale} }

// scaler is what scales a workload from outside: the declaration of a planned one, empty for one that is only still there.
type scaler struct{ planned string }

// scalers are the HorizontalPodAutoscalers of the resource by what they scale: those that are planned, and those that exist. One that
// exists scales as long as it does, also when the plan ended before it was reached.
func (d *Declarative) scalers(s *scope) (map[apply.ID]scaler, error) {
	var found map[apply.ID]scaler
	note := func(object *unstructured.Unstructured, declaration string) {
		target, ok := scaleTarget(object)
		if !ok {
			return
		}
		if found == nil {
			found = map[apply.ID]scaler{}
		}
		if found[target].planned == "" {
			found[target] = scaler{planned: declaration}
		}
	}
	for i := range s.planned {
		if one := &s.planned[i]; isScaler(one.child.GVK) {
			note(one.Object, one.path)
		}
	}
	for _, gvk := range d.kinds(s) {
		if !isScaler(gvk) {
			continue
		}
		kind, ok := d.Children.Kind(gvk)
		if !ok {
			continue
		}
		owned, err := kind.Owned(s.owner.Hash())
		if err != nil {
			return nil, err
		}
		for _, object := range owned {
			note(object, "")
		}
	}
	return found, nil
}

func isScaler(gvk schema.GroupVersionKind) bool {
	return gvk.Group == "autoscaling" && gvk.Kind == "HorizontalPodAutoscaler"
}

// scaleTarget is what a HorizontalPodAutoscaler scales. Without an apiVersion that is a workload of apps.
func scaleTarget(object *unstructured.Unstructured) (apply.ID, bool) {
	target, _, err := unstructured.NestedStringMap(object.Object, "spec", "scaleTargetRef")
	if err != nil || target["kind"] == "" || target["name"] == "" {
		return apply.ID{}, false
	}
	version := target["apiVersion"]
	if version == "" {
		version = "apps/v1"
	}
	return apply.ID{
		GroupKind:      schema.FromAPIVersionAndKind(version, target["kind"]).GroupKind(),
		NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: target["name"]},
	}, true
}

// replicasOf is what the object says of its replicas, nil for nothing.
func replicasOf(object *unstructured.Unstructured) *int64 {
	replicas, found, err := unstructured.NestedInt64(object.Object, replicasPath()...)
	if err != nil || !found {
		return nil
	}
	return &replicas
}

// scaledTwice is the error of a workload with two autoscalers.
func scaledTwice(child *box.Child, other string) field.ErrorList {
	at := field.NewPath(child.Kind.Key).Index(child.Index).Child("autoscale")
	return field.ErrorList{field.Forbidden(at, other+" scales the same workload; keep one of the two")}
}

// autoscale has the conditions of a workload's autoscaler decide on its replicas. It changes the planned object, which is the cycle's own.
func (d *Declarative) autoscale(ctx context.Context, s *scope, one *planned) error {
	numbers, err := one.child.Autoscale.Numbers.Render(one.facts)
	if err != nil {
		return err //nolint:wrapcheck // names the declaration
	}
	scale, err := readScale(one.child, &numbers)
	if err != nil {
		return err
	}
	first := int64(1)
	if declared := replicasOf(one.Object); declared != nil {
		first = *declared
	}
	if err := unstructured.SetNestedField(one.Object.Object, scale.clamp(first), replicasPath()...); err != nil {
		return fmt.Errorf("%s: %w", one.path, err)
	}
	one.Yields = []apply.Yielded{{Path: replicasPath()}, {Path: lastScalePath()}}
	if observed := d.inMemory(one.Object); observed != nil {
		d.scale(ctx, s, one, scale, observed)
	}
	return nil
}

// scale settles what becomes of the replicas of a workload that exists.
func (d *Declarative) scale(ctx context.Context, s *scope, one *planned, scale scale, observed *unstructured.Unstructured) {
	current := int64(1)
	if replicas := replicasOf(observed); replicas != nil {
		current = *replicas
	}
	next, now := scale.clamp(current), one.facts.Now()
	step := s.direction(one, scale)
	if further := step(next); further != next {
		last, err := time.Parse(time.RFC3339, observed.GetAnnotations()[orkv1.AnnotationLastScale])
		if free := last.Add(one.child.Autoscale.Cooldown); err == nil && now.Before(free) {
			one.facts.ChangesAt(free)
		} else {
			next = further
			one.Yields[1].Set = now.UTC().Format(time.RFC3339)
			if step(next) != next { // the conditions may still hold
				one.facts.ChangesAt(now.Add(one.child.Autoscale.Cooldown))
			}
		}
	}
	if next != current {
		one.Yields[0].Set = next
		logf.FromContext(ctx).V(1).Info("workload is scaled", "workload", one.path, "from", current, "to", next)
	}
}

// direction is the way that the conditions lead now: up before down, and nowhere when neither passes.
func (s *scope) direction(one *planned, scale scale) func(int64) int64 {
	gates := one.child.Autoscale
	switch {
	case gates.Up != nil && s.passes(gates.Up, one.facts, func() string { return one.path + " autoscale.scaleUp" }):
		return scale.up
	case gates.Down != nil && s.passes(gates.Down, one.facts, func() string { return one.path + " autoscale.scaleDown" }):
		return scale.down
	default:
		return func(replicas int64) int64 { return replicas }
	}
}
