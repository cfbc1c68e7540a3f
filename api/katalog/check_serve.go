package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	"github.com/orkestra-runtime/orkestra/api/namespaces"
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
		c.servedResponse(target.Config, at.Child("config", "response"))
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
	c.servedApart(crd.Serve, path)
	c.servedResponse(crd.Serve.Config, path.Child("config", "response"))
	c.serveNamespace(crd, path.Child("namespace"))
	c.serveModes(crd.Serve, path)
	if len(primaries) > 1 {
		c.errorf(path.Child("target").Key(primaries[1]).Child("primary"), "one target is the primary one, and %s is already; the others are its aliases",
			strings.Join(primaries[:1], ", "))
	}
}

// serveNamespace checks that what is offered lands where it is operated.
func (c *checker) serveNamespace(crd *orkv1.CRD, at *field.Path) {
	namespace, allowed := strings.TrimSpace(string(crd.Serve.Namespace)), crd.AllowedNamespaces
	if crd.Namespace != "" {
		allowed = []string{crd.Namespace}
	}
	switch {
	case namespace == "":
	case !isStatic(crd.Serve.Namespace) && len(allowed) == 1 && !namespaces.IsGlob(allowed[0]):
		c.errorf(at, "the CRD is operated in %s alone, and an intent may lead elsewhere: write that namespace", quote(allowed[0]))
	case isStatic(crd.Serve.Namespace):
		c.operatedIn(crd, namespace, at)
	}
}

// operatedIn checks that a namespace is one that the CRD is operated in.
func (c *checker) operatedIn(crd *orkv1.CRD, namespace string, at *field.Path) {
	c.problems(at, validation.IsDNS1123Label(namespace))
	watched := crd.Namespace == "" || crd.Namespace == namespace
	if !watched || !namespaces.For(c.doc.Katalog, crd).Allows(namespace) {
		c.errorf(at, "%s is none of the namespaces that the CRD is operated in", quote(namespace))
	}
}

// surfaces checks that no two CRDs are served under one name, and that no whole resource is of two targets.
func (c *checker) surfaces(katalog *orkv1.Katalog) {
	names := map[string]*field.Path{}
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		crd := katalog.Spec.CRDs[name]
		named := offeredAs(&crd, field.NewPath("spec", "crds").Key(name).Child("serve"))
		selected := map[string]*field.Path{}
		for _, target := range slices.Sorted(maps.Keys(named)) {
			if first := names[target]; first != nil {
				c.errorf(named[target], "the target %s is that of another CRD too, at %s", quote(target), c.doc.place(first.String()))
			}
			names[target] = named[target]
			selector := crd.Serve.Target[target].FieldSelector
			for _, path := range slices.Sorted(maps.Keys(selector)) {
				here, value := named[target].Child("fieldSelector").Key(path), selector[path]
				keys, err := dotpath.Parse(path)
				if err != nil {
					continue // which is told
				}
				pair := dotpath.Write(keys) + "=" + value
				if first := selected[pair]; first != nil {
					c.errorf(here, "%s selects another target too, at %s", quote(value), c.doc.place(first.String()))
				}
				selected[pair] = here
			}
		}
	}
}

// offeredAs are the places of the names under which a CRD is served, none for one that is not. At is that of its serve.
func offeredAs(crd *orkv1.CRD, at *field.Path) map[string]*field.Path {
	if crd.Serve == nil || !crd.Serve.Enabled {
		return nil
	}
	names := map[string]*field.Path{}
	for target := range crd.Serve.Target {
		names[target] = at.Child("target").Key(target)
	}
	if len(names) == 0 {
		names[strings.ToLower(crd.APITypes.Kind)] = at
	}
	return names
}

// serveModes checks what requests are taken.
func (c *checker) serveModes(serve *orkv1.Serve, path *field.Path) {
	neither := func(modes *orkv1.ServeModes, at *field.Path) {
		if modes != nil && !on(modes.Target) && !on(modes.CR) {
			c.errorf(at.Child("modes"), "one of target and cr must stay on: nothing would be taken")
		}
	}
	neither(serve.Modes, path)
	if serve.Modes != nil && !on(serve.Modes.Target) && len(serve.Target) > 0 {
		c.errorf(path.Child("target"), "excludes modes.target: false, with which nobody asks for a target: leave one of the two out; "+
			"a target that takes whole resources alone has modes.target: false of its own")
	}
	offered := len(serve.Target) == 0
	for _, name := range slices.Sorted(maps.Keys(serve.Target)) {
		target, at := serve.Target[name], path.Child("target").Key(name)
		neither(target.Modes, at)
		offered = offered || on(target.Enabled)
		whole := serve.Modes
		if target.Modes != nil && target.Modes.CR != nil {
			whole = target.Modes
		}
		c.fieldSelector(target.FieldSelector, at.Child("fieldSelector"))
		if len(target.FieldSelector) > 0 && whole != nil && !on(whole.CR) {
			c.warnf(at.Child("fieldSelector"), "has no effect: it routes whole resources, which are not taken")
		}
	}
	if serve.Enabled && !offered {
		c.warnf(path.Child("target"), "no target is enabled: nothing is offered")
	}
}

// servedResponse checks the paths of answers. What a template makes is known later, and may be several paths.
func (c *checker) servedResponse(config *orkv1.ServeConfig, at *field.Path) {
	if config == nil || config.Response == nil {
		return
	}
	for i, text := range config.Response.Exclude {
		if !isStatic(text) {
			continue
		}
		for path := range strings.SplitSeq(string(text), ",") {
			if _, err := dotpath.Parse(path); err != nil {
				c.errorf(at.Child("exclude").Index(i), "%s", err)
			}
		}
	}
	if poll := config.Response.Poll; poll != nil && poll.Field != "" {
		if _, err := dotpath.ThroughMaps(poll.Field); err != nil {
			c.errorf(at.Child("poll", "field"), "%s", err)
		}
	}
}

// maxSelected is how many paths a fieldSelector has.
const maxSelected = 3

// fieldSelector checks the paths by which whole resources find their target.
func (c *checker) fieldSelector(selector map[string]string, at *field.Path) {
	if len(selector) > maxSelected {
		c.errorf(at, "has %d paths, and at most %d: give the resources one field that tells their target", len(selector), maxSelected)
	}
	for _, path := range slices.Sorted(maps.Keys(selector)) {
		keys, err := dotpath.ThroughMaps(path)
		switch {
		case err != nil:
			c.errorf(at.Key(path), "%s", err)
		case len(keys) < 2 || keys[0] != "spec" && keys[0] != "metadata":
			c.errorf(at.Key(path), "want a path in the spec or the metadata of a resource, such as spec.tier, got %s", quote(path))
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
