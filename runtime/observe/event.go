package observe

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// event is an occurrence with what is known of its resource.
type event struct {
	Occurrence
	object *unstructured.Unstructured
	box    *box.Box
	scene  box.Scene
}

// event is a value: none of it outlives the offer, so that it costs no memory.
func (p *Path) event(o Occurrence, object *unstructured.Unstructured) event {
	e := event{Occurrence: o, object: object, box: p.Set.Effective(roots.Target(object))}
	e.scene = box.Scene{
		Sentinels: o.sentinels(e.box.Sentinels), Uncomputed: o.Before == nil, Declared: e.box.Sentinels, State: p.State, Now: p.Now,
	}
	if o.Observed != nil {
		e.scene.Events = o.Observed.Event
	}
	return e
}

// sentinels computes those of the resource itself. A change of anything else has none.
func (o *Occurrence) sentinels(declared []sentinel.Name) map[string]bool {
	switch {
	case o.After == nil:
		return nil
	case o.Before == nil:
		return sentinel.Compute(declared, nil, o.After)
	default:
		return sentinel.Compute(declared, o.Before, o.After)
	}
}

// facts are what the queue keeps of the event.
func (e *event) facts() queue.Facts {
	facts := queue.Facts{Source: e.Source, Sentinels: e.scene.Sentinels, Uncomputed: e.scene.Uncomputed}
	if e.scene.Events != nil {
		facts.Event = e.scene.Events
	}
	return facts
}

// restricted tells whether the resource is in a namespace that the Katalog leaves alone. One whose status does not say so yet gets its
// cycle, which does nothing else.
func (p *Path) restricted(e *event) bool {
	namespace := e.object.GetNamespace()
	if p.Set.Namespaces.Allows(namespace) {
		return false
	}
	if e.box.Status.Off || !e.box.Status.Conditions {
		return true
	}
	ready := status.Find(status.Conditions(e.object.Object), orkv1.ConditionReady)
	return ready != nil && ready.Reason == orkv1.ReasonNamespaceRestricted && ready.Message == namespaces.Restriction(namespace) &&
		(ready.ObservedGeneration == 0 || ready.ObservedGeneration == e.object.GetGeneration())
}

// judge asks the limits of the queue. What joins a waiting item adds nothing to it.
func (p *Path) judge(e *event, item queue.Item) gate.Judgement {
	if p.Set.Limits == nil || p.Queue.Holds(item) {
		return gate.Judgement{}
	}
	return p.Set.Limits.Judge(p.Queue.Depth(), p.Queue.MaxDepth(), func(limit *gate.Limit) template.Facts {
		scene := e.scene
		if own := p.Set.Effective(""); own != e.box { // the queue is the CRD's, whatever the target
			scene.Declared, scene.Sentinels = own.Sentinels, e.sentinels(own.Sentinels)
		}
		return scene.Facts(e.object, limit)
	})
}

// admits asks the gate of the observation, if it is one, and that of the box.
func (p *Path) admits(ctx context.Context, e *event) bool {
	var maker call.Maker
	if p.Stage != nil {
		maker.By = p.Stage.calls
	}
	if o := e.Observed; o != nil && o.Gate != nil {
		scene := e.scene
		scene.Watched, scene.Declared, scene.Sentinels, scene.Uncomputed = o.Object, o.Gate.Sentinels, o.Sentinels, o.Sentinels == nil
		if !p.decided(e, metrics.ObserveGate, scene.Ask(ctx, maker, o.Gate, e.object)) {
			return false
		}
	}
	if e.box.EnqueueGate == nil {
		return true
	}
	decision := e.scene.Ask(ctx, maker, e.box.EnqueueGate, e.object)
	if !decision.Admit && p.Health != nil {
		p.Health.Refused(e.Resource, "enqueueGate: "+decision.Reason)
	}
	return p.decided(e, metrics.EnqueueGate, decision)
}

func (p *Path) decided(e *event, by metrics.Gate, decision gate.Decision) bool {
	if p.Metrics != nil {
		p.Metrics.Decided(by, decision.Admit)
	}
	switch {
	case decision.Admit && decision.Reason != "":
		p.Log.Info("gate open, for a call of it failed", "gate", by,
			"namespace", e.Resource.Namespace, "name", e.Resource.Name, "reason", decision.Reason)
	case !decision.Admit:
		p.refused(&e.Occurrence, string(by)+" gate closed: "+decision.Reason, e.scene.Sentinels)
		p.Log.V(1).Info("gate closed, event dropped", "gate", by, "source", e.Source.String(),
			"namespace", e.Resource.Namespace, "name", e.Resource.Name, "reason", decision.Reason)
	}
	return decision.Admit
}

// overflown tells of an event that a limit of the queue dropped, if one did.
func (p *Path) overflown(e *event, judged gate.Judgement) {
	switch judged.Drop {
	case "":
		return
	case gate.Threshold:
		p.dropped(e, metrics.DroppedByThreshold)
	default:
		p.dropped(e, metrics.DroppedByLimit)
	}
	p.refused(&e.Occurrence, "the queue is full: "+judged.Drop, e.scene.Sentinels)
	p.Log.Info("warning: queue depth limit reached, event dropped", "limit", judged.Drop, "from", judged.Depth,
		"depth", p.Queue.Depth(), "maxDepth", p.Queue.MaxDepth(), "gvk", p.Set.GVK.String(),
		"namespace", e.Resource.Namespace, "name", e.Resource.Name)
}

func (p *Path) dropped(e *event, reason string) {
	if p.Metrics != nil {
		p.Metrics.Dropped(reason)
	}
	if reason == metrics.DroppedByNamespace {
		p.refused(&e.Occurrence, "its namespace is left alone", nil)
		p.Log.V(1).Info("namespace not allowed, event dropped", "namespace", e.Resource.Namespace, "name", e.Resource.Name)
	}
}
