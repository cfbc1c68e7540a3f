package box

import (
	"slices"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// noteReads finds out what the programs of the box, and those of the resource's labels, read.
func noteReads(b *Box, kept map[string]*template.Program, early [][]string) {
	note := func(children *bool, references [][]string) {
		for _, reference := range references {
			*children = *children || len(reference) == 0 || reference[0] == "children"
			b.ReadsStatus = b.ReadsStatus || readsStatus(reference)
			b.ReadsReady = b.ReadsReady || readsReady(reference)
			b.ReadsFeedback = b.ReadsFeedback || roots.IsFeedback(reference)
			b.noteCross(reference)
		}
	}
	note(new(bool), early) // they are asked before there are children to see
	note(&b.ReadsChildren, b.Gate.References())
	for _, label := range kept {
		note(&b.ReadsChildren, label.References())
	}
	for _, block := range b.Declared() {
		note(&b.ReadsChildren, block.Gate.References())
		note(new(bool), block.Calls.References())
		note(new(bool), block.Git.References())
		note(new(bool), block.Build.references())
		for _, child := range block.Children {
			note(&b.ReadsChildren, child.Gate.References())
			note(&b.ReadsChildren, child.references())
			note(&b.ReadsChildren, child.Autoscale.references())
			if child.ForEach != nil {
				note(&b.ReadsChildren, [][]string{child.ForEach.Field})
			}
		}
	}
	b.OnDelete.noteReads(note)
	note(new(bool), b.HookCalls.References())
	for _, one := range b.Provided {
		for i := range one.Needs { // they see the children of the cycle
			note(new(bool), one.Needs[i].Gate.References())
			note(new(bool), one.Needs[i].fields.References())
		}
	}
	for _, one := range b.Cross {
		note(new(bool), one.references())
	}
	if b.Hooks != nil {
		b.Hooks.noteReads(note)
	}
	for i := range b.Status.Fields {
		one := &b.Status.Fields[i]
		one.Transition = slices.ContainsFunc(one.Gate.References(), readsStatus)
		note(&b.StatusReadsChildren, one.Gate.References())
		note(&b.StatusReadsChildren, one.Value.References())
	}
	for _, one := range b.Requeue {
		note(&b.StatusReadsChildren, one.Gate.References())
		note(&b.StatusReadsChildren, one.After.References())
	}
}

// readsStatus tells whether a reference is to the status, or to everything, as in {{ toJson . }}.
func readsStatus(reference []string) bool { return len(reference) == 0 || reference[0] == "status" }

// readsReady tells whether a reference is to .children.<kind>.ready or .children.<plural>.<name>.ready, or may have it along with a whole
// object or kind.
func readsReady(reference []string) bool {
	switch {
	case len(reference) == 0:
		return true
	case reference[0] != "children":
		return false
	case len(reference) <= 3:
		return len(reference) < 3 || !slices.Contains([]string{"metadata", "spec", "status"}, reference[2])
	default:
		return reference[3] == "ready"
	}
}
