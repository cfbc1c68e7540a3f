package box

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// declaredBox is a box as it is written, and where.
type declaredBox struct {
	target string
	box    *orkv1.OperatorBox
	at     *field.Path
}

// declaredBoxes are the CRD's own box and those of its targets, in the order of their names.
func declaredBoxes(entry *orkv1.CRD, at *field.Path) []declaredBox {
	boxes := []declaredBox{{box: &entry.OperatorBox, at: at.Child("operatorBox")}}
	if entry.Serve == nil {
		return boxes
	}
	for _, name := range slices.Sorted(maps.Keys(entry.Serve.Target)) {
		if own := entry.Serve.Target[name].OperatorBox; own != nil {
			boxes = append(boxes, declaredBox{target: name, box: own, at: at.Child("serve", "target").Key(name).Child("operatorBox")})
		}
	}
	return boxes
}

// targets compiles the boxes of the targets. What they take from the CRD's own is compiled once more, as it may come out otherwise there;
// what is to be said of it is said where it stands, and once.
func (c *compiler) targets(set *Set, at *field.Path) {
	boxes := declaredBoxes(c.entry, at)
	set.crd.KeepPreviousSurface = keepsPrevious(c.entry.Serve, nil)
	if len(boxes) == 1 {
		return
	}
	set.targets = map[string]*Box{}
	for _, one := range boxes[1:] {
		effective, inherited := effectiveBox(boxes[0].box, one.box)
		errs, warned := len(*c.errs), len(c.language.Warnings())
		b := c.box(effective, one.at)
		b.Target = one.target
		own := c.entry.Serve.Target[one.target]
		b.KeepPreviousSurface = keepsPrevious(c.entry.Serve, own.Apply)
		set.targets[one.target] = b
		move := func(found field.ErrorList) {
			for _, err := range found {
				err.Field = inheritedFrom(err.Field, one.at, boxes[0].at, inherited)
			}
		}
		move((*c.errs)[errs:])
		move(c.language.Warnings()[warned:])
	}
	*c.errs = once(*c.errs)
	var blocks []Block
	for _, b := range set.Boxes() {
		blocks = append(append(blocks, b.Declared()...), b.OnDelete.blocks()...)
	}
	kinds := c.kinds(blocks)
	for _, b := range set.Boxes() {
		b.Kinds = kinds
	}
}

// keepsPrevious is the target's own word, else the CRD's, else false.
func keepsPrevious(serve *orkv1.Serve, own *orkv1.ServeApply) bool {
	if serve == nil {
		return false
	}
	for _, declared := range []*orkv1.ServeApply{own, serve.Apply} {
		if declared != nil && declared.Overrides != nil && declared.Overrides.KeepPreviousSurface != nil {
			return *declared.Overrides.KeepPreviousSurface
		}
	}
	return false
}

// inheritedFrom is where what is said of a path below a target's box belongs.
func inheritedFrom(path string, target, crd *field.Path, inherited []string) string {
	below, ok := strings.CutPrefix(path, target.String()+".")
	if !ok {
		return path
	}
	for _, block := range inherited {
		if rest, ok := strings.CutPrefix(below, block); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return crd.String() + "." + below
		}
	}
	return path
}

// once drops what is said again.
func once(found field.ErrorList) field.ErrorList {
	said := map[string]bool{}
	return slices.DeleteFunc(found, func(err *field.Error) bool {
		text := err.Error()
		again := said[text]
		said[text] = true
		return again
	})
}

// effectiveBox is the box of a target, with the CRD's blocks in the place of those that it does not have. Inherited are the paths of what
// it took. Settings of the controller are always the CRD's, which has one for all targets.
func effectiveBox(crd, target *orkv1.OperatorBox) (effective *orkv1.OperatorBox, inherited []string) {
	merged := *target
	merged.Autoscale = nil
	if target.RollBackOnError && target.Rollback == nil { // short for one
		merged.Rollback = &orkv1.Rollback{}
	}
	into, from := reflect.ValueOf(&merged).Elem(), reflect.ValueOf(crd).Elem()
	for _, f := range reflect.VisibleFields(into.Type()) {
		if len(f.Index) > 1 || f.Name == "Reconciler" || !into.FieldByIndex(f.Index).IsZero() {
			continue
		}
		if f.Name == "RollBackOnError" && target.Rollback != nil {
			continue
		}
		into.FieldByIndex(f.Index).Set(from.FieldByIndex(f.Index))
		inherited = append(inherited, blockNames(f)...)
	}
	reconciler, settings := effectiveReconciler(crd.Reconciler, target.Reconciler)
	merged.Reconciler = reconciler
	return &merged, append(inherited, settings...)
}

// blockNames are the keys of a field in a file.
func blockNames(f reflect.StructField) []string {
	if f.Anonymous {
		return []string{"when", "or"}
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return []string{name}
}

// effectiveReconciler takes from a target what it says of a resource: requeue, hooks, and who reconciles.
func effectiveReconciler(crd, target *orkv1.Reconciler) (effective *orkv1.Reconciler, inherited []string) {
	if target == nil {
		return crd, []string{"reconciler"}
	}
	merged := orkv1.Reconciler{}
	if crd != nil {
		merged = *crd
	}
	inherited = []string{"reconciler.profile", "reconciler.workers", "reconciler.resync", "reconciler.queue"}
	if target.Requeue != nil {
		merged.Requeue = target.Requeue
	} else {
		inherited = append(inherited, "reconciler.requeue")
	}
	switch own := target.Constructor != nil || target.Remote != nil; {
	case own:
		merged.Default, merged.Constructor, merged.Remote = new(false), target.Constructor, target.Remote
	case target.Default != nil && *target.Default:
		merged.Default, merged.Constructor, merged.Remote = target.Default, nil, nil
	default: // false as well: the CRD's own
		inherited = append(inherited, "reconciler.default", "reconciler.constructor", "reconciler.remote")
	}
	hooks, parts := effectiveHooks(merged.Hooks, target.Hooks)
	merged.Hooks = hooks
	return &merged, append(inherited, parts...)
}

// effectiveHooks has a target name another function, and give it other arguments, one by one.
func effectiveHooks(crd, target *orkv1.Hooks) (effective *orkv1.Hooks, inherited []string) {
	switch {
	case target == nil:
		return crd, []string{"reconciler.hooks"}
	case crd == nil:
		return target, nil
	}
	merged := *crd
	merged.Location = cmp.Or(target.Location, crd.Location)
	merged.Function = cmp.Or(target.Function, crd.Function)
	merged.Alias = cmp.Or(target.Alias, crd.Alias)
	merged.Version = cmp.Or(target.Version, crd.Version)
	merged.Fetch = target.Fetch || crd.Fetch
	merged.RunHooksFirst = target.RunHooksFirst || crd.RunHooksFirst
	if target.ManagedResources != nil {
		merged.ManagedResources = target.ManagedResources
	} else {
		inherited = append(inherited, "reconciler.hooks.managedResources")
	}
	if target.External != nil {
		merged.External = target.External
	} else {
		inherited = append(inherited, "reconciler.hooks.external")
	}
	merged.Args = maps.Clone(crd.Args)
	if merged.Args == nil {
		merged.Args = map[string]orkv1.JSON{}
	}
	maps.Copy(merged.Args, target.Args)
	for name := range crd.Args {
		if _, own := target.Args[name]; !own {
			inherited = append(inherited, "reconciler.hooks.args["+name+"]")
		}
	}
	return &merged, inherited
}
