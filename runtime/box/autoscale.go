package box

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// DefaultScaleCooldown is the time between two steps of a workload's autoscaler.
const DefaultScaleCooldown = 3 * time.Minute

// Autoscale is when the replicas of a workload change, and how far.
type Autoscale struct {
	// Numbers are the part of the declaration that tells how far.
	Numbers *template.Of[orkv1.WorkloadAutoscale]
	// Up and Down are the gates of the two directions. Nil is one that is not declared.
	Up, Down *conditions.Program
	// Cooldown is the time between two steps.
	Cooldown time.Duration
}

// autoscaleOf is the autoscaler that a declaration has, nil if none.
func autoscaleOf(declared any) *orkv1.WorkloadAutoscale {
	switch typed := declared.(type) {
	case orkv1.Deployment:
		return typed.Autoscale
	case orkv1.StatefulSet:
		return typed.Autoscale
	case orkv1.ReplicaSet:
		return typed.Autoscale
	}
	return nil
}

func (c *compiler) autoscale(declaration controllers.Declaration, language *template.Language) *Autoscale {
	declared, at := autoscaleOf(declaration.Value), declaration.Path.Child("autoscale")
	if declared == nil {
		return nil
	}
	here := field.NewPath(declaration.Kind.Key).Index(declaration.Index).Child("autoscale")
	numbers, _ := template.CompileOf(language.Quiet(), *declared, here) // what is wrong is told of the whole declaration
	compiled := &Autoscale{Numbers: numbers, Cooldown: DefaultScaleCooldown}
	if declared.Cooldown != nil {
		compiled.Cooldown = declared.Cooldown.Duration
	}
	gate := func(declared orkv1.Conditions, at *field.Path) *conditions.Program {
		if len(declared.When)+len(declared.Or) == 0 {
			c.report(field.Required(at, "without a condition it would always be true"))
		}
		return c.gate(declared, at)
	}
	if up := declared.ScaleUp; up != nil {
		compiled.Up = gate(up.Conditions, at.Child("scaleUp", "conditions"))
	}
	if down := declared.ScaleDown; down != nil {
		compiled.Down = gate(down.Conditions, at.Child("scaleDown", "conditions"))
	}
	return compiled
}

// references are what the gates read.
func (a *Autoscale) references() [][]string {
	if a == nil {
		return nil
	}
	return append(append([][]string(nil), a.Up.References()...), a.Down.References()...)
}
