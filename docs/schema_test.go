package docs_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// schema is the editor schema, which is generated from the Go types and knows every key that a Katalog may have.
type schema struct {
	Definitions map[string]*definition `json:"definitions"`
}

// definition is a value of the schema, as far as it matters here.
type definition struct {
	Ref                  string                 `json:"$ref"`
	Properties           map[string]*definition `json:"properties"`
	Items                *definition            `json:"items"`
	AdditionalProperties json.RawMessage        `json:"additionalProperties"`
	AllOf                []*definition          `json:"allOf"`
	AnyOf                []*definition          `json:"anyOf"`
}

func readSchema(t *testing.T) schema {
	t.Helper()
	text, err := os.ReadFile("../config/schema/katalog.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Definitions {
		for _, one := range d.AnyOf {
			if len(d.Properties) == 0 {
				d.Properties = one.Properties // the others are short forms of it
			}
		}
	}
	return s
}

// shape is what holds the keys of a struct: nothing, a list or a map of them.
type shape string

const (
	plain  shape = "plain"
	listOf shape = "list"
	mapOf  shape = "map"
)

// structOf finds the struct that a key of a struct holds. The definition of one that has no name gets one. "" for a scalar.
func (s schema) structOf(owner, key string) (name string, in shape) {
	return s.resolve(owner+"."+key, s.Definitions[owner].Properties[key])
}

func (s schema) resolve(anonymous string, d *definition) (name string, in shape) {
	switch {
	case d.Ref != "":
		return strings.TrimPrefix(d.Ref, "#/definitions/"), plain
	case len(d.Properties) > 0:
		s.Definitions[anonymous] = d
		return anonymous, plain
	case d.Items != nil:
		name, _ = s.resolve(anonymous, d.Items)
		return name, listOf
	case strings.HasPrefix(string(d.AdditionalProperties), "{"):
		var value definition
		if err := json.Unmarshal(d.AdditionalProperties, &value); err == nil {
			name, _ = s.resolve(anonymous, &value)
		}
		return name, mapOf
	}
	for _, one := range append(slices.Clone(d.AllOf), d.AnyOf...) {
		if name, in := s.resolve(anonymous, one); name != "" {
			return name, in
		}
	}
	return "", plain
}

// vocabulary holds keys by the struct that has them.
type vocabulary map[string]map[string]bool

func (v vocabulary) add(owner, key string) {
	if v[owner] == nil {
		v[owner] = map[string]bool{}
	}
	v[owner][key] = true
}

// reference is what the tables say: the keys with a meaning, and those that are refused.
type reference struct {
	schema
	supported, unsupported vocabulary
}

// readReference reports keys that the schema does not have.
func readReference(t *testing.T) reference {
	t.Helper()
	p := read(t, "katalog.md")
	r := reference{schema: readSchema(t), supported: vocabulary{}, unsupported: vocabulary{}}
	for _, one := range append(p.tables(t, "fields"), read(t, "gateway.md").tables(t, "fields")...) {
		for owner := range strings.FieldsSeq(one.argument) {
			for _, row := range one.rows {
				for _, path := range words(row[0]) {
					r.document(t, owner, path)
				}
			}
		}
	}
	for _, line := range p.lines {
		kind, owner := mark(line)
		if kind != "unsupported" {
			continue
		}
		// - in a place: the keys; what else there is
		_, list, _ := strings.Cut(line, ": ")
		list, _, _ = strings.Cut(list, ";")
		for _, key := range words(list) {
			if r.has(t, owner, key) {
				r.unsupported.add(owner, key)
			}
		}
	}
	return r
}

// document notes every key of a dotted path.
func (r reference) document(t *testing.T, owner, path string) {
	t.Helper()
	for key := range strings.SplitSeq(path, ".") {
		if !r.has(t, owner, key) {
			return
		}
		r.supported.add(owner, key)
		owner, _ = r.structOf(owner, key)
	}
}

func (r reference) has(t *testing.T, owner, key string) bool {
	t.Helper()
	d := r.Definitions[owner]
	if d == nil || d.Properties[key] == nil {
		t.Errorf("katalog.md: %s has no key %s", owner, key)
		return false
	}
	return true
}

// Every key that the tables name exists, and of every struct that they name a key of, they name all.
func TestReferenceIsComplete(t *testing.T) {
	r := readReference(t)
	for _, owner := range slices.Sorted(maps.Keys(r.supported)) {
		for _, key := range slices.Sorted(maps.Keys(r.Definitions[owner].Properties)) {
			if r.supported[owner][key] == r.unsupported[owner][key] {
				t.Errorf("katalog.md: %s.%s stands in a table: %t, among what is not supported: %t", owner, key,
					r.supported[owner][key], r.unsupported[owner][key])
			}
		}
	}
}

// The loader refuses what is listed as not supported, and nothing of what stands in a table.
func TestSupport(t *testing.T) {
	r := readReference(t)
	places := r.places()
	for _, owner := range slices.Sorted(maps.Keys(r.supported)) {
		place, ok := places[owner]
		if !ok {
			t.Errorf("no supported key leads to %s", owner)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(r.Definitions[owner].Properties)) {
			_, err := load(place.katalog(t, map[string]any{key: r.probe(owner, key)}))
			refused := err != nil && strings.Contains(err.Error(), "not supported yet")
			if refused != r.unsupported[owner][key] {
				t.Errorf("%s.%s: the loader refuses it: %t, katalog.md says so: %t\n%v", owner, key, refused, r.unsupported[owner][key], err)
			}
		}
	}
}

// place is where a struct stands: below a key of another one. The Katalog stands below none.
type place struct {
	above *place
	key   string
	in    shape
}

// places finds the shortest way of supported keys to every struct.
func (r reference) places() map[string]*place {
	found := map[string]*place{"Katalog": {}}
	for queue := []string{"Katalog"}; len(queue) > 0; queue = queue[1:] {
		for _, key := range slices.Sorted(maps.Keys(r.supported[queue[0]])) {
			name, in := r.structOf(queue[0], key)
			if _, known := found[name]; name == "" || known {
				continue
			}
			found[name] = &place{above: found[queue[0]], key: key, in: in}
			queue = append(queue, name)
		}
	}
	return found
}

// katalog is a document, in JSON, with the value in the place.
func (p *place) katalog(t *testing.T, value map[string]any) string {
	t.Helper()
	for ; p.above != nil; p = p.above {
		switch p.in {
		case plain:
			value = map[string]any{p.key: value}
		case listOf:
			value = map[string]any{p.key: []any{value}}
		case mapOf:
			value = map[string]any{p.key: map[string]any{"a": value}}
		}
	}
	maps.Copy(value, map[string]any{"apiVersion": "orkestra.orkspace.io/v1", "kind": "Katalog"})
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// probe is a value of a key that shows whether the loader takes the key, whatever it says of the value. A struct without a name is
// another place for its keys: it has one of them.
func (r reference) probe(owner, key string) any {
	name, _ := r.structOf(owner, key)
	if !strings.Contains(name, ".") {
		return map[string]any{}
	}
	return map[string]any{slices.Sorted(maps.Keys(r.Definitions[name].Properties))[0]: map[string]any{}}
}
