package katalog

import (
	"reflect"
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// The gates of the children of a Motif: that of their block, which cannot become the gate of the Katalog's block, is put on
// each of them, and a condition on inputs with constant values is settled while the file is read.

var (
	typePolicy      = reflect.TypeFor[orkv1.EntryPolicy]()
	typeStatusField = reflect.TypeFor[orkv1.StatusField]()
	typeValidation  = reflect.TypeFor[orkv1.ValidationRule]()
)

// isDroppable tells whether an element with a gate that never passes is as good as none.
func isDroppable(t reflect.Type, n *node) bool {
	switch t {
	case typeStatusField:
		return n.textOf("clearOnFalse") != "true"
	case typeValidation, typeMutation:
		return true
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	f := infoOf(t).byName["forEach"]
	return f != nil && f.owner == typePolicy
}

// mayPass settles what can be settled of the gate of an element. It is false for a gate that never passes.
func (b *binder) mayPass(n *node) bool {
	if when := n.get("when"); when != nil {
		for _, condition := range slices.Clone(when.items) {
			holds, decided := b.decide(condition)
			if decided && !holds {
				return false
			}
			if decided {
				when.items = slices.DeleteFunc(when.items, func(other *node) bool { return other == condition })
				n.dropEmpty("when")
			}
		}
	}
	or := n.get("or")
	if or == nil || len(or.items) == 0 {
		return true
	}
	open := or.items[:0:0]
	for _, condition := range or.items {
		switch holds, decided := b.decide(condition); {
		case !decided:
			open = append(open, condition)
		case holds:
			n.take("or")
			return true
		}
	}
	or.items = open
	return len(open) > 0
}

func (n *node) dropEmpty(key string) {
	if list := n.get(key); list != nil && len(list.items) == 0 {
		n.take(key)
	}
}

// undecidable are the keys of conditions that depend on more than their field, or do more than compare.
var undecidable = []string{"time", "dayOfWeek", "cron", "duration", "cel", "notify", "source"}

func (b *binder) decide(condition *node) (holds, decided bool) {
	if !b.constants[condition.get("field")] {
		return false, false
	}
	for _, e := range condition.fields {
		isOpen := e.key != "field" && (e.value.kind != kindScalar || strings.Contains(e.value.text, "{{"))
		if isOpen || slices.Contains(undecidable, e.key) {
			return false, false
		}
	}
	return b.decided(condition)
}

// decider makes of a function on conditions one on their nodes.
func decider(evaluate func(orkv1.Condition) (bool, error)) func(*node) (holds, ok bool) {
	if evaluate == nil {
		return nil
	}
	return func(n *node) (bool, bool) {
		copied, ok := n.clone(&budget{left: maxAdded})
		if !ok {
			return false, false
		}
		d := &decoder{log: &log{}, includer: &includer{}, undecoded: map[string]bool{}}
		var condition orkv1.Condition
		d.value(copied, reflect.ValueOf(&condition).Elem(), "")
		if len(d.errors) > 0 {
			return false, false
		}
		holds, err := evaluate(condition)
		return holds, err == nil // what is wrong with the condition is found when it is compiled
	}
}

// spreadGates puts the gate of each block of a Motif on the elements of the block.
func (b *binder) spreadGates(resources *node, path string) {
	for _, key := range blockKeys {
		if block := resources.get(key); block != nil && block.kind == kindMap {
			b.spreadGate(block, join(path, key))
		}
	}
	b.spreadGate(resources, path)
}

func (b *binder) spreadGate(block *node, path string) {
	when, hasWhen := block.take("when")
	or, hasOr := block.take("or")
	if !hasWhen && !hasOr {
		return
	}
	info := infoOf(reflect.TypeFor[orkv1.Block]())
	for _, e := range block.fields {
		f := info.byName[e.key]
		if f == nil || e.key == "when" || e.key == "or" {
			continue
		}
		for _, element := range elementsOf(e.value) {
			if hasWhen {
				b.addConditions(element, when)
			}
			if mine := element.get("or"); hasOr && mine != nil && len(mine.items) > 0 {
				b.log.errorf(mine.pos, join(path, e.key), "an element with or cannot stand in a block of a Motif that has or as well; "+
					"write the or of the block as one condition of when")
			} else if hasOr {
				element.take("or")
				b.addConditions(element, or)
			}
		}
	}
}

// elementsOf returns the elements of a list, or the one map that stands in place of it.
func elementsOf(n *node) []*node {
	switch n.kind {
	case kindList:
		return slices.DeleteFunc(slices.Clone(n.items), func(item *node) bool { return item.kind != kindMap })
	case kindMap:
		return []*node{n}
	default:
		return nil
	}
}

// addConditions puts a copy of the conditions of a block before those of an element.
func (b *binder) addConditions(element *node, e entry) {
	copied, ok := e.value.clone(b.limit.budget)
	if !ok {
		b.problem(e.value, e.key, errBudget)
		return
	}
	if mine := element.get(e.key); mine != nil && mine.kind == kindList {
		mine.items = slices.Concat(copied.items, mine.items)
		return
	}
	element.take(e.key)
	element.put(entry{e.key, e.pos, copied})
}
