package engine

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// unmetDependency tells what an entry has to wait for, or "" when it can start.
func (e *Engine) unmetDependency(one *entry) string {
	for name, dependency := range one.set.DependsOn {
		other, ok := e.entries[name]
		if !ok {
			return "dependency " + name + " does not run"
		}
		snapshot := other.health.Snapshot()
		switch {
		case other.current() == nil:
			return "dependency " + name + " has not started"
		case dependency.Condition == orkv1.DependencyHealthy && snapshot.State != health.Healthy:
			return "dependency " + name + " is not healthy"
		}
	}
	return ""
}

// wakeDependents has every entry that depends on one look again.
func (e *Engine) wakeDependents(name string) {
	for other, one := range e.entries {
		if _, depends := one.set.DependsOn[name]; depends {
			e.wake.add(other)
		}
	}
}
