package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// serve checks what the runtime reads of it: the targets and their boxes.
func (c *checker) serve(crd *orkv1.CRD, path *field.Path) {
	if crd.Serve == nil {
		return
	}
	var primaries []string
	for _, name := range slices.Sorted(maps.Keys(crd.Serve.Target)) {
		target, at := crd.Serve.Target[name], path.Child("target").Key(name)
		c.problems(at, validation.IsDNS1123Label(name))
		if target.Primary {
			primaries = append(primaries, name)
		}
		if target.OperatorBox != nil {
			c.targetBox(target.OperatorBox, &crd.OperatorBox, at.Child("operatorBox"))
		} else if o := overridesOf(target.Apply); o != nil && o.KeepPreviousSurface != nil {
			c.warnf(at.Child("apply", "overrides", "keepPreviousSurface"),
				"has no effect without an operatorBox of the target: its resources are those of the CRD's own box")
		}
	}
	if len(primaries) > 1 {
		c.errorf(path.Child("target").Key(primaries[1]).Child("primary"), "one target is the primary one, and %s is already; the others are its aliases",
			strings.Join(primaries[:1], ", "))
	}
}

func overridesOf(apply *orkv1.ServeApply) *orkv1.ServeOverrides {
	if apply == nil {
		return nil
	}
	return apply.Overrides
}

// targetBox checks a box that takes the blocks which it does not have from the CRD's own. Those are checked there.
func (c *checker) targetBox(box, crd *orkv1.OperatorBox, path *field.Path) {
	checked := *box
	if box.Reconciler != nil {
		checked.Reconciler = c.targetReconciler(*box.Reconciler, crd.Reconciler, path.Child("reconciler"))
	}
	c.box(&checked, path)
	if box.Autoscale != nil {
		c.warnf(path.Child("autoscale"), perCRD)
	}
}

const perCRD = "has no effect on a target: all targets of a CRD share one controller; write it in the operatorBox of the CRD"

// targetReconciler is the part of a target's reconciler that has to be right by itself: what it takes from the CRD's is left out, but for
// who reconciles.
func (c *checker) targetReconciler(own orkv1.Reconciler, crd *orkv1.Reconciler, path *field.Path) *orkv1.Reconciler {
	for _, setting := range []struct {
		key string
		set bool
	}{
		{"profile", own.Profile != ""}, {"workers", own.Workers != nil}, {"resync", own.Resync != nil}, {"queue", own.Queue != nil},
	} {
		if setting.set {
			c.warnf(path.Child(setting.key), perCRD)
		}
	}
	switch named := own.Constructor != nil || own.Remote != nil; {
	case named && own.Default == nil:
		own.Default = new(true) // as the CRD's own is by default
	case !named && own.Default != nil && !*own.Default && crd != nil:
		own.Constructor, own.Remote = crd.Constructor, crd.Remote
	}
	return &own
}
