package box

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// childNames lists the keys that the declared children have below .children. Open tells that the kind of one is known at run time
// only.
func childNames(registry *controllers.Registry, declared *orkv1.OperatorBox) (names []string, open bool) {
	for _, block := range []*orkv1.Block{declared.OnCreate, declared.OnReconcile, declared.OnDelete} {
		for _, declaration := range registry.Declarations(block, field.NewPath("block")) {
			if declaration.GVK.Empty() {
				open = true
				continue
			}
			names = append(names, declaration.GVK.Kind, pluralOf(declaration.GVK), declaration.Kind.Key)
			if declaration.Kind.GVK.Empty() {
				names = append(names, "custom")
			}
		}
	}
	return names, open
}

// rules compiles what looks at the resource first. What it sets is known to whatever is compiled after it.
func (c *compiler) rules(set *Set, at *field.Path) {
	var errs [3]field.ErrorList
	set.Normalize, errs[0] = rules.CompileNormalize(c.language, c.entry.Normalize, at.Child("normalize"))
	if c.entry.Normalize != nil {
		known := c.known.With("normalize", nil)
		for key := range c.entry.Normalize.Spec {
			if path, err := template.ParsePath("spec." + key); err == nil {
				known = known.Extend(path)
			}
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

// onDelete compiles the names of what is deleted before the resource goes.
func (c *compiler) onDelete(declared *orkv1.Block, at *field.Path) *Block {
	if declared == nil {
		return nil
	}
	if len(declared.Jobs) > 0 {
		c.report(field.Forbidden(at.Child("jobs"), "not supported yet"))
	}
	block := &Block{Name: "onDelete", Gate: c.gate(declared.Conditions, at)}
	for _, declaration := range c.registry.Declarations(declared, at) {
		block.Children = append(block.Children, c.child(declaration, false, at))
	}
	return block
}

// elements are the roots that an element of the forEach sees besides the others.
func (e *ForEach) elements(known *roots.Known) *roots.Known {
	element := known.At(append(slices.Clip(e.Field), template.Element))
	var item *roots.Props
	switch known.Shape(e.Field).Type {
	case notes.TypeList:
		item = element
	case notes.TypeMap:
		item, known = &roots.Props{Type: "string"}, known.With("value", element)
	default:
		known = known.With("value", nil)
	}
	known = known.With("item", item).With("index", &roots.Props{Type: "integer"})
	if e.As != "" {
		known = known.With(e.As, item)
	}
	return known
}
