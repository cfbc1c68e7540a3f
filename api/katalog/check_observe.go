package katalog

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// camelCase is what the name of an Event watch or external call looks like, as templates use it.
var camelCase = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

func (c *checker) preReconcile(p *orkv1.PreReconcile, path *field.Path) {
	if p == nil {
		return
	}
	c.external(p.External, path.Child("external"))
	c.gate(p.EnqueueGate, path.Child("enqueueGate"))
	if p.ReconcileGate != nil {
		c.gate(&p.ReconcileGate.Gate, path.Child("reconcileGate"))
	}
}

func (c *checker) gate(g *orkv1.Gate, path *field.Path) {
	if g != nil {
		c.external(g.External, path.Child("external"))
	}
}

func (c *checker) observe(o *orkv1.Observe, path *field.Path) {
	if o == nil {
		return
	}
	seen := map[string]*field.Path{}
	for i := range o.Watch {
		w, at := &o.Watch[i], path.Child("watch").Index(i)
		identity := fmt.Sprintf("%s %s %s/%s %v", w.APIVersion, w.Kind, w.Namespace, w.Name, w.LabelSelector)
		if first, twice := seen[identity]; twice {
			c.errorf(at, "watches the same objects as %s", first)
		}
		seen[identity] = at
		if w.Namespace != "" {
			c.problems(at.Child("namespace"), validation.IsDNS1123Label(w.Namespace))
		}
		for _, key := range slices.Sorted(maps.Keys(w.LabelSelector)) {
			c.problems(at.Child("labelSelector").Key(key), validation.IsQualifiedName(key))
			c.problems(at.Child("labelSelector").Key(key), validation.IsValidLabelValue(w.LabelSelector[key]))
		}
		c.keyFrom(w.KeyFrom, at.Child("keyFrom"))
		c.gate(w.EnqueueGate, at.Child("enqueueGate"))
		for j, index := range w.Index {
			if slices.ContainsFunc(w.Index[:j], func(other orkv1.Index) bool { return other.Name == index.Name }) {
				c.errorf(at.Child("index").Index(j).Child("name"), "%s stands twice", quote(index.Name))
			}
		}
	}
	if len(o.Events) > 0 {
		c.warnf(path.Child("events"), "observing Events is experimental; they are sent at most once, may be late, and are gone after an hour")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Events)) {
		c.eventWatch(name, o.Events[name], path.Child("events").Key(name))
	}
}

func (c *checker) eventWatch(name string, e orkv1.EventWatch, path *field.Path) {
	if !camelCase.MatchString(name) {
		c.errorf(path, "want a camelCase name such as dbReady, for conditions read .events.<name>; got %s", quote(name))
	}
	texts := []string{e.Reason, e.Action, string(e.Type), e.ReportingController, e.ReportingInstance, e.Namespace, e.Name}
	empty := !slices.ContainsFunc(texts, func(text string) bool { return text != "" })
	matchesAll := func(s *orkv1.ObjectSelector) bool { return s == nil || *s == orkv1.ObjectSelector{} }
	if empty && matchesAll(e.Regarding) && matchesAll(e.Related) && e.KeyFrom == nil {
		c.errorf(path, "would match every Event; set a field to match, or keyFrom")
	}
	c.keyFrom(e.KeyFrom, path.Child("keyFrom"))
	c.gate(e.EnqueueGate, path.Child("enqueueGate"))
}

func (c *checker) keyFrom(k *orkv1.KeyFrom, path *field.Path) {
	if k == nil {
		return
	}
	c.exactlyOne(path, map[string]bool{"label": k.Label != "", "annotation": k.Annotation != "", "name": k.Name != ""})
	if k.Namespace != "" && k.Name == "" {
		c.errorf(path.Child("namespace"), "needs name")
	}
	for name, key := range map[string]string{"label": k.Label, "annotation": k.Annotation} {
		if key != "" {
			c.problems(path.Child(name), validation.IsQualifiedName(key))
		}
	}
}

// exactlyOne checks that one of several fields is set.
func (c *checker) exactlyOne(path *field.Path, set map[string]bool) {
	count := 0
	for _, is := range set {
		if is {
			count++
		}
	}
	if count != 1 {
		c.invalidf(path, slices.Sorted(maps.Keys(set)), "set exactly one of several fields, got %d", count)
	}
}
