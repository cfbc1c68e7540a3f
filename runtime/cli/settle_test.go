package cli

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/internal/golden"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

func object(kind, namespace, name string, fields map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(o.Object, fields)
	o.SetAPIVersion("example.com/v1")
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func TestUnsettled(t *testing.T) {
	states := []engine.State{
		{Name: "absent", Health: health.Snapshot{Waiting: "CRD absents.example.com is not installed"}},
		{Name: "starting"},
		{
			Name: "widget", Kind: widgetKind, Running: true, Busy: 3,
			Resources: []engine.ResourceState{
				{Object: object("Widget", "default", "ready", nil), Ready: true},
				{Object: object("Widget", "default", "failing", nil), Reason: "ReconcileError: no luck"},
				{Object: object("Widget", "", "cluster-wide", nil), Reason: "not reconciled yet"},
			},
		},
		{Name: "idle", Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gadget"}, Running: true},
	}
	expected := []*unstructured.Unstructured{
		object("Widget", "default", "ready", nil),
		object("Widget", "default", "unseen", nil),
		object("Stranger", "default", "of-no-entry", nil),
	}
	golden.Compare(t, "testdata/unsettled.golden", strings.Join(unsettled(states, expected), "\n")+"\n")
	if open := unsettled(states[3:], nil); len(open) > 0 {
		t.Errorf("an entry without resources is unsettled: %v", open)
	}
}

func TestPrintStates(t *testing.T) {
	fields := func(spec, status map[string]any) map[string]any {
		return map[string]any{"spec": spec, "status": status}
	}
	states := []engine.State{{
		Name: "widget", Running: true,
		Resources: []engine.ResourceState{{
			Object: object("Widget", "default", "one", map[string]any{"status": map[string]any{"phase": "Available"}}),
			Children: []*unstructured.Unstructured{
				object("Deployment", "default", "one", fields(map[string]any{"replicas": int64(3)}, map[string]any{"readyReplicas": int64(2)})),
				object("DaemonSet", "default", "one", fields(nil, map[string]any{"numberReady": int64(1), "desiredNumberScheduled": int64(4)})),
				object("Job", "default", "one", fields(map[string]any{}, map[string]any{"succeeded": int64(1)})),
				object("ConfigMap", "default", "one", nil),
				object("Namespace", "", "one", nil),
			},
		}, {Object: object("Widget", "default", "two", nil)}, {Object: object("Widget", "default", "three", nil), Held: true, Reason: "gate closed: spec.go"}},
	}}
	var out strings.Builder
	if err := printStates(&out, states); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/states.golden", out.String())
}

func TestFingerprint(t *testing.T) {
	version := func(v string) *unstructured.Unstructured {
		return object("Widget", "default", "one", map[string]any{"metadata": map[string]any{"resourceVersion": v}})
	}
	state := func(resource, child string) []engine.State {
		return []engine.State{{Resources: []engine.ResourceState{{Object: version(resource), Children: []*unstructured.Unstructured{version(child)}}}}}
	}
	base := fingerprint(state("1", "1"))
	if fingerprint(state("1", "1")) != base {
		t.Error("the same states have two fingerprints")
	}
	if fingerprint(state("2", "1")) == base || fingerprint(state("1", "2")) == base {
		t.Error("a changed resource or child has the fingerprint of before")
	}
}
