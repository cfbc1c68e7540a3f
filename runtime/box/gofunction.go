package box

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// GoFunction is Go code that a box names, and what it is handed.
type GoFunction struct {
	// Name is the import path of its package, a point and its name: example.com/shop/hooks.Website.
	Name string
	// At is its place in the document.
	At *field.Path
	// ReadsChildren tells whether a template of its args reads .children.
	ReadsChildren bool

	declared map[string]orkv1.JSON
	args     *template.Of[map[string]orkv1.JSON]
}

// Hooks is Go code that runs beside the declared children.
type Hooks struct {
	GoFunction
	// First runs it before them.
	First bool
}

// Declared are the args as the Katalog has them, templates included. They must not be changed.
func (f *GoFunction) Declared() map[string]any { return plain(f.declared) }

// Render returns the args with their templates rendered. They must not be changed.
func (f *GoFunction) Render(facts template.Facts) (map[string]any, error) {
	rendered, err := f.args.Render(facts)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the arg
	}
	return plain(rendered), nil
}

func plain(args map[string]orkv1.JSON) map[string]any {
	values := make(map[string]any, len(args))
	for name, arg := range args {
		values[name] = arg.Value
	}
	return values
}

// DeletionReadsChildren tells whether what runs when a resource is deleted reads .children.
func (b *Box) DeletionReadsChildren() bool {
	return len(b.Provided) > 0 || b.OnDelete != nil && b.OnDelete.ReadsChildren || b.Hooks != nil && b.Hooks.ReadsChildren
}

// code compiles what the box names of Go. A constructor is responsible for all that it does not declare to be Orkestra's: children, and
// conditions in the status.
func (c *compiler) code(b *Box, declared *orkv1.OperatorBox, at *field.Path) {
	r := declared.Reconciler
	if r == nil {
		return
	}
	if r.Constructor != nil {
		constructor := c.goFunction(&r.Constructor.GoFunction, at, "constructor")
		b.Constructor = &constructor
		b.Blocks, b.Rollback, b.Provided = nil, nil, nil
		b.Status.leaveTo(declared.Status)
		return
	}
	if r.Hooks != nil {
		b.Hooks = &Hooks{GoFunction: c.goFunction(&r.Hooks.GoFunction, at, "hooks"), First: r.Hooks.RunHooksFirst}
	}
}

// leaveTo has the status say no more than what is declared.
func (s *Status) leaveTo(declared *orkv1.Status) {
	s.Conditions = declared != nil && declared.Conditions != nil && *declared.Conditions
	s.ObservedGeneration = s.ObservedGeneration && s.Conditions
	s.Off = s.Off || !s.Conditions && len(s.Fields) == 0
}

func (c *compiler) goFunction(declared *orkv1.GoFunction, at *field.Path, key string) GoFunction {
	args, errs := template.CompileOf(c.language.Under(at), declared.Args, field.NewPath(key, "args"))
	c.report(errs...)
	return GoFunction{Name: declared.Location + "." + declared.Function, At: at.Child(key), declared: declared.Args, args: args}
}

// noteReads finds out whether the args read children.
func (f *GoFunction) noteReads(note func(children *bool, references [][]string)) {
	note(&f.ReadsChildren, f.args.References())
}

// Same tells whether two boxes name the same code with the same args.
func (f *GoFunction) Same(other *GoFunction) bool {
	return f.Name == other.Name && reflect.DeepEqual(f.declared, other.declared)
}

// Hooked lists the Go code of all boxes that runs beside declared children. The same code with the same args is there once.
func (s *Set) Hooked() []*GoFunction {
	return s.functions(func(b *Box) *GoFunction {
		if b.Hooks == nil {
			return nil
		}
		return &b.Hooks.GoFunction
	})
}

// Constructed lists the Go code of all boxes that reconciles in place of them, in the same way.
func (s *Set) Constructed() []*GoFunction {
	return s.functions(func(b *Box) *GoFunction { return b.Constructor })
}

func (s *Set) functions(of func(*Box) *GoFunction) []*GoFunction {
	var list []*GoFunction
	for _, b := range s.Boxes() {
		if f := of(b); f != nil && !slices.ContainsFunc(list, f.Same) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *GoFunction) int { return cmp.Compare(a.At.String(), b.At.String()) })
	return list
}
