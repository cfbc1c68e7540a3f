package katalog

import (
	"errors"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/expression"
	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// binder puts what an import gives for the inputs of a Motif into a copy of its nodes. It walks along the types, for what
// a text is depends on its field. Without bindings it changes nothing and only finds inputs that do not exist.
type binder struct {
	log   *log
	limit *limit
	motif *motif
	bound map[string]*binding
	// decided tells whether a condition whose field and value are constants holds. Nil leaves it to each cycle.
	decided func(condition *node) (holds, ok bool)
	// constants are the fields of conditions that have become constants.
	constants map[*node]bool
}

// limit bounds what the imports of one load add. Its end is reported once.
type limit struct {
	*budget
	reached bool
}

func (l *limit) end(log *log, at Position, path string) {
	if !l.reached {
		log.errorf(at, path, "Motifs add more than %d values; the rest is left out", maxAdded)
	}
	l.reached = true
}

var (
	typeCondition = reflect.TypeFor[orkv1.Condition]()
	typeForEach   = reflect.TypeFor[orkv1.ForEach]()
	typeMutation  = reflect.TypeFor[orkv1.MutationRule]()
)

// errBudget ends the walk over a text without a finding of its own.
var errBudget = errors.New("too much")

func (b *binder) value(n *node, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.kind == kindScalar:
		b.scalar(n, t, path)
	case n.kind == kindMap && t.Kind() == reflect.Struct && t != typeJSON:
		b.object(n, t, path)
	case n.kind == kindMap && t.Kind() == reflect.Map:
		for _, e := range n.fields {
			b.value(e.value, t.Elem(), path+"["+e.key+"]")
		}
	case n.kind == kindList && t.Kind() == reflect.Slice:
		b.list(n, t, path)
	default:
		b.anything(n, path)
	}
}

// anything binds a value of any shape.
func (b *binder) anything(n *node, path string) {
	if n.kind == kindScalar {
		b.scalar(n, typeJSON, path)
	}
	for i, item := range n.items {
		b.anything(item, path+"["+strconv.Itoa(i)+"]")
	}
	for _, e := range n.fields {
		b.anything(e.value, join(path, e.key))
	}
}

func (b *binder) object(n *node, t reflect.Type, path string) {
	info := infoOf(t)
	for _, e := range n.fields {
		f := info.byName[e.key]
		switch below := join(path, e.key); {
		case f == nil:
			b.anything(e.value, below)
		case e.key == "field" && e.value.isText():
			b.field(e.value, f.owner, below)
		case e.key == "cel" && f.owner == typeCondition:
			b.value(e.value, t.FieldByIndex(f.index).Type, below)
			b.cel(e.value, below)
		default:
			b.value(e.value, t.FieldByIndex(f.index).Type, below)
		}
	}
}

// list also drops the elements whose gate is closed for good.
func (b *binder) list(n *node, t reflect.Type, path string) {
	items := n.items[:0:0]
	for i, item := range n.items {
		b.value(item, t.Elem(), path+"["+strconv.Itoa(i)+"]")
		if b.decided == nil || !isDroppable(t.Elem(), item) || b.mayPass(item) {
			items = append(items, item)
		}
	}
	n.items = items
}

func (b *binder) scalar(n *node, t reflect.Type, path string) {
	if n.isText() && mayReadInputs(n.text) {
		b.text(n, path)
	}
	switch t.Kind() {
	case reflect.Bool:
		n.retag(tagBool)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n.retag(tagInt)
	default:
	}
}

// text binds a template. One that is a single input becomes its constant, with the type of that.
func (b *binder) text(n *node, path string) {
	body, err := parseExpressions(n.text)
	if err != nil {
		b.log.errorf(n.pos, path, "not a valid template: %v", err)
		return
	}
	if only := b.bound[soleInput(single(body))]; only != nil {
		b.set(n, only.text, path)
		if only.constant != nil {
			n.tag, n.quoted = only.constant.tag, only.constant.quoted
		}
		return
	}
	s := &substitution{lookup: b.lookup}
	if err := s.list(body, false); err != nil {
		b.problem(n, path, err)
		return
	}
	b.set(n, printed(body), path)
}

// inputField is a dot path below inputs.
var inputField = regexp.MustCompile(`^\s*\.?inputs(\..*|\s*)$`)

// field binds the field of a condition, rule or forEach, which is a dot path when it is no template.
func (b *binder) field(n *node, owner reflect.Type, path string) {
	isCondition := owner == typeCondition
	switch {
	case owner != typeForEach && owner != typeMutation && !isCondition:
		b.scalar(n, reflect.TypeFor[string](), path)
	case inputField.MatchString(n.text):
		b.inputField(n, isCondition, path)
	case mayReadInputs(n.text):
		b.fieldTemplate(n, owner, path)
	}
}

// inputField binds inputs.name.
func (b *binder) inputField(n *node, isCondition bool, path string) {
	keys := strings.Split(strings.TrimPrefix(strings.TrimSpace(n.text), "."), ".")[1:]
	if len(keys) == 0 || keys[0] == "" {
		b.log.errorf(n.pos, path, "name an input, such as inputs.image")
		return
	}
	bound, err := b.lookup(keys[0])
	if err != nil {
		b.problem(n, path, err)
		return
	}
	if isCondition && bound.constant != nil && b.constants != nil {
		b.constants[n] = true
	}
	b.set(n, bound.field(keys[1:], isCondition), path)
}

// field is what stands in place of inputs.name and the keys below it: a dot path where that is possible, and a template
// where a path would mean something else.
func (b *binding) field(below []string, isCondition bool) string {
	path, isPath := b.path()
	switch {
	case isPath:
		return strings.Join(append([]string{path}, below...), ".")
	case b.constant != nil && len(below) == 0 && !isCondition:
		return b.text // the path itself
	case b.constant != nil || b.only != nil:
		return "{{ " + expression.PartKeys(b.operand(below, false).String()) + " }}"
	case len(below) > 0:
		return quoted("")
	default:
		return b.text
	}
}

// fieldTemplate binds the template of a field. A text that begins as a path does remains one. In forEach, which takes no
// template, an expression that is a path becomes one.
func (b *binder) fieldTemplate(n *node, owner reflect.Type, path string) {
	literal, _, _ := strings.Cut(n.text, "{{")
	begins := strings.HasSuffix(strings.TrimSpace(literal), ".")
	before := *n
	b.text(n, path)
	if b.bound == nil {
		return
	}
	if strings.Contains(n.text, "{{") {
		if after, err := newTemplate(n.text); err == nil && owner == typeForEach {
			if dotted, ok := after.path(); ok {
				n.text = dotted
			}
		}
		return
	}
	if owner == typeCondition && !begins && n.text != before.text {
		constant, problem := newConstant(n)
		if problem == "" {
			n.text = "{{ " + constant.literal().String() + " }}"
			b.constants[n] = true
		}
	}
	n.tag = tagString
}

// set changes a text.
func (b *binder) set(n *node, text, path string) {
	if b.bound == nil {
		return
	}
	if len(text) > maxText {
		b.limit.end(b.log, n.pos, path)
		text = ""
	}
	n.tag, n.text, n.quoted = tagString, text, true
}

// lookup returns what an input is bound to. Each use spends of the budget, so that inputs that hold inputs cannot grow
// without end.
func (b *binder) lookup(name string) (*binding, error) {
	if b.motif.input(name) == nil {
		return nil, errors.New(b.motif.noInput(name))
	}
	if b.bound == nil {
		return &binding{constant: newText(Position{}, "")}, nil
	}
	bound := b.bound[name]
	for range 1 + len(bound.text)/128 {
		if !b.limit.spend() {
			return nil, errBudget
		}
	}
	return bound, nil
}

func (b *binder) problem(n *node, path string, err error) {
	if errors.Is(err, errBudget) {
		b.limit.end(b.log, n.pos, path)
		return
	}
	b.log.errorf(n.pos, path, "%v", err)
}

func (m *motif) input(name string) *input {
	for _, in := range m.inputs {
		if in.name == name {
			return in
		}
	}
	return nil
}

func (m *motif) names() []string {
	names := make([]string, len(m.inputs))
	for i, in := range m.inputs {
		names[i] = in.name
	}
	return names
}

// noInput says that there is no input of a name.
func (m *motif) noInput(name string) string {
	said := "the Motif has no input " + quote(name)
	if near := nearest.Word(name, m.names()); near != "" {
		return said + "; did you mean " + near + "?"
	}
	if len(m.inputs) == 0 {
		return said + "; it declares none"
	}
	return said + "; valid: " + strings.Join(m.names(), ", ")
}
