package katalog

import (
	"path/filepath"
	"reflect"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// includer takes in the files that include keys name. A file is parsed once.
type includer struct {
	log          *log
	budget       *budget
	limit        *limit
	notSupported keys
	files        map[string]*node  // by path; nil for a file that could not be read
	motifs       map[string]*motif // by path; nil for a file that is none
	found        *log              // what is wrong with Motifs
	open         []string          // the files that are being taken in, for cycles
	used         map[string]bool   // every path that was named
	alone        bool              // no file may be read
	// folders are those of the Katalogs and Motifs that have taken in a file, by its path.
	folders map[string]string
	// decided is that of binder.
	decided func(condition *node) (holds, ok bool)
}

// blockInclude tells how the file of an include key is merged below the map that has the key.
type blockInclude struct {
	// wrappers are the keys below which the file may hold the block.
	wrappers []string
	// deep merges maps at every level and lets a list of the map replace that of the file. Otherwise lists are joined, the
	// file's first, and of maps the keys of the first level.
	deep bool
	// byName lets an element of the map's list replace the one of the same name of the file.
	byName bool
}

var blockIncludes = map[reflect.Type]blockInclude{
	reflect.TypeFor[orkv1.Reconciler]():  {wrappers: []string{"reconciler", "reconcile"}, deep: true},
	reflect.TypeFor[orkv1.Observe]():     {wrappers: []string{"observe"}},
	reflect.TypeFor[orkv1.Status]():      {wrappers: []string{"status"}},
	reflect.TypeFor[orkv1.Validation]():  {wrappers: []string{"validation"}},
	reflect.TypeFor[orkv1.Mutation]():    {wrappers: []string{"mutation"}},
	reflect.TypeFor[orkv1.Conversion]():  {wrappers: []string{"conversion"}},
	reflect.TypeFor[orkv1.Serve]():       {wrappers: []string{"serve"}},
	reflect.TypeFor[orkv1.ServeTarget](): {},
	reflect.TypeFor[orkv1.GatewayAuth](): {wrappers: []string{"auth"}, byName: true},
	reflect.TypeFor[orkv1.Intake]():      {wrappers: []string{"webhooks"}, byName: true},
	reflect.TypeFor[orkv1.Profiles]():    {wrappers: []string{"profiles"}},
	reflect.TypeFor[orkv1.Notes]():       {wrappers: []string{"notes"}},
}

// entryIncludes name, by the type of an element, the key below which a file holds what replaces the element. Of a map it is
// the map that is added.
var entryIncludes = map[reflect.Type][]string{
	reflect.TypeFor[orkv1.Watch]():         {"watch"},
	reflect.TypeFor[orkv1.EventWatch]():    {"events"},
	reflect.TypeFor[orkv1.ExternalCall]():  {"calls", "external"},
	reflect.TypeFor[orkv1.GitIntake]():     {"github", "gitlab"},
	reflect.TypeFor[orkv1.SlackIntake]():   {"slack"},
	reflect.TypeFor[orkv1.GenericIntake](): {"generic"},
	reflect.TypeFor[orkv1.ServeToken]():    {"tokens"},
	reflect.TypeFor[orkv1.Cluster]():       {"clusters"},
}

// noFiles is the error of a text that may not name files.
const noFiles = "a Katalog of the cluster can't take in files: put what the file holds in its place"

// object merges the file of n's include key below n.
func (in *includer) object(d *decoder, n *node, t reflect.Type, path string) {
	how, ok := blockIncludes[t]
	if !ok || n.kind != kindMap {
		return
	}
	in.merge(d, n, how, path)
}

func (in *includer) merge(d *decoder, n *node, how blockInclude, path string) {
	e, ok := n.take("include")
	if !ok {
		return
	}
	file, leave := in.enter(d, e, join(path, "include"))
	if file == nil {
		return
	}
	defer leave()
	if len(file.fields) == 1 && slices.Contains(how.wrappers, file.fields[0].key) {
		file = file.fields[0].value
	}
	if file.kind != kindMap {
		d.wrongType(file, path, "a map")
		return
	}
	in.merge(d, file, how, path)
	mergeBelow(n, file, how, 0)
}

// mergeBelow adds to n what it does not set itself.
func mergeBelow(n, file *node, how blockInclude, level int) {
	for _, e := range file.fields {
		mine := n.get(e.key)
		switch {
		case mine == nil:
			n.put(e)
		case mine.kind == kindMap && e.value.kind == kindMap && (how.deep || level == 0):
			mergeBelow(mine, e.value, how, level+1)
		case mine.kind == kindList && e.value.kind == kindList && !how.deep:
			if how.byName {
				e.value.items = unnamed(e.value.items, mine.items)
			}
			mine.items = slices.Concat(e.value.items, mine.items)
		}
	}
}

// unnamed returns the items without those whose name is also in others.
func unnamed(items, others []*node) []*node {
	taken := map[string]bool{}
	for _, item := range others {
		if name := item.get("name"); name != nil {
			taken[name.text] = true
		}
	}
	var out []*node
	for _, item := range items {
		if name := item.get("name"); name == nil || !taken[name.text] {
			out = append(out, item)
		}
	}
	return out
}

// list replaces each element that is an include by the list of its file.
func (in *includer) list(d *decoder, n *node, t reflect.Type, path string) {
	keys, ok := entryIncludes[t.Elem()]
	if !ok || n.kind != kindList {
		return
	}
	n.items = in.elements(d, n.items, keys, path)
}

func (in *includer) elements(d *decoder, items []*node, keys []string, path string) []*node {
	var out []*node
	for _, item := range items {
		e, ok := item.take("include")
		if !ok {
			out = append(out, item)
			continue
		}
		if len(item.fields) > 0 {
			d.errorf(item.fields[0].pos, join(path, item.fields[0].key), "an element with include has no other key")
		}
		file, leave := in.enter(d, e, join(path, "include"))
		if file == nil {
			continue
		}
		if held := in.held(d, file, keys, path, kindList); held != nil {
			out = append(out, in.elements(d, held.items, keys, path)...)
		}
		leave()
	}
	return out
}

// mapping adds the entries of the files that include keys of a map name. A key include of the map itself names a file, and
// so does one of a value.
func (in *includer) mapping(d *decoder, n *node, t reflect.Type, path string) {
	keys, ok := entryIncludes[t.Elem()]
	if !ok || n.kind != kindMap {
		return
	}
	in.entries(d, n, keys, path)
}

func (in *includer) entries(d *decoder, n *node, keys []string, path string) {
	var includes []entry
	n.fields = slices.DeleteFunc(n.fields, func(e entry) bool {
		if e.key == "include" && e.value.isText() {
			includes = append(includes, e)
			return true
		}
		if inner := e.value.index("include"); inner >= 0 {
			includes = append(includes, e.value.fields[inner])
			return true
		}
		return false
	})
	for _, e := range includes {
		file, leave := in.enter(d, e, join(path, "include"))
		if file == nil {
			continue
		}
		if held := in.held(d, file, keys, path, kindMap); held != nil {
			in.entries(d, held, keys, path)
			mergeBelow(n, held, blockInclude{}, 1)
		}
		leave()
	}
}

// held returns what a file holds below one of the keys.
func (in *includer) held(d *decoder, file *node, keys []string, path string, want kind) *node {
	for _, key := range keys {
		held := file.get(key)
		if held == nil {
			continue
		}
		if held.kind != want {
			d.errorf(held.pos, path, "the included file wants %s below %s", map[kind]string{kindList: "a list", kindMap: "a map"}[want], key)
			return nil
		}
		return held
	}
	d.errorf(file.pos, path, "the included file has no key %s", keys[0])
	return nil
}

// enter returns a copy of the root of an included file, or nil for what it has reported. The caller calls leave when
// everything below it is taken in.
func (in *includer) enter(d *decoder, e entry, path string) (file *node, leave func()) {
	if !e.value.isText() || e.value.text == "" {
		d.wrongType(e.value, path, "the path of a file")
		return nil, nil
	}
	if isRemote(e.value.text) {
		d.errorf(e.value.pos, path, "included files must be local; URLs are %s: save the file and write its path", notYet)
		return nil, nil
	}
	if in.alone {
		d.errorf(e.value.pos, path, "%s", noFiles)
		return nil, nil
	}
	name := resolve(e.value.pos.File, e.value.text)
	in.used[name] = true
	folder, included := in.folders[e.value.pos.File]
	if !included {
		folder = filepath.Dir(e.value.pos.File)
	}
	if !within(folder, name) {
		d.errorf(e.value.pos, path, "%s leads out of the folder of the Katalog, or of the Motif, that takes it in: put the file into it or below it", quote(e.value.text))
		return nil, nil
	}
	in.folders[name] = folder
	if i := slices.Index(in.open, name); i >= 0 || name == e.value.pos.File {
		d.errorf(e.value.pos, path, "the file %s includes itself", name)
		return nil, nil
	}
	root := in.read(d, name, e.value.pos, path, "an included file")
	if root == nil {
		return nil, nil
	}
	copied, ok := root.clone(in.budget)
	if !ok {
		d.errorf(e.value.pos, path, "included files add more than %d values", maxAdded)
		return nil, nil
	}
	in.open = append(in.open, name)
	return copied, func() { in.open = in.open[:len(in.open)-1] }
}

// read returns the one document of a file, which must be a map. What names the file in messages.
func (in *includer) read(d *decoder, name string, at Position, path, what string) *node {
	if root, known := in.files[name]; known {
		return root
	}
	in.files[name] = nil
	data, err := readReferenced(name)
	if err != nil {
		d.errorf(at, path, "%s", fileError(name, err))
		return nil
	}
	before := len(in.log.errors)
	s := source{file: name, log: in.log, budget: in.budget}
	documents := s.parse(data)
	switch {
	case len(in.log.errors) > before:
	case len(documents) == 0:
		d.errorf(at, path, "%s is empty; %s holds one document", name, what)
	case len(documents) > 1:
		d.errorf(documents[1].pos, path, "%s holds one document", what)
	case documents[0].kind != kindMap:
		d.errorf(documents[0].pos, path, "%s wants a map, this is %s", what, documents[0].describe())
	default:
		in.files[name] = documents[0]
	}
	return in.files[name]
}
