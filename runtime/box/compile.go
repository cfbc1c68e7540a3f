package box

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
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
	declared, errs := template.CompileNotes(language, declaredNotes(katalog))
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

func declaredNotes(katalog *orkv1.Katalog) []template.Declared {
	if katalog.Notes == nil {
		return nil
	}
	at := field.NewPath("notes", "functions")
	var declared []template.Declared
	for i, one := range katalog.Notes.Functions {
		declared = append(declared, template.Declared{Name: one.Name, Expression: string(one.Expression), At: at.Index(i).Child("expression")})
	}
	return declared
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
		registry: opts.Registry, entry: entry, finalizers: katalog.Spec.Finalizers,
		language: language.Within(known).Enriched(targets...), known: known, stored: known, profiles: presets, errs: &unknown,
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
		Namespaces:       namespaceGuard(katalog, entry),
		DependsOn:        entry.DependsOn,
		StripFinalizers:  entry.RemoveFinalizers,
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
	c.labels = set.Labels
	set.crd = c.box(&entry.OperatorBox, at.Child("operatorBox"))
	set.Limits = c.limits(set.crd, entry.OperatorBox.Reconciler, at.Child("operatorBox"))
	c.targets(set, at)
	set.Enrich = c.enrich(set, at)
	return set, atIngresses(*c.errs, certificates)
}

// compiler collects what is wrong on the way through one entry.
type compiler struct {
	registry   *controllers.Registry
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
	called   map[string]*field.Path
	profiles *profiles
	errs     *field.ErrorList
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
	calls, c := c.externals(b, declared, at)
	b.Gate, b.Status = c.gate(declared.Conditions, at), c.status(declared.Status, at.Child("status"))
	if len(declared.Finalizers) > 0 {
		b.Finalizers = declared.Finalizers
	}
	if r := declared.Reconciler; r != nil {
		b.Requeue = c.requeue(r.Requeue, at.Child("reconciler", "requeue"))
	}
	c.preReconcile(b, declared.PreReconcile, at.Child("preReconcile"))
	b.Watches, b.EventWatches = c.observe(declared, at)
	b.Blocks = append(b.Blocks, c.block(declared.OnCreate, "onCreate", false, at)...)
	b.Blocks = append(b.Blocks, c.block(declared.OnReconcile, "onReconcile", true, at)...)
	b.take(calls)
	b.OnDelete = c.onDelete(declared.OnDelete, at.Child("onDelete"))
	b.Rollback = c.rollback(declared, at)
	c.code(b, declared, at.Child("reconciler"))
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

func (c *compiler) status(declared *orkv1.Status, at *field.Path) Status {
	status := Status{
		Off:                c.entry.IgnoreStatusPatch,
		Conditions:         true,
		ObservedGeneration: !c.entry.IgnoreObservedGeneration,
	}
	if declared == nil {
		return status
	}
	if declared.Conditions != nil {
		status.Conditions = *declared.Conditions
	}
	steady := c.steady("the status would change in every cycle")
	for i, one := range declared.Fields {
		here := at.Child("fields").Index(i)
		path := statusPath(one.Path)
		if !c.known.Keeps(append([]string{"status"}, path...)) {
			c.language.Warn(field.Invalid(here.Child("path"), one.Path, "is left out: it is not in the schema, so the server would drop it"+c.near(path)))
		}
		c.constant(one, path, here.Child("value"))
		status.Fields = append(status.Fields, StatusField{
			Path:         path,
			Value:        steady.template(one.Value, here.Child("value")),
			Type:         one.Type,
			Gate:         c.gate(one.Conditions, here),
			Conditional:  len(one.When)+len(one.Or) > 0,
			ClearOnFalse: one.ClearOnFalse,
		})
	}
	c.restless(status.Fields, at)
	return status
}

// near names the field of the status that was probably meant by one that it does not have.
func (c *compiler) near(path []string) string {
	for i := range path {
		above := append(template.Path{"status"}, path[:i]...)
		if props := c.known.At(above); props != nil && !c.known.Keeps(append(above, path[i])) {
			if name := nearest.Word(path[i], slices.Sorted(maps.Keys(props.Properties))); name != "" {
				return "; did you mean " + name + "?"
			}
			return ""
		}
	}
	return ""
}

// constant reports a value that is the same in each cycle and that the schema never takes.
func (c *compiler) constant(declared orkv1.StatusField, path []string, at *field.Path) {
	text := strings.TrimSpace(string(declared.Value))
	if text == "" || !isStatic(declared.Value) {
		return
	}
	shape := c.known.Shape(append(template.Path{"status"}, path...))
	fits, want := true, shape.Type
	switch shape.Type {
	case notes.TypeNumber:
		_, fits = notes.NumberOf(text)
	case notes.TypeBool:
		_, err := strconv.ParseBool(text)
		fits = err == nil
	case notes.TypeString:
		fits, want = shape.Enum == nil || slices.Contains(shape.Enum, text), "one of "+strings.Join(shape.Enum, ", ")
	case notes.TypeList, notes.TypeMap:
		fits = false
	}
	if !fits {
		c.report(field.Invalid(at, text, "the schema wants "+articled(want)+" here"))
	}
}

// articled is the name of a type as people say it.
func articled(kind string) string {
	switch kind {
	case notes.TypeNumber:
		return "a number"
	case notes.TypeBool:
		return "true or false"
	case notes.TypeList:
		return "a list"
	case notes.TypeMap:
		return "a map"
	default:
		return kind
	}
}

// statusPath reads a dot path below status. That it is one, the loader has seen to.
func statusPath(text string) []string { return strings.Split(strings.TrimPrefix(text, "."), ".") }

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

// noteReads finds out what the programs of the box, and those of the resource's labels, read.
func noteReads(b *Box, kept map[string]*template.Program, early [][]string) {
	note := func(children *bool, references [][]string) {
		for _, reference := range references {
			*children = *children || len(reference) == 0 || reference[0] == "children"
			b.ReadsStatus = b.ReadsStatus || readsStatus(reference)
			b.ReadsReady = b.ReadsReady || readsReady(reference)
			b.ReadsFeedback = b.ReadsFeedback || roots.IsFeedback(reference)
		}
	}
	note(new(bool), early) // they are asked before there are children to see
	note(&b.ReadsChildren, b.Gate.References())
	for _, label := range kept {
		note(&b.ReadsChildren, label.References())
	}
	for _, block := range b.Declared() {
		note(&b.ReadsChildren, block.Gate.References())
		note(new(bool), block.Calls.References())
		for _, child := range block.Children {
			note(&b.ReadsChildren, child.Gate.References())
			note(&b.ReadsChildren, child.references())
			note(&b.ReadsChildren, child.Autoscale.references())
			if child.ForEach != nil {
				note(&b.ReadsChildren, [][]string{child.ForEach.Field})
			}
		}
	}
	b.OnDelete.noteReads(note)
	note(new(bool), b.HookCalls.References())
	if b.Hooks != nil {
		b.Hooks.noteReads(note)
	}
	for i := range b.Status.Fields {
		one := &b.Status.Fields[i]
		one.Transition = slices.ContainsFunc(one.Gate.References(), readsStatus)
		note(&b.StatusReadsChildren, one.Gate.References())
		note(&b.StatusReadsChildren, one.Value.References())
	}
	for _, one := range b.Requeue {
		note(&b.StatusReadsChildren, one.Gate.References())
		note(&b.StatusReadsChildren, one.After.References())
	}
}

// readsStatus tells whether a reference is to the status, or to everything, as in {{ toJson . }}.
func readsStatus(reference []string) bool { return len(reference) == 0 || reference[0] == "status" }

// readsReady tells whether a reference is to .children.<kind>.ready or .children.<plural>.<name>.ready, or may have it along with a whole
// object or kind.
func readsReady(reference []string) bool {
	switch {
	case len(reference) == 0:
		return true
	case reference[0] != "children":
		return false
	case len(reference) <= 3:
		return len(reference) < 3 || !slices.Contains([]string{"metadata", "spec", "status"}, reference[2])
	default:
		return reference[3] == "ready"
	}
}
