package katalog

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// decoder turns nodes into Go values. It reports every problem and goes on with the next field.
type decoder struct {
	*log
	includer *includer
	places   map[string]place // by path; nil when nobody asks
	// undecoded holds paths that a misspelt key most likely means.
	undecoded    map[string]bool
	notSupported keys
	// unbound lets texts that read inputs stand where another type is wanted, and notes them here by path. Nil outside of
	// Motifs.
	unbound map[string]bool
	// unsupported is set below a field that is not supported yet, where to repeat it would say nothing new.
	unsupported bool
}

var (
	typeJSON        = reflect.TypeFor[orkv1.JSON]()
	typeCustom      = reflect.TypeFor[orkv1.Custom]()
	typeProvided    = reflect.TypeFor[orkv1.ProviderEntry]()
	typeCRD         = reflect.TypeFor[orkv1.CRD]()
	typeBox         = reflect.TypeFor[orkv1.OperatorBox]()
	typeImport      = reflect.TypeFor[orkv1.Import]()
	typeMotif       = reflect.TypeFor[orkv1.Motif]()
	typeKatalog     = reflect.TypeFor[orkv1.Katalog]()
	typeTexts       = reflect.TypeFor[orkv1.Templates]()
	typeTextMap     = reflect.TypeFor[orkv1.TemplateMap]()
	typeUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	typeFromJSON    = reflect.TypeFor[json.Unmarshaler]()
)

// value decodes n, which is not null, into v.
func (d *decoder) value(n *node, v reflect.Value, path string) {
	t := v.Type()
	switch {
	case d.isUnbound(n, path) && isScalar(t):
	case t == typeJSON:
		if value, ok := d.plain(n, path); ok {
			v.Set(reflect.ValueOf(orkv1.JSON{Value: value}))
		}
	case t.Kind() == reflect.Pointer:
		target := reflect.New(t.Elem())
		d.value(n, target.Elem(), path)
		v.Set(target)
	case reflect.PointerTo(t).Implements(typeUnmarshaler):
		d.text(n, v, path)
	case (t == typeTexts || t == typeTextMap) && n.isText():
		d.whole(n, v, path)
	case t != typeCustom && t != typeProvided && t != typeTexts && t != typeTextMap && reflect.PointerTo(t).Implements(typeFromJSON):
		d.fromJSON(n, v, path)
	case t.Kind() == reflect.Struct:
		d.object(n, v, path)
	case t.Kind() == reflect.Map:
		d.mapping(n, v, path)
	case t.Kind() == reflect.Slice:
		d.list(n, v, path)
	default:
		d.scalar(n, v, path)
	}
}

// isScalar tells whether a type takes one scalar that is not just any text.
func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
		return true
	default:
		return reflect.PointerTo(t).Implements(typeUnmarshaler)
	}
}

// text decodes a type with a text form.
func (d *decoder) text(n *node, v reflect.Value, path string) {
	if !n.isText() {
		d.errorf(n.pos, path, "want a text, got %s", n.describe())
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.text)); err != nil {
		d.errorf(n.pos, path, "%v", err)
	}
}

// fromJSON decodes a type of another package that reads itself.
func (d *decoder) fromJSON(n *node, v reflect.Value, path string) {
	value, ok := d.plain(n, path)
	if !ok {
		return
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, v.Addr().Interface())
	}
	if err != nil {
		d.errorf(n.pos, path, "%v", err)
	}
}

func (d *decoder) object(n *node, v reflect.Value, path string) {
	d.respell(n, v.Type(), path)
	if n.kind != kindMap {
		d.wrongType(n, path, "a map")
		return
	}
	info := infoOf(v.Type())
	present := make(map[string]bool, len(n.fields))
	for _, e := range n.fields {
		present[e.key] = true
		f := info.byName[e.key]
		if f == nil {
			present[d.unknown(e, v, info, path)] = true
			continue
		}
		d.field(e, f, v.FieldByIndex(f.index), join(path, e.key))
	}
	for i := range info.fields {
		if f := &info.fields[i]; f.required && !present[f.name] {
			d.errorf(n.pos, join(path, f.name), "required")
		}
	}
}

func (d *decoder) field(e entry, f *structField, v reflect.Value, path string) {
	d.locate(e, path)
	if e.value.isNull() {
		if f.required {
			d.errorf(e.pos, path, "required, but it has no value")
		} else {
			d.warnf(e.pos, path, "the key has no value and is ignored")
		}
		return
	}
	if message := d.notSupported.message(f, e.value); message != "" && !d.unsupported {
		d.errorf(e.pos, path, "%s", message)
		d.unsupported = true
		defer func() { d.unsupported = false }()
	}
	if notServed[f.owner.Name()+"."+f.name] && !d.unsupported {
		d.warnf(e.pos, path, "is not supported by the gateway yet: ork gate refuses it")
		d.unsupported = true
		defer func() { d.unsupported = false }()
	}
	if hint := d.wrongShape(f, e.value); hint != "" {
		d.errorf(e.value.pos, path, "%s", hint)
		return
	}
	d.value(e.value, v, path)
	if f.required && v.Kind() == reflect.String && v.Len() == 0 && e.value.kind == kindScalar {
		d.errorf(e.value.pos, path, "must not be empty")
	}
}

// unknown reports a key that a struct does not have and returns the key that it most likely means, or "". Of a custom
// declaration it belongs to the object, and of what a provider keeps it is the kind.
func (d *decoder) unknown(e entry, v reflect.Value, info *structInfo, above string) (meant string) {
	path := join(above, e.key)
	if others := othersOf(v); others != nil {
		d.locate(e, path)
		if value, ok := d.plain(e.value, path); ok {
			if *others == nil {
				*others = map[string]orkv1.JSON{}
			}
			(*others)[e.key] = orkv1.JSON{Value: value}
		}
		return ""
	}
	finding := Finding{Position: e.pos, Path: path, Message: "unknown key"}
	names := info.names()
	if hint := hintFor(v.Type(), e.key); hint != "" {
		finding.Message = hint
	} else if near := nearest.Word(e.key, names); near != "" {
		meant = near
		d.undecoded[join(above, near)] = true
		finding.Message = "unknown key; did you mean " + near + "?"
	} else {
		finding.Valid = slices.Sorted(slices.Values(names))
	}
	d.errors = append(d.errors, finding)
	return meant
}

// othersOf is where a struct keeps the keys that it does not have, nil for one that takes none.
func othersOf(v reflect.Value) *map[string]orkv1.JSON {
	switch open := v.Addr().Interface().(type) {
	case *orkv1.Custom:
		return &open.Object
	case *orkv1.ProviderEntry:
		return &open.Declared
	}
	return nil
}

func (d *decoder) mapping(n *node, v reflect.Value, path string) {
	t := v.Type()
	d.respellMap(n, t, path)
	if n.kind != kindMap {
		d.wrongType(n, path, "a map")
		return
	}
	out := reflect.MakeMapWithSize(t, len(n.fields))
	for _, e := range n.fields {
		below := path + "[" + e.key + "]"
		d.locate(e, below)
		element := reflect.New(t.Elem()).Elem()
		switch {
		case !e.value.isNull() || t.Elem() == typeJSON:
			d.value(e.value, element, below)
		case isTextKind(t.Elem()):
			d.errorf(e.pos, below, `the key has no value; write "" for an empty text`)
		default:
			d.errorf(e.pos, below, "the key has no value")
		}
		out.SetMapIndex(reflect.ValueOf(e.key).Convert(t.Key()), element)
	}
	v.Set(out)
}

func (d *decoder) list(n *node, v reflect.Value, path string) {
	t := v.Type()
	d.respellList(n, t, path)
	if n.kind != kindList {
		d.wrongType(n, path, "a list")
		return
	}
	out := reflect.MakeSlice(t, len(n.items), len(n.items))
	for i, item := range n.items {
		below := path + "[" + strconv.Itoa(i) + "]"
		d.place(item, item.pos, below)
		if item.isNull() {
			d.errorf(item.pos, below, "the element has no value; remove it")
			continue
		}
		d.value(item, out.Index(i), below)
	}
	v.Set(out)
}

func (d *decoder) wrongType(n *node, path, want string) {
	d.errorf(n.pos, path, "want %s, got %s", want, n.describe())
}

// locate remembers where the value of a path stands: a scalar itself, a list or map by its key.
func (d *decoder) locate(e entry, path string) {
	if e.value.kind == kindScalar {
		d.place(e.value, e.value.pos, path)
	} else {
		d.place(e.value, e.pos, path)
	}
}

func (d *decoder) place(n *node, pos Position, path string) {
	if d.places != nil {
		d.places[path] = place{Position: pos, via: n.via, written: n.written}
	}
}

// isUnbound tells whether a value is known only when the inputs of a Motif are.
func (d *decoder) isUnbound(n *node, path string) bool {
	if d.unbound == nil || !n.isText() || !mayReadInputs(n.text) && !inputField.MatchString(n.text) {
		return false
	}
	d.unbound[path] = true
	return true
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
