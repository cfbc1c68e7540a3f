package box

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// rules compiles what looks at the resource first. What it sets is known to whatever is compiled after it.
func (c *compiler) rules(set *Set, at *field.Path) {
	var errs [3]field.ErrorList
	set.Normalize, errs[0] = rules.CompileNormalize(c.language, c.entry.Normalize, at.Child("normalize"))
	if c.entry.Normalize != nil {
		known := c.known.With("normalize", nil)
		for key := range c.entry.Normalize.Spec {
			path, err := template.ParsePath("spec." + key)
			if err != nil {
				continue
			}
			// A field that templates alone read need not be in the schema. One that is like another is hardly meant.
			if misread := c.known.Check(path); misread != nil && !misread.Warning {
				c.language.Warn(field.Invalid(at.Child("normalize", "spec").Key(key), key, misread.Problem))
			}
			known = known.Extend(path)
		}
		*c = *c.seeing(known)
	}
	set.Mutation, errs[1] = rules.CompileMutation(c.language, c.entry.Mutation, at.Child("mutation"))
	set.MutateFirst = true
	if c.entry.Mutation != nil {
		known := c.known
		set.MutateFirst = c.entry.Mutation.MutateFirst == nil || *c.entry.Mutation.MutateFirst
		for _, rule := range c.entry.Mutation.Rules {
			if path, err := template.ParsePath(string(rule.Field)); err == nil && path[0] == "spec" {
				known = known.Extend(path)
			}
		}
		*c = *c.seeing(known)
	}
	set.Validation, errs[2] = rules.CompileValidation(c.language, c.entry.Validation, at.Child("validation"))
	for _, found := range errs {
		c.report(found...)
	}
	c.early = slices.Concat(set.Normalize.References(), set.Mutation.References(), set.Validation.References())
}
