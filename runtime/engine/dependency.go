package engine

import (
	"maps"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// unmetDependency tells what an entry has to wait for, or "" when its resources can be operated.
func (e *Engine) unmetDependency(one *entry) string {
	for _, name := range slices.Sorted(maps.Keys(one.set.DependsOn)) {
		dependency := one.set.DependsOn[name]
		other := e.entry(name)
		if other == nil {
			return "dependency " + name + " does not run"
		}
		switch reached := other.reached(); {
		case reached == "":
			return "dependency " + name + " has not started"
		case dependency.Condition == orkv1.DependencyHealthy && reached != orkv1.DependencyHealthy:
			return "dependency " + name + " is not healthy"
		}
	}
	return ""
}

// reached is the most that others may depend on, empty for nothing. An entry is healthy when it has reconciled and no resource of it
// fails, gated or not.
func (e *entry) reached() orkv1.DependencyCondition {
	s := e.health.Snapshot()
	switch {
	case !e.operates():
		return ""
	case s.State == health.Healthy, s.State == health.Gated && s.Succeeded:
		return orkv1.DependencyHealthy
	default:
		return orkv1.DependencyStarted
	}
}

// wakeDependents has every entry that depends on one look again.
func (e *Engine) wakeDependents(name string) {
	for _, one := range e.all() {
		if _, depends := one.set.DependsOn[name]; depends {
			e.wakeUp(one.set.Name, 0)
		}
	}
}

// healthOf is the health of an entry with what it says of its dependencies. One that runs goes on whatever becomes of those; but it is
// degraded while the definition is gone of one that it needs healthy.
func (e *Engine) healthOf(one *entry) health.Snapshot {
	snapshot, operates := one.health.Snapshot(), one.operates()
	for name, dependency := range one.set.DependsOn {
		other := e.entry(name)
		if other == nil {
			snapshot.HasUnhealthyDeps = true
			continue
		}
		theirs := other.health.Snapshot()
		healthy := dependency.Condition == orkv1.DependencyHealthy
		if !theirs.Well() || healthy && other.reached() != orkv1.DependencyHealthy {
			snapshot.HasUnhealthyDeps = true
		}
		if operates && healthy && theirs.Missing {
			snapshot.State = health.Degraded
		}
	}
	return snapshot
}
