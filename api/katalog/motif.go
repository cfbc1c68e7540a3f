package katalog

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const kindMotif = "Motif"

// motif is a file of the kind Motif. It is read and checked once, and copied for each import.
type motif struct {
	file   string
	name   string
	root   *node // in canonical form
	inputs []*input
	broken bool // which is reported
}

// site is an import that led to a Motif. Above is the import of the Motif that the import stands in, nil for a Katalog.
type site struct {
	pos   Position
	above *site
}

// places are the positions of the import and of those above it.
func (s *site) places() []Position {
	var places []Position
	for ; s != nil; s = s.above {
		places = append(places, s.pos)
	}
	return places
}

// motif returns the Motif of a file, which a value at a position names. It is nil when that is reported.
func (in *includer) motif(d *decoder, name string, at Position, path string, via *site) *motif {
	if i := slices.Index(in.open, name); i >= 0 {
		d.errorf(at, path, "the Motifs import each other: %s", strings.Join(append(in.open[i:len(in.open):len(in.open)], name), " -> "))
		return nil
	}
	if m, known := in.motifs[name]; known {
		return m.usable()
	}
	in.motifs[name] = nil
	before := len(in.log.errors)
	root := in.read(d, name, at, path, "a Motif")
	for i := before; i < len(in.log.errors); i++ {
		if in.log.errors[i].File == name {
			in.log.errors[i].Imports = via.places()
		}
	}
	if root == nil {
		return nil
	}
	if kind := root.textOf("kind"); kind != kindMotif {
		found := &log{}
		found.errorf(root.pos, "kind", "want Motif, got %s", quote(kind))
		in.report(found, via)
		return nil
	}
	m := &motif{file: name, root: root}
	in.motifs[name] = m
	in.open = append(in.open, name)
	in.check(m, via)
	in.open = in.open[:len(in.open)-1]
	return m.usable()
}

func (m *motif) usable() *motif {
	if m == nil || m.broken {
		return nil
	}
	return m
}

// check decodes a Motif strictly, which brings its nodes into canonical form, and checks what does not depend on an import.
func (in *includer) check(m *motif, via *site) {
	found := &log{}
	outer := in.log
	in.log = found
	defer func() { in.log = outer }()

	checkVersion(found, m.root)
	d := &decoder{
		log: found, includer: in, notSupported: in.notSupported, places: map[string]place{"": {Position: m.root.pos}},
		undecoded: map[string]bool{}, unbound: map[string]bool{},
	}
	var declared orkv1.Motif
	d.value(m.root, reflect.ValueOf(&declared).Elem(), "")
	m.name = declared.Metadata.Name
	m.readInputs(d)
	(&binder{log: found, motif: m}).parts(m.root)
	in.checkImports(d, m, via)
	decoded := len(found.errors)

	doc := &Document{Katalog: &orkv1.Katalog{}, root: m.root.pos, places: d.places}
	(&checker{doc: doc, log: found}).motif(&declared)
	found.errors = withoutEchoes(found.errors, decoded, d.undecoded)
	// A static check says nothing about a text that inputs will change.
	checked := slices.DeleteFunc(found.errors[decoded:], func(f Finding) bool { return d.unbound[f.Path] })
	found.errors = found.errors[:decoded+len(checked)]

	m.broken = m.broken || len(found.errors) > 0
	in.report(found, via)
}

// report hands on what was found in a Motif.
func (in *includer) report(found *log, via *site) {
	for _, findings := range []Findings{found.errors, found.warnings} {
		for i := range findings {
			if findings[i].Imports == nil {
				findings[i].Imports = via.places()
			}
		}
	}
	in.found.errors = append(in.found.errors, found.errors...)
	in.found.warnings = append(in.found.warnings, found.warnings...)
}

// motifParts are the fields of a Motif that its inputs are bound in.
var motifParts = []string{"imports", "resources", "status", "admission", "profiles", "notes"}

// parts binds the parts of a Motif.
func (b *binder) parts(root *node) {
	info := infoOf(typeMotif)
	for _, name := range motifParts {
		if part := root.get(name); part != nil {
			b.value(part, typeMotif.FieldByIndex(info.byName[name].index).Type, name)
		}
	}
}

// readInputs reads the inputs from the nodes, which keep the type of a default and its position.
func (m *motif) readInputs(d *decoder) {
	list := m.root.get("inputs")
	if list == nil {
		return
	}
	for i, item := range list.items {
		name, path := item.get("name"), "inputs["+strconv.Itoa(i)+"]"
		if name == nil || !name.isText() {
			continue
		}
		in := &input{name: name.text, pos: name.pos, want: item.textOf("type"), required: item.textOf("required") == "true"}
		if first := m.input(in.name); first != nil {
			d.errorf(in.pos, path+".name", "%s stands twice; the first is at %s", quote(in.name), first.pos)
			continue
		}
		if !pathStep.MatchString(in.name) {
			d.errorf(in.pos, path+".name", "want an identifier such as image, got %s", quote(in.name))
			continue
		}
		m.inputs = append(m.inputs, in)
		in.readDefault(d, item.get("default"), path+".default")
	}
}

func (in *input) readDefault(d *decoder, n *node, path string) {
	if n == nil || n.isNull() {
		return
	}
	if in.required {
		d.errorf(n.pos, path, "a required input has no default; remove one of the two")
		return
	}
	bound := in.bind(d, n, path)
	if bound != nil {
		in.fallback = n
	}
}

// bind reads the value of an input. It returns nil for what it has reported.
func (in *input) bind(d *decoder, n *node, path string) *binding {
	var bound *binding
	var problem string
	switch {
	case !n.isText():
		d.errorf(n.pos, path, "an input wants a text, number, boolean or template, got %s", n.describe())
		return nil
	case strings.Contains(n.text, "{{"):
		var err error
		if bound, err = newTemplate(n.text); err != nil {
			problem = "not a valid template: " + err.Error()
		} else if readsInputs(bound) {
			problem = "reads an input, and there is none here; read the resource, such as .spec.image"
		}
	default:
		bound, problem = newConstant(n)
	}
	if problem != "" {
		d.errorf(n.pos, path, "%s", problem)
		return nil
	}
	if !in.convert(bound) {
		want := map[string]string{"int": "a whole number", "bool": "true or false"}[in.want]
		d.errorf(n.pos, path, "the input wants %s (%s), got %s", want, in.pos, n.describe())
		return nil
	}
	return bound
}

// readsInputs tells whether a template reads inputs, where it cannot.
func readsInputs(b *binding) bool {
	if !mayReadInputs(b.text) {
		return false
	}
	reads := false
	s := &substitution{lookup: func(string) (*binding, error) {
		reads = true
		return &binding{constant: newText(Position{}, "")}, nil
	}}
	err := s.list(b.body.CopyList(), false)
	return reads || err != nil
}

// motif checks what a Motif declares as if it stood in a Katalog.
func (c *checker) motif(m *orkv1.Motif) {
	if r := m.Resources; r != nil {
		path := field.NewPath("resources")
		c.block(&r.Block, blockReconcile, path)
		c.block(r.OnCreate, blockCreate, path.Child("onCreate"))
		c.block(r.OnReconcile, blockReconcile, path.Child("onReconcile"))
		c.onDelete(r.OnDelete, path.Child("onDelete"))
	}
	c.status(m.Status, field.NewPath("status"))
	if a := m.Admission; a != nil {
		c.admission(&orkv1.CRD{Validation: a.Validation, Mutation: a.Mutation}, field.NewPath("admission"))
	}
	c.profiles(m.Profiles, field.NewPath("profiles"))
	c.notes(m.Notes, field.NewPath("notes"))
}
