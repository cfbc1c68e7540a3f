package reconciler

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// scale holds the numbers of a workload's autoscaler.
type scale struct {
	least, most    int64
	grows, shrinks move
}

// move is how far one direction leads: to a target if there is one, else by so many.
type move struct {
	target *int64
	by     int64
}

func (s scale) clamp(replicas int64) int64 { return max(s.least, min(s.most, replicas)) }

// up is what replicas become when they grow, never less.
func (s scale) up(replicas int64) int64 {
	next := replicas + s.grows.by
	if s.grows.target != nil {
		next = *s.grows.target
	}
	return max(replicas, s.clamp(next))
}

// down is what replicas become when they shrink, never more.
func (s scale) down(replicas int64) int64 {
	next := replicas - s.shrinks.by
	if s.shrinks.target != nil {
		next = *s.shrinks.target
	}
	return min(replicas, s.clamp(next))
}

// readScale reads the numbers of a rendered autoscaler. All that is wrong is one *controllers.InvalidError.
func readScale(child *box.Child, declared *orkv1.WorkloadAutoscale) (scale, error) {
	at := field.NewPath(child.Kind.Key).Index(child.Index).Child("autoscale")
	var errs field.ErrorList
	number := func(text orkv1.Template, low int64, at *field.Path) int64 {
		trimmed := strings.TrimSpace(string(text))
		n, err := strconv.ParseInt(trimmed, 10, 64)
		switch {
		case err != nil:
			errs = append(errs, field.Invalid(at, trimmed, "is not a whole number"))
		case n < low || n > math.MaxInt32:
			errs = append(errs, field.Invalid(at, trimmed, fmt.Sprintf("is out of range: want %d to %d", low, math.MaxInt32)))
		}
		return n
	}
	step := func(target, by orkv1.Template, name string, at *field.Path) move {
		if strings.TrimSpace(string(target)) != "" {
			return move{target: new(number(target, 0, at.Child("target")))}
		}
		return move{by: number(by, 1, at.Child(name))}
	}
	read := scale{least: number(declared.Min, 0, at.Child("min")), most: number(declared.Max, 0, at.Child("max"))}
	if up := declared.ScaleUp; up != nil {
		read.grows = step(up.Target, up.Increment, "increment", at.Child("scaleUp"))
	}
	if down := declared.ScaleDown; down != nil {
		read.shrinks = step(down.Target, down.Decrement, "decrement", at.Child("scaleDown"))
	}
	if len(errs) == 0 && read.least > read.most {
		errs = append(errs, field.Invalid(at.Child("max"), strconv.FormatInt(read.most, 10), fmt.Sprintf("is below min, which is %d", read.least)))
	}
	if len(errs) > 0 {
		return scale{}, &controllers.InvalidError{Fields: errs}
	}
	return read, nil
}
