package box

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// The roots that the process knows of itself.
const (
	HealthRoot  = "health"
	MetricsRoot = "metrics"
)

// preReconcile compiles the gates of a box.
func (c *compiler) preReconcile(b *Box, declared *orkv1.PreReconcile, at *field.Path) {
	if declared == nil {
		return
	}
	list := at.Child("sentinels")
	b.Sentinels = c.sentinels(declared.Sentinels, list)
	shared, gates := c.inGate(b.Sentinels, list.String(), false).calls(declared.External, "preReconcile", at)
	if one := declared.EnqueueGate; one != nil {
		b.EnqueueGate = gates.gateOf(one, shared, b.Sentinels, "enqueueGate", at)
	}
	if one := declared.ReconcileGate; one != nil {
		b.ReconcileGate = gates.gateOf(&one.Gate, shared, b.Sentinels, "reconcileGate", at)
		b.EventAware = one.EventAware
	}
	if len(shared) > 0 && b.EnqueueGate == nil && b.ReconcileGate == nil {
		c.language.Warn(field.Invalid(at.Child("external"), shared[0].Name, "is never called: there is no gate that could read it"))
	}
}

// observedGate compiles the gate of a declared observation. Its sentinels are those of the observed object, and need no other
// declaration.
func (c *compiler) observedGate(declared *orkv1.Gate, at *field.Path) *gate.Gate {
	if declared == nil {
		return nil
	}
	list := at.Child("sentinels")
	sentinels := c.sentinels(declared.Sentinels, list)
	calls, in := c.inGate(sentinels, list.String(), true).calls(declared.External, "enqueueGate", at)
	return &gate.Gate{
		Calls: calls, Closed: declared.FailPolicy == orkv1.FailPolicyClosed, Sentinels: sentinels, Conditions: in.gate(declared.Conditions, at),
	}
}

// sentinels reads the names of a list.
func (c *compiler) sentinels(declared []string, at *field.Path) []sentinel.Name {
	var names []sentinel.Name
	for i, text := range declared {
		name, err := sentinel.Parse(text)
		switch {
		case err != nil:
			c.report(field.Invalid(at.Index(i), text, err.Error()))
		case slices.Contains(names, name):
			c.report(field.Invalid(at.Index(i), text, "stands twice; remove one"))
		default:
			names = append(names, name)
		}
	}
	return names
}

// inGate returns a compiler of texts that are read before there is a cycle. They see the resource as it is stored.
func (c *compiler) inGate(declared []sentinel.Name, list string, observed bool) *compiler {
	in := c.seeing(c.stored.InGate(declared, list, observed))
	in.called = nil // a gate sees no results but those of its own calls, and they are gone when it has decided
	in.language = in.language.WithSentinels(declared, list).Enriched()
	return in
}

// gateOf compiles a gate whose sentinels are some of those that stand above it, and which makes the shared calls before its own.
func (c *compiler) gateOf(declared *orkv1.Gate, shared call.List, above []sentinel.Name, name string, at *field.Path) *gate.Gate {
	at = at.Child(name)
	list := at.Child("sentinels")
	own := c.sentinels(declared.Sentinels, list)
	for _, name := range own {
		if !slices.Contains(above, name) {
			i := slices.Index(declared.Sentinels, string(name))
			c.report(field.Invalid(list.Index(i), string(name), "is not among preReconcile.sentinels: add it there"))
		}
	}
	calls, in := c.calls(declared.External, name, at)
	calls = append(slices.Clip(shared), calls...)
	program := in.gate(declared.Conditions, at)
	if len(own) == 0 && program == nil && len(calls) == 0 {
		return nil
	}
	return &gate.Gate{Calls: calls, Closed: declared.FailPolicy == orkv1.FailPolicyClosed, Sentinels: own, Conditions: program}
}

// limits compiles what a queue that fills up drops. Conditions may read what the gates of the box may.
func (c *compiler) limits(b *Box, declared *orkv1.Reconciler, at *field.Path) *gate.Limits {
	if declared == nil || declared.Queue == nil || declared.Queue.Behaviour == nil {
		return nil
	}
	behaviour, here := declared.Queue.Behaviour, at.Child("reconciler", "queue", "behaviour")
	in := c.inGate(b.Sentinels, at.Child("preReconcile", "sentinels").String(), false)
	limits := &gate.Limits{}
	if declared.Queue.MaxDepth <= 0 {
		c.report(field.Required(at.Child("reconciler", "queue", "maxDepth"), "behaviour measures against it"))
	}
	if one := behaviour.OnThreshold; one != nil {
		if one.Value < 1 || one.Value > 100 {
			c.report(field.Invalid(here.Child("onThreshold", "value"), one.Value, "want a percentage of maxDepth, from 1 to 100"))
		}
		limits.Threshold = &gate.Limit{Percent: int(one.Value), Conditions: in.gate(one.Conditions, here.Child("onThreshold"))}
	}
	if one := behaviour.OnLimit; one != nil {
		if program := in.gate(one.Conditions, here.Child("onLimit")); program != nil || one.Drop {
			limits.Limit = &gate.Limit{Percent: 100, Conditions: program}
		}
	}
	return limits
}

// Declares tells whether a box of the entry has a sentinel.
func (s *Set) Declares(name sentinel.Name) bool {
	return slices.ContainsFunc(s.Boxes(), func(b *Box) bool { return slices.Contains(b.Sentinels, name) })
}

// Scene is what a gate sees besides the resource.
type Scene struct {
	// Sentinels that were computed, nil if none were, and Uncomputed as in gate.Occasion.
	Sentinels  map[string]bool
	Uncomputed bool
	// Declared are the sentinels that the gate may ask for: one that was not computed is false.
	Declared []sentinel.Name
	// Watched is the object that an observation saw, and Events what is known of a Kubernetes Event by the name of the observation.
	Watched *unstructured.Unstructured
	Events  map[string]any
	// External are the results of the gate's calls. Nil: it has none, or they are not made yet.
	External map[string]any
	// State gives the roots that the process knows of itself, health and metrics. It is asked only where one of them is read. Nil: none.
	State func() map[string]any
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// reader is something that reads roots.
type reader interface{ Reads(root string) bool }

// Facts are what a gate, or a limit of the queue, reads of a resource in a scene. They share the memory of the resource, and leave out
// what would have to be made and is not read, since a gate is asked for each event.
func (s *Scene) Facts(object *unstructured.Unstructured, by reader) template.Facts {
	all := roots.ReadBy(object, by.Reads)
	if len(s.Declared) > 0 && by.Reads(template.SentinelRoot) {
		sentinels := make(map[string]any, len(s.Declared))
		for _, name := range s.Declared {
			sentinels[string(name)] = s.Sentinels[string(name)]
		}
		all[template.SentinelRoot] = sentinels
	}
	if s.Watched != nil {
		all["watched"] = s.Watched.Object
	}
	if s.Events != nil {
		all["events"] = s.Events
	}
	if s.External != nil {
		all[externalRoot] = s.External
	}
	if s.State != nil && (by.Reads(HealthRoot) || by.Reads(MetricsRoot)) {
		maps.Copy(all, s.State())
	}
	return template.NewFacts(all, s.Now)
}

// Ask makes the calls of a gate, and then has it decide about a resource, or decides by its policy when a call fails.
func (s *Scene) Ask(ctx context.Context, m call.Maker, g *gate.Gate, object *unstructured.Unstructured) gate.Decision {
	if len(g.External()) == 0 {
		return s.Decide(g, object)
	}
	results, err := m.Make(ctx, g.Calls, s.Facts(object, g), nil)
	if err != nil {
		return g.CallFailed(err)
	}
	after := *s
	after.External = results
	return after.Decide(g, object)
}

// Decide has a gate decide about a resource. What cannot be evaluated without the resource is not asked: a nil gate passes.
func (s *Scene) Decide(g *gate.Gate, object *unstructured.Unstructured) gate.Decision {
	if g == nil {
		return gate.Decision{Admit: true}
	}
	o := gate.Occasion{Sentinels: s.Sentinels, Uncomputed: s.Uncomputed}
	if g.Conditions != nil {
		o.Facts = s.Facts(object, g)
	}
	return g.Evaluate(o)
}
