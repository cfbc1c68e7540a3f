package observe_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/orkestra-runtime/orkestra/runtime/observe"
)

// anEvent is about the Database a.
const anEvent = `{apiVersion: events.k8s.io/v1, kind: Event, metadata: {namespace: shop, name: e, resourceVersion: '2'},
  reason: DatabaseReady, action: Start, type: Normal, reportingController: db.io/controller, reportingInstance: c-0, note: all is well,
  eventTime: "2026-01-01T00:00:00.000000Z", regarding: {apiVersion: db.io/v1, kind: Database, namespace: shop, name: a, uid: u}}`

func TestEventRoutes(t *testing.T) {
	everybody := []string{"other/one", "shop/one", "shop/two"}
	about := func(regarding string) string {
		return `{apiVersion: events.k8s.io/v1, kind: Event, metadata: {namespace: shop, name: e}, reason: DatabaseReady, regarding: ` + regarding + `}`
	}
	cases := map[string]struct {
		reason, declared, event string
		want                    []string
	}{
		"AllFieldsMatch": {
			reason:   "Row 59: every field that is set matches",
			declared: `{reason: DatabaseReady, action: Start, type: Normal, reportingController: db.io/controller, reportingInstance: c-0, namespace: shop, name: e}`,
			event:    anEvent, want: everybody,
		},
		"OneFieldDiffers": {
			reason:   "Row 59: one that does not is enough",
			declared: `{reason: DatabaseReady, action: Stop}`, event: anEvent,
		},
		"Namespace": {reason: "the Event's namespace is one of them", declared: `{reason: DatabaseReady, namespace: other}`, event: anEvent},
		"Kind":      {reason: "so is what it is about", declared: `{regarding: {kind: Node}}`, event: anEvent},
		"Group":     {reason: "in any version of its group", declared: `{regarding: {apiVersion: db.io/v2, kind: Database}}`, event: anEvent, want: everybody},
		"OtherGroup": {
			reason: "and in no other group", declared: `{regarding: {apiVersion: other.io/v1, kind: Database}}`, event: anEvent,
		},
		"RegardingName":      {reason: "a name without a template is the same for all", declared: `{regarding: {name: a}}`, event: anEvent, want: everybody},
		"OtherRegardingName": {reason: "and another name is another object", declared: `{regarding: {name: b}}`, event: anEvent},
		"Related":            {reason: "an Event without a related object is about none", declared: `{reason: DatabaseReady, related: {kind: Pod}}`, event: anEvent},
		"Templated": {
			reason:   "Row 61: a template leads to the resources that name the object",
			declared: `{reason: DatabaseReady, regarding: {kind: Database, name: "{{ .spec.ref }}"}}`, event: anEvent,
			want: []string{"other/one", "shop/one"},
		},
		"TemplatedNamespace": {
			reason:   "and the namespace, where that is asked for",
			declared: `{regarding: {kind: Database, name: "{{ .spec.ref }}", namespace: "{{ .metadata.namespace }}"}}`, event: anEvent,
			want: []string{"shop/one"},
		},
		"TemplatedNothing": {
			reason:   "a template that renders to nothing matches nothing",
			declared: `{regarding: {kind: Database, name: "{{ .spec.none }}"}}`, event: anEvent,
		},
		"KeyFrom": {
			reason:   "Row 62: keyFrom comes first",
			declared: `{reason: DatabaseReady, keyFrom: {name: two}}`, event: about(`{apiVersion: example.com/v1, kind: Widget, namespace: shop, name: one}`),
			want: []string{"shop/two"},
		},
		"KeyFromEvent": {
			reason:   "and may read the Event",
			declared: `{reason: DatabaseReady, keyFrom: {name: "{{ .events.e.regarding.name }}", namespace: "{{ .events.e.regarding.namespace }}"}}`,
			event:    about(`{apiVersion: x/v1, kind: X, namespace: other, name: one}`), want: []string{"other/one"},
		},
		"KeyFromAndTemplate": {
			reason:   "what is rendered must match as well",
			declared: `{keyFrom: {name: two}, regarding: {name: "{{ .spec.ref }}"}}`, event: anEvent,
		},
		"Primary": {
			reason:   "Row 62: an Event about a resource leads to it, in any version of its kind",
			declared: `{reason: DatabaseReady}`, event: about(`{apiVersion: example.com/v1beta1, kind: Widget, namespace: other, name: one}`),
			want: []string{"other/one"},
		},
		"PrimaryIsGone": {
			reason:   "and to nobody when that is gone",
			declared: `{reason: DatabaseReady}`, event: about(`{apiVersion: example.com/v1, kind: Widget, namespace: other, name: gone}`),
		},
		"Owned": {
			reason:   "Row 62: an Event about an object in memory leads to its owner",
			declared: `{reason: DatabaseReady}`, event: about(`{apiVersion: batch/v1, kind: Job, namespace: shop, name: owned}`),
			want: []string{"shop/two"},
		},
		"NotOwned": {
			reason:   "Row 62: or to all without an owner",
			declared: `{reason: DatabaseReady}`, event: about(`{apiVersion: batch/v1, kind: Job, namespace: shop, name: free}`), want: everybody,
		},
		"Broadcast": {
			reason:   "Row 62: an Event that leads nowhere concerns all",
			declared: `{reason: DatabaseReady}`, event: anEvent, want: everybody,
		},
		"GateOpen": {
			reason:   "Row 60: the gate reads the Event, by the name of the declaration",
			declared: `{reason: DatabaseReady, enqueueGate: {when: [{field: "{{ .events.e.reportingController }}", prefix: db.}]}}`, event: anEvent, want: everybody,
		},
		"GateClosed": {
			reason:   "Row 60: beside the resource",
			declared: `{reason: DatabaseReady, enqueueGate: {when: [{field: "{{ .events.e.regarding.name }}", equals: "{{ .spec.ref }}"}]}}`, event: anEvent,
			want: []string{"other/one", "shop/one"},
		},
		"Own": {
			reason:   "what the operator says of a resource does not wake it",
			declared: `{reason: DatabaseReady}`,
			event: `{apiVersion: events.k8s.io/v1, kind: Event, metadata: {namespace: shop, name: e}, reason: DatabaseReady, reportingController: orkestra,
  regarding: {apiVersion: example.com/v1, kind: Widget, namespace: shop, name: one}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := observing(t, `observe: {events: {e: `+tc.declared+`}}`,
				widget(t, "shop", "one", "ref: a"), widget(t, "shop", "two", "ref: b"), widget(t, "other", "one", "ref: a"))
			s.Find = func(kind schema.GroupKind, name types.NamespacedName) *unstructured.Unstructured {
				if kind != (schema.GroupKind{Group: "batch", Kind: "Job"}) {
					return nil
				}
				if name.Name == "free" {
					return parse(t, `{apiVersion: batch/v1, kind: Job, metadata: {namespace: shop, name: free}}`)
				}
				return parse(t, `{apiVersion: batch/v1, kind: Job, metadata: {namespace: shop, name: owned, ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: two}]}}`)
			}
			h := s.watches()
			for range 2 { // what was rendered is remembered
				h.OnAdd(parse(t, tc.event), false)
				if diff := cmp.Diff(tc.want, s.names()); diff != "" {
					t.Errorf("\n%s\nwho is queued: -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

// TestDefect14 has each kind of change tested as what it is, and what is known of the Event travel with the item.
func TestDefect14(t *testing.T) {
	event := parse(t, anEvent)
	newer := event.DeepCopy()
	newer.SetResourceVersion("3")
	cases := map[string]struct {
		reason, on string
		happens    func(toolscache.ResourceEventHandler)
		want       int
	}{
		"Create":      {reason: "a new Event is a create", on: "create", want: 1, happens: func(h toolscache.ResourceEventHandler) { h.OnAdd(event, false) }},
		"NotAnUpdate": {reason: "and no update", on: "update", happens: func(h toolscache.ResourceEventHandler) { h.OnAdd(event, false) }},
		"Update":      {reason: "one of a series is an update", on: "update", want: 1, happens: func(h toolscache.ResourceEventHandler) { h.OnUpdate(event, newer) }},
		"Delete":      {reason: "one that expires is a delete", on: "delete", want: 1, happens: func(h toolscache.ResourceEventHandler) { h.OnDelete(event) }},
		"Tombstone": {
			reason: "also if that was not seen", on: "delete", want: 1,
			happens: func(h toolscache.ResourceEventHandler) { h.OnDelete(toolscache.DeletedFinalStateUnknown{Obj: event}) },
		},
		"Initial": {reason: "those that are there at the start are no news", on: "create", happens: func(h toolscache.ResourceEventHandler) { h.OnAdd(event, true) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := observing(t, `observe: {events: {e: {reason: DatabaseReady, "on": [`+tc.on+`]}}}`, widget(t, "shop", "one", ""))
			tc.happens(s.watches())
			if got := s.queue.Len(); got != tc.want {
				t.Fatalf("\n%s\n%d are queued, want %d", tc.reason, got, tc.want)
			}
			if tc.want == 0 {
				return
			}
			item, _, _ := s.queue.GetWithPriority()
			defer s.queue.Done(item)
			facts := s.queue.Facts(item)
			want := map[string]any{"e": map[string]any{
				"reason": "DatabaseReady", "action": "Start", "type": "Normal", "reportingController": "db.io/controller",
				"reportingInstance": "c-0", "note": "all is well", "name": "e", "namespace": "shop", "count": int64(1),
				"eventTime": "2026-01-01T00:00:00.000000Z",
				"regarding": map[string]any{"apiVersion": "db.io/v1", "kind": "Database", "namespace": "shop", "name": "a", "uid": "u"},
				"related":   map[string]any{"apiVersion": "", "kind": "", "namespace": "", "name": "", "uid": ""},
			}}
			if diff := cmp.Diff(any(want), facts.Event); diff != "" || facts.Source.String() != "event" {
				t.Errorf("\n%s\nwhat is known of the Event, from %s: -want, +got:\n%s", tc.reason, facts.Source, diff)
			}
		})
	}
}

// What a resource wants is rendered anew when the resource changes.
func TestEventsFollowTheResource(t *testing.T) {
	resource := widget(t, "shop", "one", "ref: b")
	resources := listed{resource}
	s := observing(t, `observe: {events: {e: {regarding: {name: "{{ .spec.ref }}"}}}}`, resource)
	s.Resources, s.Path.Resources = resources, resources
	h := s.watches()
	h.OnAdd(parse(t, anEvent), false)
	if got := s.names(); got != nil {
		t.Errorf("%v are queued, want none", got)
	}
	resources[0] = widget(t, "shop", "one", "ref: a")
	resources[0].SetResourceVersion("2")
	h.OnAdd(parse(t, anEvent), false)
	if diff := cmp.Diff([]string{"shop/one"}, s.names()); diff != "" {
		t.Errorf("who is queued: -want, +got:\n%s", diff)
	}
}

// One Event may match several declarations; each of them offers it under its own name.
func TestEventMatchesTwice(t *testing.T) {
	s := observing(t, `observe: {events: {a: {reason: DatabaseReady, keyFrom: {name: one}}, b: {type: Normal, keyFrom: {name: two}}}}`,
		widget(t, "shop", "one", ""), widget(t, "shop", "two", ""))
	s.watches().OnAdd(parse(t, anEvent), false)
	if diff := cmp.Diff([]string{"shop/one", "shop/two"}, s.names()); diff != "" {
		t.Errorf("who is queued: -want, +got:\n%s", diff)
	}
}

// BenchmarkEvents has one Event compared with the selectors of 1000 resources.
func BenchmarkEvents(b *testing.B) {
	resources := make(listed, 0, 1000)
	for range cap(resources) {
		resources = append(resources, widget(b, "shop", "w"+string(rune('a'+len(resources)%26))+string(rune('a'+len(resources)/26)), "ref: none"))
	}
	s := observing(b, `observe: {events: {e: {reason: DatabaseReady, regarding: {name: "{{ .spec.ref }}"}}}}`, resources...)
	h := (&observe.Events{Observer: s.Observer}).Handler()
	event := parse(b, anEvent)
	b.ReportAllocs()
	for b.Loop() {
		h.OnAdd(event, false)
	}
}
