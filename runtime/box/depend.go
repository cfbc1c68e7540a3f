package box

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// entryID is what the id of an entry may be.
var entryID = regexp.MustCompile(`^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)

// arrange puts the children of a block behind those that they depend on, and leaves them in their order otherwise.
func (c *compiler) arrange(block *Block) {
	names := c.entryNames(block)
	needs := make([][]int, len(block.Children))
	for i := range block.Children {
		needs[i] = c.needs(block, i, names)
		block.Ordered = block.Ordered || len(needs[i]) > 0
	}
	if !block.Ordered {
		return
	}
	order := follow(needs)
	if len(order) < len(needs) {
		around := circle(needs, order)
		first := &block.Children[around[0]]
		labels := make([]string, len(around))
		for i, at := range around {
			labels[i] = block.Children[at].String()
		}
		c.report(field.Forbidden(first.Path.Child("dependsOn"), "the entries wait for each other: "+strings.Join(labels, " -> ")))
		return
	}
	block.Children = arranged(block.Children, needs, order)
}

// arranged returns the children in an order in which none precedes one that it needs.
func arranged(children []Child, needs [][]int, order []int) []Child {
	places, depths := make([]int, len(order)), make([]int, len(order))
	sorted := make([]Child, 0, len(order))
	for place, from := range order {
		places[from] = place
		child := children[from]
		child.Needs = nil
		for _, need := range needs[from] {
			child.Needs = append(child.Needs, places[need])
			depths[from] = max(depths[from], depths[need]+1)
		}
		child.Depth = strconv.Itoa(depths[from])
		sorted = append(sorted, child)
	}
	return sorted
}

// noDependencies reports what an entry of onDelete says of others: all of them are deleted at once.
func noDependencies(declaration controllers.Declaration) field.ErrorList {
	if len(declaration.Policy.DependsOn) == 0 {
		return nil
	}
	return field.ErrorList{field.Forbidden(declaration.Path.Child("dependsOn"), "has no meaning in onDelete, which makes nothing; remove it")}
}

// entryNames are the children that a name in dependsOn means: by their ids, and by the keys of their lists.
func (c *compiler) entryNames(block *Block) map[string][]int {
	names := map[string][]int{}
	for i := range block.Children {
		key := block.Children[i].Kind.Key
		names[key] = append(names[key], i)
	}
	ids := map[string]string{}
	for i := range block.Children {
		child := &block.Children[i]
		id, at := child.Policy.ID, child.Path.Child("id")
		_, isKey := c.registry.Kind(id)
		switch first, taken := ids[id]; {
		case id == "":
		case !entryID.MatchString(id):
			c.report(field.Invalid(at, id, "want at most 63 letters, digits and hyphens that begin with a letter"))
		case isKey:
			c.report(field.Invalid(at, id, "is the key of a list, and means all of it in dependsOn; choose another id"))
		case taken:
			c.report(field.Invalid(at, id, "is the id of "+first+", too; choose another one"))
		default:
			ids[id], names[id] = child.String(), []int{i}
		}
	}
	return names
}

// needs are the children that one depends on, by their positions, each once.
func (c *compiler) needs(block *Block, of int, names map[string][]int) []int {
	var needs []int
	child := &block.Children[of]
	for i, name := range child.Policy.DependsOn {
		at := child.Path.Child("dependsOn").Index(i)
		found, known := names[name]
		switch _, isKey := c.registry.Kind(name); {
		case known && slices.Contains(found, of) && isKey:
			c.report(field.Forbidden(at, fmt.Sprintf("%s is one of the %s: it would wait for itself; give the others ids and name those", child, name)))
		case known && slices.Contains(found, of):
			c.report(field.Forbidden(at, "an entry can't depend on itself"))
		case known:
			needs = append(needs, found...)
		case isKey:
			c.report(field.Invalid(at, name, fmt.Sprintf("%s declares none of these", block.Name)))
		default:
			c.report(unknownEntry(at, block, name, names))
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs)
}

func unknownEntry(at *field.Path, block *Block, name string, names map[string][]int) *field.Error {
	known := slices.Sorted(maps.Keys(names))
	said := fmt.Sprintf("no entry of %s has this id", block.Name)
	if near := nearest.Word(name, known); near != "" {
		return field.Invalid(at, name, said+"; did you mean "+near+"?")
	}
	return field.Invalid(at, name, said+" (valid: "+strings.Join(known, ", ")+")")
}

// follow returns the positions in an order in which each comes behind those that it needs, and of those that may come next the first
// does. Those that need each other are left out, and so is what needs them.
func follow(needs [][]int) []int {
	order := make([]int, 0, len(needs))
	placed := make([]bool, len(needs))
	missing := func(need int) bool { return !placed[need] }
	for next := 0; next < len(needs); {
		if placed[next] || slices.ContainsFunc(needs[next], missing) {
			next++
			continue
		}
		placed[next] = true
		order = append(order, next)
		next = 0
	}
	return order
}

// circle returns positions each of which needs the next, around to the first one again. Order is what follow returned.
func circle(needs [][]int, order []int) []int {
	open := func(i int) bool { return !slices.Contains(order, i) }
	at := 0
	for !open(at) {
		at++
	}
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		at = needs[at][slices.IndexFunc(needs[at], open)] // what is left out needs something that is
	}
	around := path[slices.Index(path, at):]
	lowest := slices.Index(around, slices.Min(around))
	around = slices.Concat(around[lowest:], around[:lowest])
	return append(around, around[0])
}
