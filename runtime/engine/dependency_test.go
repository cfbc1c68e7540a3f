package engine

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

func TestUnmetDependency(t *testing.T) {
	name := types.NamespacedName{Name: "one"}
	started := func(e *entry) {
		e.running = &running{}
		e.running.released.Store(true)
		e.running.led.Store(true)
		e.health.Started()
	}
	cases := map[string]struct {
		reason    string
		condition orkv1.DependencyCondition
		base      func(*entry)
		want      string
	}{
		"NotStarted": {
			reason: "a dependency that waits itself is waited for", condition: orkv1.DependencyStarted,
			base: func(*entry) {}, want: "dependency base has not started",
		},
		"Started": {reason: "started workers are enough for started", condition: orkv1.DependencyStarted, base: started},
		"Pending": {
			reason: "but not for healthy, which takes a success", condition: orkv1.DependencyHealthy,
			base: started, want: "dependency base is not healthy",
		},
		"Healthy": {
			reason: "a success is enough for healthy", condition: orkv1.DependencyHealthy,
			base: func(e *entry) { started(e); e.health.Observe(name, nil) },
		},
		"Gated": {
			reason: "a gate that holds back what follows a success takes nothing away", condition: orkv1.DependencyHealthy,
			base: func(e *entry) { started(e); e.health.Observe(name, nil); e.health.Gated(name, "closed") },
		},
		"GatedFromTheStart": {
			reason: "but it is no success", condition: orkv1.DependencyHealthy,
			base: func(e *entry) { started(e); e.health.Gated(name, "closed") }, want: "dependency base is not healthy",
		},
		"Degraded": {
			reason: "a resource that keeps failing is not healthy", condition: orkv1.DependencyHealthy,
			base: func(e *entry) {
				started(e)
				e.health.Observe(types.NamespacedName{Name: "two"}, nil)
				e.health.Observe(name, errors.New("no luck"))
			},
			want: "dependency base is not healthy",
		},
		"DegradedButStarted": {
			reason: "started asks for no more than workers", condition: orkv1.DependencyStarted,
			base: func(e *entry) { started(e); e.health.Observe(name, errors.New("no luck")) },
		},
	}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			base := &entry{health: health.New(1, health.Options{})}
			tc.base(base)
			e := &Engine{entries: map[string]*entry{"base": base}}
			dependent := &entry{set: compiled(t, "dependent", orkv1.Block{}, map[string]orkv1.Dependency{"base": {Condition: tc.condition}})}
			if got := e.unmetDependency(dependent); got != tc.want {
				t.Errorf("%s\nunmetDependency(...) = %q, want %q", tc.reason, got, tc.want)
			}
			told := e.dependencies(dependent)
			if want := tc.want == ""; len(told) != 1 || told[0].Satisfied != want {
				t.Errorf("%s\ndependencies(...) = %+v, want satisfied = %t", tc.reason, told, want)
			}
		})
	}
}

// The reason is the same at every look, so that it is logged once.
func TestUnmetDependencyIsStable(t *testing.T) {
	e := &Engine{entries: map[string]*entry{}}
	dependsOn := map[string]orkv1.Dependency{"d": {}, "b": {}, "a": {}, "c": {}}
	dependent := &entry{set: compiled(t, "dependent", orkv1.Block{}, dependsOn)}
	for range 20 {
		if got := e.unmetDependency(dependent); got != "dependency a does not run" {
			t.Fatalf("unmetDependency(...) = %q, want the first by name", got)
		}
	}
}
