package entry

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
)

// Entry is what the gateway does for one CRD. It never changes.
type Entry struct {
	// Katalog and Name identify it.
	Katalog, Name string
	GVK           schema.GroupVersionKind
	Resource      schema.GroupVersionResource
	// Admission are its rules. Nil: none are checked at admission.
	Admission *admission.Entry
	// Validates and Mutates tell which webhooks it has.
	Validates, Mutates bool
	// Conversion of its resources. Nil: there is none. Converts tells whether the gateway converts by it, and UpdatesDefinition has the
	// definition point to the gateway.
	Conversion                  *conversion.Program
	Converts, UpdatesDefinition bool
	// Namespaces that it may be in, if GuardsNamespaces.
	Namespaces       namespaces.Guard
	GuardsNamespaces bool
	// ProtectsDefinition and ProtectsResources tell what may not be deleted, and Strict that this may not be taken away.
	ProtectsDefinition, ProtectsResources, Strict bool
	// Children are the kinds of its custom children.
	Children []schema.GroupKind
	// Hidden are the values that nobody is to see.
	Hidden rules.Hidden
	// GuardsProvenance denies changes of the gateway's annotations.
	GuardsProvenance bool
	// Remembered is how many requests the statistics of each of its webhooks look back on. 0: their default.
	Remembered int
}

// Definition is the name of its CustomResourceDefinition.
func (e *Entry) Definition() string { return e.Resource.Resource + "." + e.Resource.Group }

// Schemas are those of an entry, by version, as far as they are known.
type Schemas func(entry string) map[string]*roots.Props

// Compile compiles the enabled entries of a Katalog, in the order of their names, and reports all that is wrong with them.
func Compile(katalog *orkv1.Katalog, schemas Schemas) ([]*Entry, field.ErrorList) {
	language := template.NewLanguage(nil, nil)
	declared, errs := template.CompileNotes(language, template.NotesOf(katalog))
	language = language.WithNotes(declared)
	var all []*Entry
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		crd := katalog.Spec.CRDs[name]
		if !yes(crd.Enabled) {
			continue
		}
		one, wrong := compile(katalog, name, &crd, language, schemas(name))
		errs = append(errs, wrong...)
		all = append(all, one)
	}
	return all, errs
}

func compile(
	katalog *orkv1.Katalog, name string, crd *orkv1.CRD, language *template.Language, schemas map[string]*roots.Props,
) (*Entry, field.ErrorList) {
	at := field.NewPath("spec", "crds").Key(name)
	gvk := schema.GroupVersionKind{Group: crd.APITypes.Group, Version: crd.APITypes.Version, Kind: crd.APITypes.Kind}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	e := &Entry{
		Katalog: katalog.Name, Name: name, GVK: gvk, Resource: gvk.GroupVersion().WithResource(cmp.Or(crd.APITypes.Plural, plural.Resource)),
		Namespaces: namespaces.For(katalog, crd), Hidden: rules.HiddenOf(crd.Serve), Children: children(crd),
	}
	security := katalog.Security
	if security == nil {
		security = &orkv1.Security{}
	}
	var errs field.ErrorList
	if s := security.Webhooks; s != nil && s.Admission != nil && yes(s.Admission.Enabled) {
		errs = append(errs, e.admission(crd, s, language, roots.New(schemas[gvk.Version]), at)...)
	}
	var wrong field.ErrorList
	e.Conversion, wrong = conversion.Compile(crd.Conversion, conversion.Options{Language: language, Schemas: schemas}, at.Child("conversion"))
	errs = append(errs, wrong...)
	if s := security.Conversion; crd.Conversion != nil && s != nil && yes(s.Enabled) {
		e.Converts, e.UpdatesDefinition = e.Conversion != nil, crd.Conversion.UpdateCRD
	}
	if s := security.NamespaceProtection; s != nil && yes(s.Enabled) {
		e.GuardsNamespaces = !e.Namespaces.IsZero()
	}
	if s := security.DeletionProtection; s != nil && yes(s.Enabled) {
		own := crd.DeletionProtection
		if own == nil {
			own = &orkv1.ResourceProtection{}
		}
		e.ProtectsDefinition, e.ProtectsResources = yes(own.ProtectCRD), yes(own.ProtectCRs)
		e.Strict = s.StrictMode && e.ProtectsResources
	}
	if s := security.Conversion; s != nil && s.ConversionWindow != nil {
		e.Remembered = int(*s.ConversionWindow)
	}
	e.GuardsProvenance = katalog.Gateway.Serves()
	if s := security.Provenance; s != nil && s.Enforce != nil {
		e.GuardsProvenance = *s.Enforce
	}
	return e, errs
}

// children are the kinds of custom children of the entry and of its targets, each once, in the order of their names. Those of Kubernetes have no definition that
// could be deleted.
func children(crd *orkv1.CRD) []schema.GroupKind {
	boxes := []*orkv1.OperatorBox{&crd.OperatorBox}
	if crd.Serve != nil {
		for name := range crd.Serve.Target {
			if box := crd.Serve.Target[name].OperatorBox; box != nil {
				boxes = append(boxes, box)
			}
		}
	}
	var kinds []schema.GroupKind
	for _, box := range boxes {
		for _, block := range []*orkv1.Block{box.OnCreate, box.OnReconcile, box.OnDelete} {
			if block == nil {
				continue
			}
			for _, one := range block.Custom {
				gv, err := schema.ParseGroupVersion(one.APIVersion)
				if kind := gv.WithKind(one.Kind).GroupKind(); err == nil && strings.Contains(kind.Group, ".") && !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
			}
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupKind) int { return cmp.Compare(a.String(), b.String()) })
	return kinds
}

// yes is a choice, which is yes without one.
func yes(choice *bool) bool { return choice == nil || *choice }
