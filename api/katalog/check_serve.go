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
	c.serveFields(crd.Serve, path)
	if len(primaries) > 1 {
		c.errorf(path.Child("target").Key(primaries[1]).Child("primary"), "one target is the primary one, and %s is already; the others are its aliases",
			strings.Join(primaries[:1], ", "))
	}
}

// serveFields checks what the rules that follow from the fields of an intent need.
func (c *checker) serveFields(serve *orkv1.Serve, path *field.Path) {
	taken := map[int32]*field.Path{}
	for group, fields := range serve.FieldGroups() {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			one, at := fields[key], path.Child(group).Key(key)
			if first := taken[one.Order]; one.Order != 0 && first != nil {
				c.errorf(at.Child("order"), "%d is taken; the first is at %s", one.Order, c.doc.place(first.String()))
			} else {
				taken[one.Order] = at.Child("order")
			}
			if one.Type == "enum" && len(one.Enum) == 0 {
				c.errorf(at.Child("enum"), "required: the values that there are")
			}
			if one.Default != nil && one.Override != nil {
				c.errorf(at.Child("default"), "excludes override, which is set whatever there is")
			}
		}
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
