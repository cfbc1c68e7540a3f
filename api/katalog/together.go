package katalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// declared is a CRD with the document it stands in.
type declared struct {
	orkv1.CRD
	name string
	checker
}

func (d *declared) path() *field.Path {
	return field.NewPath("spec", "crds").Key(d.name)
}

func (d *declared) pos() Position {
	return d.doc.Locate(d.path())
}

// checkTogether checks what must be unique in, or is referred to across, all documents of a load.
// Alone tells that there may be others than these.
func checkTogether(log *log, documents []*Document, alone bool) {
	all := map[string]*declared{}
	kinds := map[schema.GroupVersionKind]*declared{}
	for _, doc := range documents {
		crds := doc.Katalog.Spec.CRDs
		for _, name := range slices.Sorted(maps.Keys(crds)) {
			d := &declared{crds[name], name, checker{doc: doc, log: log}}
			if first, taken := all[name]; taken {
				d.errorf(d.path(), "the name %s is taken; the first is at %s", name, first.pos())
				continue
			}
			all[name] = d
			gvk := schema.GroupVersionKind{Group: d.APITypes.Group, Version: d.APITypes.Version, Kind: d.APITypes.Kind}
			if gvk.Kind == "" || !*d.Enabled {
				continue
			}
			if first, taken := kinds[gvk]; taken {
				d.errorf(d.path(), "%s of %s is operated already by %s at %s", gvk.Kind, gvk.GroupVersion(), first.name, first.pos())
				continue
			}
			kinds[gvk] = d
		}
	}
	checkDependencies(all)
	checkCross(all, alone)
	checkGateways(log, documents)
}

func checkDependencies(all map[string]*declared) {
	graph := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		for _, on := range slices.Sorted(maps.Keys(d.DependsOn)) {
			at := d.path().Child("dependsOn").Key(on)
			other, known := all[on]
			switch {
			case on == name:
				d.errorf(at, "a CRD cannot depend on itself")
			case !known:
				d.unknownDependency(at, on, slices.Sorted(maps.Keys(all)))
			case !*other.Enabled && *d.Enabled:
				d.errorf(at, "%s is disabled (%s) and will never be there", on, other.pos())
			default:
				graph[name] = append(graph[name], on)
			}
		}
	}
	for _, cycle := range cycles(graph) {
		d := all[cycle[0]]
		d.errorf(d.path().Child("dependsOn").Key(cycle[1]), "the dependencies go round: %s", strings.Join(cycle, " -> "))
	}
}

func (d *declared) unknownDependency(at *field.Path, on string, names []string) {
	names = slices.DeleteFunc(names, func(name string) bool { return name == d.name })
	if near := nearest.Word(on, names); near != "" {
		d.errorf(at, "no CRD is called %s; did you mean %s?", on, near)
		return
	}
	d.invalidf(at, names, "no CRD is called %s", on)
}

// cycles returns each cycle that a search in the order of the names meets first, as the names on it with the first one
// again at the end.
func cycles(graph map[string][]string) [][]string {
	var found [][]string
	const (
		open = 1
		done = 2
	)
	state := map[string]int{}
	var trail []string
	var visit func(name string)
	visit = func(name string) {
		state[name] = open
		trail = append(trail, name)
		for _, next := range graph[name] {
			switch state[next] {
			case open:
				found = append(found, roundFrom(trail[slices.Index(trail, next):]))
			case done:
			default:
				visit(next)
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
	}
	for _, name := range slices.Sorted(maps.Keys(graph)) {
		if state[name] == 0 {
			visit(name)
		}
	}
	slices.SortFunc(found, func(a, b []string) int { return cmp.Compare(strings.Join(a, " "), strings.Join(b, " ")) })
	return found
}

// roundFrom closes a cycle and starts it with its first name in the alphabet.
func roundFrom(trail []string) []string {
	least := slices.Index(trail, slices.Min(trail))
	out := slices.Concat(trail[least:], trail[:least])
	return append(out, out[0])
}
