package engine

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// entryOf is an entry that does not run, and that the rest of the engine knows by its name.
func entryOf(t *testing.T, e *Engine, name string, dependsOn map[string]orkv1.Dependency) *entry {
	t.Helper()
	series, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	one := &entry{
		engine: e, set: compiled(t, name, withConfigMap(), dependsOn), health: health.New(1, health.Options{}), metrics: series.CRD(name),
	}
	e.entries[name] = one
	return one
}

func newEngine() *Engine {
	return &Engine{opts: Options{Now: time.Now}, entries: map[string]*entry{}}
}

func TestStamps(t *testing.T) {
	a := types.NamespacedName{Name: "a"}
	healthy := func(h *health.CRD) { h.Started(); h.Observe(a, nil) }
	degraded := func(h *health.CRD) { h.Started(); h.Observe(a, errors.New("no luck")) }
	cases := map[string]struct {
		reason string
		state  func(*health.CRD)
		crd    orkv1.CRD
		told   string
		want   string
	}{
		"NotStarted":  {reason: "nothing is known", state: func(*health.CRD) {}},
		"Pending":     {reason: "after a restart nothing is known yet", state: (*health.CRD).Started, told: `{"state":"healthy"}`},
		"First":       {reason: "the first time it is told", state: healthy, want: `{"state":"healthy","healthy":true,"statusCode":200}`},
		"Same":        {reason: "what is told already is not written again, whatever else it says", state: healthy, told: `{"state":"healthy","old":1}`},
		"Changed":     {reason: "a change is told", state: degraded, told: `{"state":"healthy"}`, want: `{"state":"degraded","healthy":false,"statusCode":503}`},
		"Nonsense":    {reason: "what nobody can read is replaced", state: healthy, told: `nonsense`, want: `{"state":"healthy","healthy":true,"statusCode":200}`},
		"NoCross":     {reason: "others may not see it", state: degraded, crd: orkv1.CRD{CrossAccess: new(false)}},
		"NoEndpoint":  {reason: "nobody may see it", state: degraded, crd: orkv1.CRD{Endpoints: &orkv1.Endpoints{Enabled: new(false)}}},
		"NoHealth":    {reason: "nobody may see its health", state: degraded, crd: orkv1.CRD{Endpoints: &orkv1.Endpoints{Health: new(false)}}},
		"HealthAlone": {reason: "a switch of its own decides", state: healthy, crd: orkv1.CRD{Endpoints: &orkv1.Endpoints{Enabled: new(false), Health: new(true)}}, want: `{"state":"healthy","healthy":true,"statusCode":200}`},
		"NoInfo":      {reason: "that settings are not shown has nothing to do with it", state: healthy, crd: orkv1.CRD{Endpoints: &orkv1.Endpoints{Info: new(false)}}, want: `{"state":"healthy","healthy":true,"statusCode":200}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			one := entryOf(t, newEngine(), "website", nil)
			one.declared.crd = tc.crd
			tc.state(one.health)
			object := &unstructured.Unstructured{}
			if tc.told != "" {
				object.SetAnnotations(map[string]string{orkv1.AnnotationHealth: tc.told})
			}
			got := one.stamps(object)
			if got[orkv1.AnnotationHealth] != tc.want || (len(got) == 0) != (tc.want == "") {
				t.Errorf("\n%s\nstamps() = %v, want %s", tc.reason, got, tc.want)
			}
			if tc.want != "" && !strings.HasPrefix(got[orkv1.AnnotationCrossMetrics], `{"workers":`) {
				t.Errorf("metrics: %s", got[orkv1.AnnotationCrossMetrics])
			}
		})
	}
}

// 53. A cycle that leaves the state as it was has nothing to write, however the figures changed.
func TestDefect53FiguresAloneAreNotWritten(t *testing.T) {
	one := entryOf(t, newEngine(), "website", nil)
	one.health.Started()
	one.health.Observe(types.NamespacedName{Name: "a"}, nil)
	object := &unstructured.Unstructured{}
	object.SetAnnotations(one.stamps(object))
	for range 10 {
		one.health.Observe(types.NamespacedName{Name: "a"}, nil)
		if got := one.stamps(object); got != nil {
			t.Fatalf("stamps() = %v, want nothing", got)
		}
	}
}

func TestFeedback(t *testing.T) {
	e := newEngine()
	database := entryOf(t, e, "database", nil)
	shop := entryOf(t, e, "shop", map[string]orkv1.Dependency{"database": {}})
	shop.health.Started()
	read := func() map[string]any { return shop.feedback()["health"].(map[string]any) }
	if got := read()["hasUnhealthyDeps"]; got != true {
		t.Errorf("hasUnhealthyDeps = %v while the database has not started, want true", got)
	}
	database.health.Started()
	if got := read(); got["hasUnhealthyDeps"] != false || got["state"] != "pending" {
		t.Errorf("%v, want a pending entry whose dependencies are well", got)
	}
	shop.health.Observe(types.NamespacedName{Name: "a"}, nil)
	if got := read()["state"]; got != "healthy" {
		t.Errorf("state = %v after a success, want the value of this moment", got)
	}
	if got := slices.Sorted(maps.Keys(shop.feedback())); !slices.Equal(got, []string{"health", "metrics"}) {
		t.Errorf("roots %v", got)
	}
}
