package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// crossing is an engine of the entries db, which has databases in memory, hidden, which lets nobody read, absent, which does not run, and gold and
// silver, which select by the same labels.
func crossing(t *testing.T) *Engine {
	t.Helper()
	series, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{crossed: cross.NewIndex(), remote: cross.NewRemote(), entries: map[string]*entry{}}
	for name, selector := range map[string]string{"db": "", "hidden": "", "absent": "", "silver": "tier=gold", "gold": "tier=gold"} {
		still, store := informer.Still(schema.GroupVersionResource{Resource: "databases"}, nil)
		for _, one := range []struct{ namespace, name, tier string }{{"shop", "main", "gold"}, {"shop", "spare", "iron"}, {"far", "main", "iron"}, {"", "whole", "tin"}} {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetNamespace(one.namespace)
			object.SetName(one.name)
			object.SetLabels(map[string]string{"tier": one.tier, "entry": name})
			if err := store.Add(object); err != nil {
				t.Fatal(err)
			}
		}
		one := &entry{
			engine: e, health: health.New(5, health.Options{}), metrics: series.CRD(name),
			set: &box.Set{Name: name, CrossAccess: name != "hidden", Workers: 3, Watch: box.Watch{LabelSelector: selector}},
		}
		if name != "absent" {
			one.running = &running{resources: still}
		}
		e.entries[name] = one
	}
	return e
}

func TestReadAcross(t *testing.T) {
	e := crossing(t)
	db, labels := cross.Named("db"), func(tier string) map[string]string { return map[string]string{"tier": tier} }
	cases := map[string]struct {
		reason string
		query  cross.Query
		want   []string
		hidden bool
	}{
		"Name":      {reason: "in its namespace", query: cross.Query{Entry: db, Namespace: "shop", Name: "main"}, want: []string{"shop/main"}},
		"Cluster":   {reason: "without one", query: cross.Query{Entry: db, Namespace: "shop", Name: "whole"}, want: []string{"/whole"}},
		"Label":     {reason: "by an index", query: cross.Query{Entry: db, Namespace: "shop", Labels: labels("iron")}, want: []string{"shop/spare"}},
		"TwoLabels": {reason: "all must match", query: cross.Query{Entry: db, Namespace: "shop", Labels: map[string]string{"tier": "iron", "entry": "x"}}},
		"NoSpace":   {reason: "what has no namespace has labels as well", query: cross.Query{Entry: db, Namespace: "shop", Labels: labels("tin")}, want: []string{"/whole"}},
		"All":       {reason: "of a namespace", query: cross.Query{Entry: db, Namespace: "shop", All: true}, want: []string{"shop/main", "shop/spare"}},
		"Anywhere":  {reason: "of all namespaces", query: cross.Query{Entry: db, Labels: labels("iron"), All: true}, want: []string{"far/main", "shop/spare"}},
		"Entry":     {reason: "the first entry of those that select so", query: cross.Query{Entry: cross.Labelled(labels("gold")), Namespace: "shop", Labels: map[string]string{"entry": "gold"}}, want: []string{"shop/main"}},
		"Hidden":    {reason: "nobody may read it", query: cross.Query{Entry: cross.Named("hidden"), Namespace: "shop", Name: "main"}, hidden: true},
		"Absent":    {reason: "it does not run", query: cross.Query{Entry: cross.Named("absent"), Namespace: "shop", Name: "main"}},
		"Unknown":   {reason: "there is no such entry", query: cross.Query{Entry: cross.Named("other"), Namespace: "shop", Name: "main"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result := e.readAcross(&tc.query)
			var got []string
			for _, one := range result.Resources {
				got = append(got, one.GetNamespace()+"/"+one.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || result.Hidden != tc.hidden {
				t.Errorf("\n%s\nhidden %t; -want, +got:\n%s", tc.reason, result.Hidden, diff)
			}
		})
	}
}

// TestReadAcrossARestart reads what an entry had while it starts anew, and nothing of one that is gone.
func TestReadAcrossARestart(t *testing.T) {
	e := crossing(t)
	query := cross.Query{Entry: cross.Named("db"), Namespace: "shop", Name: "main"}
	found := func() int { return len(e.readAcross(&query).Resources) }
	before := e.entries["db"]
	before.former.Store(before.running.resources)
	before.running = nil
	if found() != 1 {
		t.Error("nothing is found while the entry starts anew")
	}
	same, another := &entry{engine: e, set: before.set}, &entry{engine: e, set: &box.Set{Name: "db", GVK: schema.GroupVersionKind{Kind: "Other"}, CrossAccess: true}}
	held := before.former.Load()
	succeed([]*entry{before}, map[string]*entry{"db": same})
	e.entries["db"] = same
	if found() != 1 {
		t.Error("nothing is found while its successor starts")
	}
	before.former.Store(held)
	succeed([]*entry{before}, map[string]*entry{"db": another})
	e.entries["db"] = another
	if found() != 0 {
		t.Error("resources of another kind are found")
	}
}

func TestCrossMetrics(t *testing.T) {
	asked := 0
	caller := external.CallerFunc(func(_ context.Context, r external.Request) (external.Answer, error) {
		asked++
		if r.URL == "http://silent" {
			return external.Answer{}, errors.New("connection refused")
		}
		return external.Answer{StatusCode: 200, Fields: map[string]any{"metrics": map[string]any{"queueDepth": int64(70)}}}, nil
	})
	e := crossing(t)
	ask := func(url string) *cross.Ask { return &cross.Ask{URL: url, Protocol: orkv1.CrossProtocolMetrics} }
	one := &entry{engine: e, set: &box.Set{Autoscale: &box.Scaling{Cross: []box.ScalingRead{
		{Name: "here", Entry: cross.Named("db"), Ask: ask("http://never")},
		{Name: "hidden", Entry: cross.Named("hidden"), Ask: ask("http://never")},
		{Name: "far", Entry: cross.Named("other"), Ask: ask("http://far")},
		{Name: "silent", Entry: cross.Named("other"), Ask: ask("http://silent")},
		{Name: "nobody", Entry: cross.Named("other")},
	}}}}
	got := one.crossMetrics(caller)(t.Context())
	for name, want := range map[string]any{"here": int64(0), "hidden": "unknown", "far": int64(70), "silent": "unknown", "nobody": "unknown"} {
		values, _ := got[name].(map[string]any)
		told, _ := values["metrics"].(map[string]any)
		if told["queueDepth"] != want {
			t.Errorf("%s: queueDepth is %v (%T), want %v", name, told["queueDepth"], told["queueDepth"], want)
		}
	}
	if asked != 2 {
		t.Errorf("%d were asked, want 2", asked)
	}
}
