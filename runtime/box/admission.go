package box

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// rules compiles what looks at the resource first. What it sets is known to whatever is compiled after it.
func (c *compiler) rules(set *Set, at *field.Path) {
	c.report(rules.CheckServed(c.language, c.entry, at)...)
	c.normalize(set, at)
	c.beforeRules = c.known
	set.MutateFirst = c.entry.Mutation == nil || c.entry.Mutation.MutateFirst == nil || *c.entry.Mutation.MutateFirst
	steps := []func(*Set, *field.Path){c.mutation, c.validation}
	if !set.MutateFirst {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		step(set, at)
	}
	c.early = slices.Concat(set.Normalize.References(), set.Mutation.References(), set.Validation.References(),
		set.MutationCalls.References(), set.ValidationCalls.References())
}

func (c *compiler) normalize(set *Set, at *field.Path) {
	var errs field.ErrorList
	set.Normalize, errs = rules.CompileNormalize(c.language, c.entry.Normalize, at.Child("normalize"))
	c.report(errs...)
	if c.entry.Normalize == nil {
		return
	}
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

// mutation compiles the rules and the calls before them.
func (c *compiler) mutation(set *Set, at *field.Path) {
	if c.entry.Mutation != nil {
		calls, seeing := c.calls(c.entry.Mutation.External, "mutation", at.Child("mutation"))
		set.MutationCalls, *c = calls, *seeing
	}
	var errs field.ErrorList
	set.Mutation, errs = rules.MutationOf(c.language, c.entry, at)
	c.report(errs...)
	if c.entry.Mutation == nil {
		return
	}
	known := c.known
	for _, rule := range c.entry.Mutation.Rules {
		if path, err := template.ParsePath(string(rule.Field)); err == nil && path[0] == "spec" {
			known = known.Extend(path)
		}
	}
	*c = *c.seeing(known)
}

// validation compiles the rules and the calls before them.
func (c *compiler) validation(set *Set, at *field.Path) {
	if c.entry.Validation != nil {
		calls, seeing := c.calls(c.entry.Validation.External, "validation", at.Child("validation"))
		set.ValidationCalls, *c = calls, *seeing
	}
	var errs field.ErrorList
	set.Validation, errs = rules.ValidationOf(c.language, c.entry, at)
	c.report(errs...)
}
