package reconciler

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// The spellings of the labels about a resource's deletion.
var (
	protects = orkv1.Spellings(orkv1.LabelDeletionProtection)
	exempts  = orkv1.Spellings(orkv1.LabelStrictExempt)
)

// keepProtection adds what has to change of the labels about a resource's deletion: a text, or nil for one that goes. In strict mode the label that
// protects goes in two steps, for it may not go from what is not exempt: with it the resource gets the label that exempts it, which goes in
// the next cycle. More tells that there is such a next step.
func keepProtection(p *box.Protection, has map[string]string, change map[string]any) (more bool) {
	if p == nil {
		return false
	}
	released := false
	if p.Resources {
		if has[orkv1.LabelDeletionProtection] != "true" {
			change[orkv1.LabelDeletionProtection] = "true"
		}
	} else {
		for _, key := range protects {
			if _, there := has[key]; there {
				change[key], released = nil, true
			}
		}
	}
	exempt := p.Exempt || released && p.Strict
	if exempt && has[orkv1.LabelStrictExempt] != "true" {
		change[orkv1.LabelStrictExempt] = "true"
	}
	for _, key := range exempts {
		if _, there := has[key]; there && !exempt {
			change[key] = nil
		}
	}
	return exempt && !p.Exempt
}
