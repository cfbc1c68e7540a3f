package reconciler

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/readiness"
)

// label is what messages call the child: deployments[0] web.
func (p *planned) label() string { return p.path + " " + p.Object.GetName() }

// needs are the planned children of those that the declaration depends on. What is not planned, such as behind a gate that is false, is
// not waited for.
func (p *planner) needs() []int {
	var needs []int
	for _, place := range p.block.Children[p.place].Needs {
		needs = append(needs, p.made[place]...)
	}
	return needs
}

// heldBack tells whether a child has to wait for others on which it depends, and notes what for. Once it exists it is kept as declared
// whatever becomes of them: an update must not wait for a dependency that is ready at one time and not at another.
func (d *Declarative) heldBack(s *scope, one *planned) bool {
	if len(one.needs) == 0 {
		return false
	}
	exists := d.inMemory(one.Object) != nil
	if exists && s.decided == nil {
		return false
	}
	missing, verdict, notes := d.missing(s, one)
	held := missing != nil && !exists
	if s.decided != nil {
		s.decided(Decision{
			Gate:    one.label() + " dependsOn",
			Verdict: conditions.Verdict{Pass: !held, Reason: strings.Join(notes, "; ")},
		})
	}
	if held && s.waiting == nil {
		s.waiting = &waiting{
			reason:  orkv1.ReasonChildNotReady,
			message: fmt.Sprintf("%s waits for %s: %s", one.label(), missing.label(), verdict.Message),
			stalled: verdict.Failed,
			partly:  true,
		}
	}
	return held
}

// missing is the first child that one depends on and that is not ready, with what is to say of it. Notes say what there is to say of each.
func (d *Declarative) missing(s *scope, one *planned) (first *planned, why readiness.Verdict, notes []string) {
	for _, at := range one.needs {
		need := &s.planned[at]
		verdict := readiness.Of(nil)
		if object := d.inMemory(need.Object); object != nil {
			verdict = d.Ready(object)
		}
		if verdict.Message != "" {
			notes = append(notes, need.label()+": "+verdict.Message)
		}
		if !verdict.Ready && first == nil {
			first, why = need, verdict
		}
	}
	return first, why, notes
}

// inMemory is the object as it was last seen or written, nil when it is not there.
func (d *Declarative) inMemory(wanted *unstructured.Unstructured) *unstructured.Unstructured {
	kind, ok := d.Children.Kind(wanted.GroupVersionKind())
	if !ok {
		return nil
	}
	return kind.Child(wanted.GetNamespace(), wanted.GetName())
}
