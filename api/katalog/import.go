package katalog

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// An import is expanded on the nodes, before they are decoded, as an include is: so that every value keeps the position
// that it has in the file of its Motif, and is decoded and checked like one that the Katalog has itself.

// blockKeys are the blocks of a box that a Motif adds to.
var blockKeys = []string{"onCreate", "onReconcile", "onDelete"}

// expanded is a copy of a Motif with its inputs bound.
type expanded struct {
	root *node
	via  *site
}

// imports expands every import of a Katalog.
func (in *includer) imports(d *decoder, root *node) {
	d.respell(root, typeKatalog, "")
	spec := root.get("spec")
	if spec == nil || spec.kind != kindMap {
		return
	}
	d.respell(spec, reflect.TypeFor[orkv1.KatalogSpec](), "spec")
	for _, part := range in.take(d, spec, "spec.imports") {
		in.shared(d, root, part)
		for _, key := range []string{"resources", "status", "admission"} {
			if i := part.root.index(key); i >= 0 {
				d.warnf(part.via.pos, "spec.imports", "the Katalog takes profiles and notes alone; %s (%s) is left out, import it on a CRD",
					key, part.root.fields[i].pos)
			}
		}
	}
	crds := spec.get("crds")
	if crds == nil || crds.kind != kindMap {
		return
	}
	for _, e := range crds.fields {
		if e.value.kind == kindMap {
			path := "spec.crds[" + e.key + "]"
			d.respell(e.value, typeCRD, path)
			in.crd(d, root, e.value, path)
		}
	}
}

// crd expands the imports of a CRD.
func (in *includer) crd(d *decoder, root, crd *node, path string) {
	parts := in.take(d, crd, path+".imports")
	if len(parts) == 0 || in.limit.reached {
		return
	}
	pos := parts[0].root.pos
	box := child(crd, "operatorBox", pos)
	if box == nil {
		return // the decoder says so
	}
	d.respell(box, typeBox, path+".operatorBox")
	if status := box.get("status"); status != nil {
		d.respell(status, reflect.TypeFor[orkv1.Status](), path+".operatorBox.status")
	}
	fields := 0
	for _, part := range parts {
		in.resources(part, box)
		fields += in.status(part, box, fields)
		in.rules(d, part, crd, path)
		in.shared(d, root, part)
	}
}

// take removes the imports of a map and returns what they bring, in order, what Motifs import themselves first.
func (in *includer) take(d *decoder, n *node, path string) []expanded {
	list := n.get("imports")
	if list == nil || list.kind != kindList {
		return nil // the decoder says so
	}
	n.take("imports")
	var parts []expanded
	for i, item := range list.items {
		at := path + "[" + strconv.Itoa(i) + "]"
		before := len(d.errors)
		d.place(item, item.pos, at)
		if item.isNull() {
			d.errorf(item.pos, at, "the element has no value; remove it")
			continue
		}
		d.value(item, reflect.New(typeImport).Elem(), at)
		if len(d.errors) == before {
			parts = append(parts, in.expand(d, item, at, nil)...)
		}
	}
	return parts
}

// expand returns the Motif of an import and those that it imports.
func (in *includer) expand(d *decoder, item *node, path string, above *site) []expanded {
	m, given, via := in.resolve(d, item, path, above)
	if m == nil || in.limit.reached {
		return nil
	}
	bound := map[string]*binding{}
	for _, input := range m.inputs {
		if value := input.value(d, given, path); value != nil {
			bound[input.name] = value
		}
	}
	if len(bound) < len(m.inputs) {
		return nil
	}
	found := &log{}
	defer func() { in.report(found, via) }()
	root, ok := m.root.clone(in.budget)
	if !ok {
		in.limit.end(found, m.root.pos, "")
		return nil
	}
	root.brought(via)
	b := &binder{log: found, limit: in.limit, motif: m, bound: bound, decided: in.decided, constants: map[*node]bool{}}
	if resources := root.get("resources"); resources != nil {
		b.spreadGates(resources, "resources")
	}
	b.parts(root)
	var parts []expanded
	if imports := root.get("imports"); imports != nil {
		inner := &decoder{log: found}
		for i, item := range imports.items {
			parts = append(parts, in.expand(inner, item, "imports["+strconv.Itoa(i)+"]", via)...)
		}
	}
	return append(parts, expanded{root, via})
}

// brought marks a value and everything below it.
func (n *node) brought(via *site) {
	n.via = via
	for _, item := range n.items {
		item.brought(via)
	}
	for _, e := range n.fields {
		e.value.brought(via)
	}
}

// checkImports checks the imports of a Motif as far as its own inputs do not matter.
func (in *includer) checkImports(d *decoder, m *motif, via *site) {
	imports := m.root.get("imports")
	if imports == nil {
		return
	}
	for i, item := range imports.items {
		path := "imports[" + strconv.Itoa(i) + "]"
		before := len(d.errors)
		other, given, _ := in.resolve(d, item, path, via)
		m.broken = m.broken || len(d.errors) > before
		if other == nil {
			continue
		}
		for _, input := range other.inputs {
			if n := given.get(input.name); n == nil || !n.isText() || !mayReadInputs(n.text) {
				input.value(d, given, path)
			}
		}
	}
}

// registryName is the short name of a Motif in a registry.
var registryName = regexp.MustCompile(`^[A-Za-z0-9][-\w]*(/[-\w]+)*[@:]v?\d[-+.\w]*$`)

// resolve finds the Motif of an import and checks which inputs it is given. The Motif is nil when something is reported.
func (in *includer) resolve(d *decoder, item *node, path string, above *site) (m *motif, given *node, via *site) {
	file, at := item.get("motif"), join(path, "motif")
	switch {
	case file == nil || !file.isText() || file.text == "":
		d.errorf(item.pos, at, "required: the path of the file of a Motif")
		return nil, nil, nil
	case isRemote(file.text):
		d.errorf(file.pos, at, "imported Motifs must be local; URLs and registries are %s: save the file and write its path", notYet)
		return nil, nil, nil
	}
	if in.alone {
		d.errorf(file.pos, at, "%s", noFiles)
		return nil, nil, nil
	}
	name := resolve(file.pos.File, file.text)
	if _, err := os.Stat(name); err != nil && registryName.MatchString(file.text) {
		d.errorf(file.pos, at, "%s names a Motif of a registry, which is %s: save the file and write its path", quote(file.text), notYet)
		return nil, nil, nil
	}
	in.used[name] = true
	via = &site{pos: file.pos, above: above}
	if m = in.motif(d, name, file.pos, at, via); m == nil {
		return nil, nil, nil
	}
	given = item.get("with")
	if given == nil {
		return m, newMap(item.pos), via
	}
	given = m.meant(d, given, path)
	return m, given, via
}

// meant reports the inputs that a Motif does not have. One that is misspelt is returned as what it most likely means, so that
// the rest of the import is checked as well.
func (m *motif) meant(d *decoder, given *node, path string) *node {
	meant := newMap(given.pos)
	for _, e := range given.fields {
		if m.input(e.key) != nil {
			meant.put(e)
			continue
		}
		d.errorf(e.pos, join(path, "with")+"["+e.key+"]", "%s", m.noInput(e.key))
		if near := nearest.Word(e.key, m.names()); near != "" && given.get(near) == nil && meant.get(near) == nil {
			meant.put(entry{near, e.pos, e.value})
		}
	}
	return meant
}

// value is what an import gives for an input, or its default. It is nil when something is reported.
func (in *input) value(d *decoder, given *node, path string) *binding {
	at := join(path, "with") + "[" + in.name + "]"
	n := given.get(in.name)
	switch {
	case n != nil && n.isNull():
		d.errorf(n.pos, at, `the input has no value; remove it, or write "" for an empty text`)
		return nil
	case n != nil:
		return in.bind(d, n, at)
	case in.required:
		d.errorf(given.pos, at, "required by the Motif (%s)", in.pos)
		return nil
	case in.fallback != nil:
		return in.bind(d, in.fallback, at)
	default:
		return &binding{constant: newText(in.pos, "")}
	}
}

// resources adds the children of a Motif to the blocks of a box.
func (in *includer) resources(part expanded, box *node) {
	resources := part.root.get("resources")
	if resources == nil || resources.kind != kindMap {
		return
	}
	for _, key := range blockKeys {
		if block, ok := resources.take(key); ok && block.value.kind == kindMap {
			in.block(box, key, block.pos, block.value, part.via)
		}
	}
	if len(resources.fields) > 0 {
		in.block(box, "onReconcile", resources.fields[0].pos, resources, part.via)
	}
}

func (in *includer) block(box *node, key string, pos Position, block *node, via *site) {
	target := child(box, key, pos)
	if target == nil {
		return
	}
	for _, e := range block.fields {
		mine := target.get(e.key)
		if mine == nil || e.value.kind != kindMap || mine.isNull() {
			if mine != nil {
				e.value.items = withoutOwn(e.value.items, mine.items)
			}
			addTo(target, e)
			continue
		}
		found := &log{}
		found.errorf(e.pos, "resources."+e.key, "the box has one already (%s); keep one", mine.pos)
		in.report(found, via)
	}
}

// addTo adds a list to that of a map, or a value that the map does not have.
func addTo(target *node, e entry) {
	mine := target.get(e.key)
	switch {
	case mine == nil || mine.isNull():
		target.take(e.key)
		target.put(e)
	case mine.kind == kindList && e.value.kind == kindList:
		mine.items = append(mine.items, e.value.items...)
	}
}

// withoutOwn returns the elements without those that the Katalog itself declares under the same name.
func withoutOwn(items, present []*node) []*node {
	own := map[string]bool{}
	for _, item := range present {
		if item.via == nil {
			own[identity(item)] = true
		}
	}
	return slices.DeleteFunc(items, func(item *node) bool {
		name := identity(item)
		return name != "" && own[name]
	})
}

// identity tells declarations apart that always make an object of a name of their own. It is "" for all others.
func identity(n *node) string {
	for _, key := range []string{"when", "or", "anyOf", "forEach"} {
		if n.index(key) >= 0 {
			return ""
		}
	}
	named, kind := n, ""
	if metadata := n.get("metadata"); metadata != nil {
		named, kind = metadata, n.textOf("apiVersion")+" "+n.textOf("kind")
	}
	if named.textOf("name") == "" {
		return ""
	}
	return kind + " " + named.textOf("namespace") + "/" + named.textOf("name")
}

// status puts the fields of a Motif before those of the box, of which the last of a path wins, but behind the ones that are
// there from other Motifs. It returns how many.
func (in *includer) status(part expanded, box *node, others int) int {
	status := part.root.get("status")
	if status == nil || status.kind != kindMap {
		return 0
	}
	target := child(box, "status", status.pos)
	if target == nil {
		return 0
	}
	added := 0
	for _, e := range status.fields {
		mine := target.get(e.key)
		if e.key == "fields" && e.value.kind == kindList && mine != nil && mine.kind == kindList {
			added = len(e.value.items)
			mine.items = slices.Insert(mine.items, min(others, len(mine.items)), e.value.items...)
			continue
		}
		if e.key == "fields" {
			added = len(e.value.items)
		}
		addTo(target, e)
	}
	return added
}

// rules adds the rules of a Motif to those of a CRD.
func (in *includer) rules(d *decoder, part expanded, crd *node, path string) {
	admission := part.root.get("admission")
	if admission == nil || admission.kind != kindMap {
		return
	}
	for _, e := range admission.fields {
		target := child(crd, e.key, e.pos)
		if target == nil || e.value.kind != kindMap {
			continue
		}
		t := typeCRD.FieldByIndex(infoOf(typeCRD).byName[e.key].index).Type.Elem()
		d.respell(target, t, join(path, e.key)) // what it includes comes first
		for _, rules := range e.value.fields {
			addTo(target, rules)
		}
	}
}

// shared adds the profiles and notes of a Motif to those of the Katalog. The same ones of a Motif that is imported twice
// are added once.
func (in *includer) shared(d *decoder, root *node, part expanded) {
	for _, key := range []string{"profiles", "notes"} {
		mine := part.root.get(key)
		if mine == nil || mine.kind != kindMap || len(mine.fields) == 0 {
			continue
		}
		target := child(root, key, mine.pos)
		if target == nil {
			continue
		}
		t := typeKatalog.FieldByIndex(infoOf(typeKatalog).byName[key].index).Type.Elem()
		d.respell(target, t, key) // what it includes comes first
		for _, list := range mine.fields {
			have := target.get(list.key)
			if have != nil && have.kind == kindList && list.value.kind == kindList {
				list.value.items = slices.DeleteFunc(list.value.items, func(item *node) bool {
					return slices.ContainsFunc(have.items, item.same)
				})
			}
			addTo(target, list)
		}
	}
}

// same tells whether two values come from one place of a file and say the same.
func (n *node) same(other *node) bool {
	return n.pos == other.pos && n.tag == other.tag && n.text == other.text &&
		slices.EqualFunc(n.items, other.items, (*node).same) &&
		slices.EqualFunc(n.fields, other.fields, func(a, b entry) bool { return a.key == b.key && a.value.same(b.value) })
}
