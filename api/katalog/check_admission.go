package katalog

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func (c *checker) admission(crd *orkv1.CRD, path *field.Path) {
	if v := crd.Validation; v != nil {
		c.external(v.External, path.Child("validation", "external"))
		for i := range v.Rules {
			rule, at := &v.Rules[i], path.Child("validation", "rules").Index(i)
			c.validationRule(rule, at)
			c.link(rule.Link, crd.Serve, at.Child("link"))
		}
	}
	if m := crd.Mutation; m != nil {
		c.external(m.External, path.Child("mutation", "external"))
		for i := range m.Rules {
			rule, at := &m.Rules[i], path.Child("mutation", "rules").Index(i)
			c.exactlyOne(at, map[string]bool{"default": rule.Default != nil, "override": rule.Override != nil})
		}
	}
	if n := crd.Normalize; n != nil {
		for _, key := range slices.Sorted(maps.Keys(n.Spec)) {
			c.dotPath(key, path.Child("normalize", "spec").Key(key))
		}
	}
	for i := range crd.Enrich {
		name := crd.Enrich[i].Name
		if slices.ContainsFunc(crd.Enrich[:i], func(e orkv1.Enrichment) bool { return e.Name == name }) {
			c.errorf(path.Child("enrich").Index(i), "%s stands twice", quote(string(name)))
		}
	}
}

func (c *checker) validationRule(rule *orkv1.ValidationRule, path *field.Path) {
	if rule.Field == "" && rule.CEL == "" {
		c.errorf(path.Child("field"), "required")
	}
	if rule.Message == "" {
		c.warnf(path.Child("message"), "without a message people are told the comparison alone")
	}
}

// link checks that what a rule names in place of its field is a key of an intent.
func (c *checker) link(link string, serve *orkv1.Serve, at *field.Path) {
	if link == "" || !isStatic(link) {
		return
	}
	if serve == nil {
		c.errorf(at, "must name a field of serve, which the CRD does not have: leave it out, and reports name the field of the rule")
		return
	}
	var keys []string
	for _, fields := range serve.FieldGroups() {
		keys = slices.AppendSeq(keys, maps.Keys(fields))
	}
	slices.Sort(keys)
	if !slices.Contains(keys, link) {
		c.invalidf(at, slices.Compact(keys), "serve has no field, label or annotation %s", quote(link))
	}
}
