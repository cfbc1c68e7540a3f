package katalog

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// namedList turns a list of maps with a name into a map by name.
func namedList(key string) respelling {
	return func(d *decoder, n *node, path string) {
		i := n.index(key)
		if i < 0 || n.fields[i].value.kind != kindList {
			return
		}
		e := &n.fields[i]
		path = join(path, key)
		byName := newMap(e.value.pos)
		for index, item := range e.value.items {
			below := path + "[" + strconv.Itoa(index) + "]"
			name, _ := item.take("name")
			switch {
			case item.kind != kindMap:
				d.wrongType(item, below, "a map")
			case name.value == nil || !name.value.isText():
				d.errorf(item.pos, below+".name", "required")
			case byName.index(name.value.text) >= 0:
				first := byName.fields[byName.index(name.value.text)].pos
				d.errorf(name.value.pos, below+".name", "the name %s is taken; the first is in line %d", quote(name.value.text), first.Line)
			default:
				byName.put(entry{name.value.text, name.value.pos, item})
			}
		}
		e.value = byName
		d.warnf(e.pos, path, "older spelling; write a map from name to declaration")
	}
}

// dependencyList turns a list of names into a map, where each has the default condition.
func dependencyList(d *decoder, n *node, path string) {
	i := n.index("dependsOn")
	if i < 0 || n.fields[i].value.kind != kindList {
		return
	}
	list := n.fields[i].value
	byName := newMap(list.pos)
	for index, item := range list.items {
		switch below := join(path, "dependsOn") + "[" + strconv.Itoa(index) + "]"; {
		case !item.isText():
			d.wrongType(item, below, "the name of a CRD")
		case byName.index(item.text) >= 0:
			d.errorf(item.pos, below, "%s stands twice", quote(item.text))
		default:
			byName.put(entry{item.text, item.pos, newMap(item.pos)})
		}
	}
	n.fields[i].value = byName
}

// keyAsName turns {events: {when: [...]}} into {name: events, when: [...]}, and events: without a value into the name alone.
func keyAsName(d *decoder, n *node, path string) {
	info := infoOf(reflect.TypeFor[orkv1.Enrichment]())
	isField := func(e entry) bool { return info.byName[e.key] != nil }
	if n.kind != kindMap || len(n.fields) == 0 || slices.ContainsFunc(n.fields, isField) {
		return
	}
	e := n.fields[0]
	switch {
	case len(n.fields) > 1:
		keys := make([]string, len(n.fields))
		for i, e := range n.fields {
			keys[i] = e.key
		}
		d.errorf(n.fields[1].pos, path, "an element is one of these: write each in an element of its own, [%s]", strings.Join(keys, ", "))
	case e.value.kind != kindMap && !e.value.isNull():
		d.errorf(e.value.pos, join(path, e.key), "want a map with when or or, got %s; without them write %s alone", e.value.describe(), e.key)
	}
	n.fields = append([]entry{{"name", e.pos, newText(e.pos, e.key)}}, e.value.fields...)
}

// plainQueueType reads the type of a queue in any case, with hyphens, slashes or spaces.
func plainQueueType(_ *decoder, n *node, _ string) {
	if t := n.get("type"); t != nil && t.isText() {
		t.text = strings.ToLower(strings.NewReplacer("-", "", "/", "", " ", "").Replace(t.text))
	}
}

// wholeThreshold reads a failure threshold below 1, which older files give as a share, as one failure.
func wholeThreshold(d *decoder, n *node, path string) {
	t := n.get("failureThreshold")
	if t == nil || t.tag != tagFloat {
		return
	}
	if share, err := strconv.ParseFloat(t.text, 64); err == nil && share > 0 && share < 1 {
		d.warnf(t.pos, join(path, "failureThreshold"), "counts failures in a row; %s is read as 1", t.text)
		t.tag, t.text = tagInt, "1"
	}
}

// oneServiceName reads a single text as the Service of both processes.
func oneServiceName(d *decoder, n *node, path string) {
	if !n.isText() {
		return
	}
	inner := *n
	*n = *newMap(inner.pos)
	n.put(entry{"runtime", inner.pos, &inner})
	second := inner
	n.put(entry{"gateway", inner.pos, &second})
	d.warnf(n.pos, path, "older spelling; write serviceName.runtime and serviceName.gateway")
}

// targetName reads a single text as the name of the primary surface.
func targetName(_ *decoder, n *node, _ string) {
	i := n.index("target")
	if i < 0 || !n.fields[i].value.isText() {
		return
	}
	name := n.fields[i].value
	surface := newMap(name.pos)
	surface.put(entry{"primary", name.pos, &node{kind: kindScalar, pos: name.pos, tag: tagBool, text: "true"}})
	targets := newMap(name.pos)
	targets.put(entry{name.text, name.pos, surface})
	n.fields[i].value = targets
}

// oneName reads a single text as the only element of a list that has another key.
func oneName(from, to string) respelling {
	return func(d *decoder, n *node, path string) {
		i := n.index(from)
		if i < 0 || !n.fields[i].value.isText() {
			return
		}
		only := n.fields[i].value
		n.fields[i].value = &node{kind: kindList, pos: only.pos, items: []*node{only}}
		move(from, to, older)(d, n, path)
	}
}

// variable is a reference to an environment variable and nothing else.
var variable = regexp.MustCompile(`^\$(?:\{(\w+)\}|(\w+))$`)

// tokenVariable turns token: $NAME of an external call into auth.env. A literal token is refused, for it would be a
// secret in a file.
func tokenVariable(d *decoder, n *node, path string) {
	i := n.index("token")
	if i < 0 {
		return
	}
	e := n.fields[i]
	match := variable.FindStringSubmatch(e.value.text)
	if match == nil {
		n.take("token")
		d.errorf(e.value.pos, join(path, "token"), "write auth.env with the name of a variable, or auth.secretRef")
		return
	}
	e.value.text = match[1] + match[2]
	move("token", "auth.env", older)(d, n, path)
}

// respellMap turns a list of {key, value}, which older files use for labels, into a map.
func (d *decoder) respellMap(n *node, t reflect.Type, path string) {
	d.includer.mapping(d, n, t, path)
	if n.kind != kindList || !isTextKind(t.Elem()) {
		return
	}
	byKey := newMap(n.pos)
	for i, item := range n.items {
		below := path + "[" + strconv.Itoa(i) + "]"
		key, value := item.get("key"), item.get("value")
		switch {
		case len(item.fields) != 2 || key == nil || value == nil || !key.isText():
			return // not that spelling
		case byKey.index(key.text) >= 0:
			d.errorf(key.pos, below, "the key %s stands twice", quote(key.text))
		default:
			byKey.put(entry{key.text, key.pos, value})
		}
	}
	if len(n.items) == 0 {
		return
	}
	*n = *byKey
	d.warnf(n.pos, path, "older spelling; write a map from key to value")
}

// respellList takes in the files that elements of a list stand for.
func (d *decoder) respellList(n *node, t reflect.Type, path string) {
	d.includer.list(d, n, t, path)
}

// wrongShape tells what to write in place of shapes that are no longer read.
func (d *decoder) wrongShape(f *structField, n *node) string {
	switch {
	case f.owner == reflect.TypeFor[orkv1.Workload]() && f.name == "env" && n.kind == kindMap:
		return "write a list of {name, value} in place of the map"
	case f.owner == reflect.TypeFor[orkv1.EnvFrom]() && n.kind == kindList:
		for _, item := range n.items {
			if item.isText() {
				return "write {name: " + item.text + "} in place of the name alone"
			}
		}
	}
	return ""
}
