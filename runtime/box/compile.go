package box

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
	"github.com/orkestra-runtime/orkestra/providers"
)

// Defaults of an entry.
const (
	DefaultWorkers          = 3
	DefaultResync           = 30 * time.Second
	DefaultFailureThreshold = 5
)

// Options of CompileKatalog.
type Options struct {
	// Registry has the kinds of children.
	Registry *controllers.Registry
	// Schemas are those of the CRDs' resources, by the names of the entries, as far as they are known. What texts read is checked
	// against them.
	Schemas map[string]*roots.Props
	// Providers tell which kinds and fields they have, as far as they can. Nil: none is known, and none is checked.
	Providers *providers.Registry
}

// Findings are what there is to say of a Katalog, by the paths in the document.
type Findings struct {
	// Errors are all there are: with one, nothing must run.
	Errors field.ErrorList
	// Warnings are what is probably not meant so.
	Warnings field.ErrorList
}

// CompileKatalog compiles every enabled entry, in the order of their names.
func CompileKatalog(katalog *orkv1.Katalog, opts Options) ([]*Set, Findings) {
	language := template.NewLanguage(nil, nil)
	declared, errs := template.CompileNotes(language, template.NotesOf(katalog))
	language = language.WithNotes(declared)
	presets, wrong := newProfiles(katalog, language)
	errs = append(errs, wrong...)
	var sets []*Set
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		entry := katalog.Spec.CRDs[name]
		set, wrong := compile(katalog, name, &entry, opts, language, presets)
		errs = append(errs, wrong...)
		if entry.Enabled == nil || *entry.Enabled {
			sets = append(sets, set)
		}
	}
	return sets, Findings{Errors: presets.atPresets(errs), Warnings: presets.atPresets(once(language.Warnings()))}
}

func compile(
	katalog *orkv1.Katalog, name string, entry *orkv1.CRD, opts Options, language *template.Language, presets *profiles,
) (*Set, field.ErrorList) {
	at := field.NewPath("spec", "crds").Key(name)
	entry, unknown := presets.expand(entry, at)
	var children []string
	boxes, open := declaredBoxes(entry, at), false
	certificates := make([]certificate, 0, len(boxes))
	for _, one := range boxes {
		certificates = append(certificates, declareCertificates(one.box, one.at)...)
		names, unknown := childNames(opts.Registry, one.box)
		children, open = append(children, names...), open || unknown
	}
	targets := enriched(entry)
	known := roots.New(opts.Schemas[name]).WithChildren(open, append(children, enrich.Shown(targets...)...))
	c := &compiler{
		registry: opts.Registry, katalog: katalog, schemas: opts.Schemas, entry: entry, finalizers: katalog.Spec.Finalizers,
		language: language.Within(known).Enriched(targets...).Hiding(rules.HiddenOf(entry.Serve).Concerns), known: known, stored: known, profiles: presets, errs: &unknown,
		claims: katalog.Providers, registered: opts.Providers,
	}
	set := &Set{
		Katalog: katalog.Name,
		Name:    name,
		GVK:     schema.GroupVersionKind{Group: entry.APITypes.Group, Version: entry.APITypes.Version, Kind: entry.APITypes.Kind},
		Plural:  entry.APITypes.Plural,
		Watch: Watch{
			Namespace:     entry.Namespace,
			LabelSelector: labels.SelectorFromSet(entry.LabelSelector).String(),
			FieldSelector: fields.SelectorFromSet(entry.FieldSelector).String(),
			Resync:        DefaultResync,
		},
		Workers:          DefaultWorkers,
		FailureThreshold: DefaultFailureThreshold,
		Namespaces:       namespaces.For(katalog, entry),
		DependsOn:        entry.DependsOn,
		StripFinalizers:  entry.RemoveFinalizers,
		CrossAccess:      crossAccess(katalog, entry),
		Protection:       protection(katalog, entry),
		OnRemoval:        cmp.Or(entry.OnRemoval, orkv1.RemovalKeep),
	}
	if r := entry.OperatorBox.Reconciler; r != nil {
		if r.Workers != nil {
			set.Workers = int(*r.Workers)
		}
		if r.Resync != nil && r.Resync.Duration > 0 {
			set.Watch.Resync = r.Resync.Duration
		}
		if r.Queue != nil {
			set.Retry = c.retry(r.Queue.RetryBackoff, set.Watch.Resync, at.Child("operatorBox", "reconciler", "queue", "retryBackoff"))
			set.Delayed = r.Queue.Type == orkv1.QueueTypeDelayed
		}
		if r.Queue != nil && r.Queue.FailureThreshold != nil {
			set.FailureThreshold = int(*r.Queue.FailureThreshold)
		}
	}
	set.Capacity = set.capacity(entry.OperatorBox.Reconciler)
	set.Autoscale = c.scaling(entry.OperatorBox.Autoscale, set.Capacity, at.Child("operatorBox", "autoscale"))
	c.rules(set, at)
	set.Labels = c.steady("the label would change in every cycle").templates(entry.Labels, at.Child("labels"))
	for _, label := range set.Labels {
		set.LabelsWait = set.LabelsWait || readsFetched(label)
	}
	c.labels = set.Labels
	set.crd = c.box(&entry.OperatorBox, at.Child("operatorBox"))
	set.Limits = c.limits(set.crd, entry.OperatorBox.Reconciler, at.Child("operatorBox"))
	c.targets(set, at)
	set.BuildBlocks = set.buildBlocks()
	set.Enrich = c.enrich(set, at)
	return set, atIngresses(*c.errs, certificates)
}

// compiler collects what is wrong on the way through one entry.
type compiler struct {
	registry *controllers.Registry
	// katalog is that of the entry, and schemas are those of its CRDs by name, as far as they are known.
	katalog    *orkv1.Katalog
	schemas    map[string]*roots.Props
	entry      *orkv1.CRD
	finalizers []string
	labels     map[string]*template.Program
	// early are the paths that are read before the box is looked at.
	early [][]string
	// language is what texts may use at the place where the compiler is, and known what is known of the roots there.
	language *template.Language
	known    *roots.Known
	// stored is what is known of the roots before normalize and mutation.
	stored *roots.Known
	// beforeRules is what is known of them between normalize and mutation.
	beforeRules *roots.Known
	// called are the places of the external calls whose results are seen, by their names.
	called map[string]*field.Path
	// claims are the providers that the Katalog says it depends on, and registered those that are there.
	claims     []orkv1.ProviderClaim
	registered *providers.Registry
	profiles   *profiles
	errs       *field.ErrorList
}

func (c *compiler) report(errs ...*field.Error) { *c.errs = append(*c.errs, errs...) }

// steady returns a compiler of texts whose values must be the same each time.
func (c *compiler) steady(why string) *compiler {
	steady := *c
	steady.language = c.language.Steady(why)
	return &steady
}

// seeing returns a compiler of texts that see other roots.
func (c *compiler) seeing(known *roots.Known) *compiler {
	seeing := *c
	seeing.known, seeing.language = known, c.language.Within(known)
	return &seeing
}

func (c *compiler) box(declared *orkv1.OperatorBox, at *field.Path) *Box {
	b := &Box{Finalizers: c.finalizers}
	outside, c := c.externals(b, declared, at)
	b.OnDelete = c.deleting().onDelete(declared.OnDelete, at.Child("onDelete"))
	outside.builds, c = c.builds(declared, at)
	b.Gate, b.Status = c.gate(declared.Conditions, at), c.status(declared.Status, at.Child("status"))
	if len(declared.Finalizers) > 0 {
		b.Finalizers = declared.Finalizers
	}
	if r := declared.Reconciler; r != nil {
		b.Requeue = c.requeue(r.Requeue, at.Child("reconciler", "requeue"))
	}
	c.preReconcile(b, declared.PreReconcile, at.Child("preReconcile"))
	b.Watches, b.EventWatches = c.observe(declared, at)
	b.Blocks = append(b.Blocks, c.block(declared.OnCreate, onCreate, false, at)...)
	b.Blocks = append(b.Blocks, c.block(declared.OnReconcile, onReconcile, true, at)...)
	b.take(outside)
	b.Rollback = c.rollback(declared, at)
	b.Provided = c.providers(declared.Providers, at.Child("providers"))
	c.seeing(c.known.WithoutCross("is there after the args of Go code")).code(b, declared, at.Child("reconciler"))
	blocks := b.Declared()
	if b.OnDelete != nil {
		blocks = append(slices.Clip(blocks), b.OnDelete.blocks()...)
	}
	b.Kinds = c.kinds(blocks)
	if len(*c.errs) == 0 {
		noteReads(b, c.labels, c.early)
	}
	return b
}

// block compiles the children of a block. Kept tells whether they are all kept as declared.
func (c *compiler) block(declared *orkv1.Block, name string, kept bool, at *field.Path) []Block {
	if declared == nil {
		return nil
	}
	at = at.Child(name)
	block := Block{Name: name, Gate: c.gate(declared.Conditions, at)}
	for _, declaration := range c.registry.Declarations(declared, at) {
		c.report(declaration.Check()...)
		child := c.child(declaration, kept, at)
		child.Position = len(block.Children)
		block.Children = append(block.Children, child)
	}
	c.arrange(&block)
	return []Block{block}
}

func (c *compiler) child(declaration controllers.Declaration, kept bool, at *field.Path) Child {
	forEach := c.forEach(declaration.Policy.ForEach, declaration.Path.Child("forEach"))
	child := Child{
		Declaration: declaration,
		ForEach:     forEach,
		CreateOnce:  declaration.Kind.CreateOnce || !kept && !declaration.Policy.Reconcile,
		Force:       c.force(declaration.Policy.ForceConflict),
	}
	if declaration.Policy.Sleep != nil {
		child.Sleep = declaration.Policy.Sleep.Duration
	}
	if forEach != nil {
		c = c.seeing(forEach.elements(c.known))
	}
	child.Gate = c.gate(declaration.Conditions, declaration.Path)
	child.Recreate = declaration.Policy.OnImmutable == orkv1.ImmutableRecreate && !child.CreateOnce
	// Errors at run time are for a condition of 256 characters: they name the declaration, not the way to it.
	language := c.language
	if !child.CreateOnce {
		language = language.Steady("the child would be written in every cycle; let onCreate make it").Writing(keysOf(declaration)...)
	}
	child.chosen = c.chosen(declaration, language)
	language = language.Under(at)
	child.Autoscale = c.autoscale(declaration, language)
	value, errs := template.CompileOf(language, declaration.Value, field.NewPath(declaration.Kind.Key).Index(declaration.Index))
	c.report(errs...)
	child.Value = value
	child.Identity, errs = c.identity(declaration, language)
	if value != nil { // else what is wrong is known
		c.report(errs...)
	}
	c.distinct(declaration, child)
	return child
}

// identity compiles once more the texts that tell which objects are meant: also those of an object that is made once must be the same
// each time.
func (c *compiler) identity(
	declaration controllers.Declaration, language *template.Language,
) (*template.Of[controllers.Identity], field.ErrorList) {
	at := field.NewPath(declaration.Kind.Key).Index(declaration.Index)
	if declaration.Kind.GVK.Empty() {
		at = at.Child("metadata")
	}
	return template.CompileOf(language.Quiet().Steady("each cycle would make one more object; derive it from the resource, as {{ .metadata.name }}"),
		declaration.Identity, at)
}

// force is the declaration's own word, else the entry's, else true.
func (c *compiler) force(declared *bool) bool {
	for _, force := range []*bool{declared, c.entry.ForceConflict} {
		if force != nil {
			return *force
		}
	}
	return true
}

func (c *compiler) forEach(declared *orkv1.ForEach, at *field.Path) *ForEach {
	if declared == nil {
		return nil
	}
	at = at.Child("field")
	path, err := template.ParsePath(declared.Field)
	if err != nil {
		c.report(field.Invalid(at, declared.Field, err.Error()))
		return &ForEach{As: declared.As}
	}
	c.report(c.language.Check(declared.Field, path, at)...)
	switch kind := c.known.Shape(path).Type; kind {
	case "", notes.TypeList, notes.TypeMap:
	default:
		c.report(field.Invalid(at, declared.Field, fmt.Sprintf("is a %s: forEach goes over a list or a map", kind)))
	}
	return &ForEach{Field: path, As: declared.As}
}

func (c *compiler) gate(declared orkv1.Conditions, at *field.Path) *conditions.Program {
	program, errs := conditions.Compile(c.language, declared, at)
	c.report(errs...)
	return program
}

func (c *compiler) template(text orkv1.Template, at *field.Path) *template.Program {
	program, errs := c.language.Compile(string(text), at)
	c.report(errs...)
	return program
}

func (c *compiler) templates(texts map[string]orkv1.Template, at *field.Path) map[string]*template.Program {
	programs := make(map[string]*template.Program, len(texts))
	for key, text := range texts {
		programs[key] = c.template(text, at.Key(key))
	}
	return programs
}

func (c *compiler) requeue(declared []orkv1.Requeue, at *field.Path) []Requeue {
	list := make([]Requeue, 0, len(declared))
	for i, one := range declared {
		here := at.Index(i)
		list = append(list, Requeue{Gate: c.gate(one.Conditions, here), After: c.template(one.After, here.Child("after"))})
		if isStatic(one.After) && one.After != "" {
			if _, err := orkv1.ParseDuration(string(one.After)); err != nil {
				c.report(field.Invalid(here.Child("after"), string(one.After), err.Error()))
			}
		}
	}
	return list
}

// kinds lists the kinds of all children in apply order: the registry's, and inside of one that names its own, the file's.
func (c *compiler) kinds(blocks []Block) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, kind := range c.registry.Kinds() {
		for _, block := range blocks {
			for _, child := range block.Children {
				if child.Kind.Key == kind.Key && !child.GVK.Empty() && !slices.Contains(kinds, child.GVK) {
					kinds = append(kinds, child.GVK)
				}
			}
		}
	}
	return kinds
}
