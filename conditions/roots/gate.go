package roots

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// notInGates are the roots that only a cycle has, which comes after the gates.
var notInGates = []string{
	"_normalizeChanges", "children", "cross", "git", "docker", "normalize", "item", "index", "value", "previous",
}

// watched is the root of the object that an observation saw.
const watched = "watched"

// InGate returns the roots of a gate, which is asked before there is a cycle: nothing that a cycle reads, its external calls included, and
// besides the rest the declared sentinels. List names the list of the Katalog that declares them. Observed tells that the gate is that of an observation,
// which sees the object that was observed.
func (r *Known) InGate(declared []sentinel.Name, list string, observed bool) *Known {
	in := *r
	in.children = nil
	in.roots, in.local, in.added = maps.Clone(r.roots), maps.Clone(r.local), slices.Clone(r.added)
	for _, name := range notInGates {
		delete(in.roots, name)
		if in.local[name] == "" || name == Cross {
			in.local[name] = "is there in a cycle, which comes after the gates"
		}
	}
	in.withoutCEL = notInGates
	in.roots[External] = object(nil)
	properties := map[string]Props{}
	for _, name := range declared {
		properties[string(name)] = *ofType("boolean")
	}
	in.roots[template.SentinelRoot], in.sentinels = object(properties), list
	if observed {
		in.roots[watched] = nil
		in.added = append(in.added, watched)
	}
	return in.renewed()
}

// renewed makes the environment of CEL anew.
func (r *Known) renewed() *Known {
	r.environment = sync.OnceValue(r.newEnvironment)
	return r
}

// checkSentinel tells what is wrong with reading .sentinels.<name>.
func (r *Known) checkSentinel(name string) *template.Misread {
	if props := r.roots[template.SentinelRoot]; name == template.Element || props.Properties[name].Type != "" {
		return nil
	}
	if _, err := sentinel.Parse(name); err != nil {
		return &template.Misread{Problem: fmt.Sprintf(".sentinels.%s: %v", name, err)}
	}
	return &template.Misread{Problem: fmt.Sprintf("the sentinel %s is not declared: add it to %s", name, r.sentinels)}
}

func (r *Known) newEnvironment() *cel.Environment {
	environment := cel.NewEnvironment(map[string]*Props{
		"spec": r.roots["spec"], "status": r.roots["status"], template.SentinelRoot: r.roots[template.SentinelRoot],
	})
	if len(r.added) > 0 {
		environment = environment.With(r.added...)
	}
	if len(r.withoutCEL) > 0 {
		environment = environment.Without(r.withoutCEL...)
	}
	return environment
}
