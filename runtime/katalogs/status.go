package katalogs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// next is the status of an object, by what became of it and what the entries do. Conditions of others stay.
func next(before orkv1.KatalogStatus, one *seen, overviews map[string]engine.Overview) orkv1.KatalogStatus {
	after := *before.DeepCopy()
	after.ObservedGeneration = one.generation
	after.CRDs = crdsOf(one.verdict.Running, overviews)
	accepted, running := acceptance(one), operation(one, after.CRDs, overviews)
	for _, condition := range []metav1.Condition{accepted, running, readiness(accepted, running, after.CRDs)} {
		condition.ObservedGeneration = one.generation
		meta.SetStatusCondition(&after.Conditions, condition)
	}
	return after
}

func crdsOf(katalog *orkv1.Katalog, overviews map[string]engine.Overview) []orkv1.KatalogCRDStatus {
	if katalog == nil {
		return nil
	}
	var all []orkv1.KatalogCRDStatus
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		overview, runs := overviews[name]
		one := orkv1.KatalogCRDStatus{Name: name, State: string(overview.Health.State), Resources: int64(overview.Resources), Failing: int64(overview.Health.Retrying)}
		switch {
		case !runs:
			one.State = orkv1.KatalogCRDDisabled
		case overview.Health.Missing:
			one.Reason = overview.Health.LastError
		case overview.Health.Waiting != "":
			one.Reason = overview.Health.Waiting
		case overview.Health.State == health.Degraded:
			one.Reason = shortened(overview.Health.LastError)
		}
		all = append(all, one)
	}
	return all
}

func acceptance(one *seen) metav1.Condition {
	condition := metav1.Condition{Type: orkv1.ConditionAccepted, Status: metav1.ConditionFalse}
	switch {
	case len(one.errs) > 0:
		condition.Reason, condition.Message = orkv1.KatalogReasonInvalid, lines(one.errs)
	case one.verdict.Conflict != nil:
		condition.Reason, condition.Message = orkv1.KatalogReasonConflict, one.verdict.Conflict.Error()
	default:
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, orkv1.KatalogReasonAccepted, lines(one.warnings)
	}
	return condition
}

func operation(one *seen, crds []orkv1.KatalogCRDStatus, overviews map[string]engine.Overview) metav1.Condition {
	condition := metav1.Condition{Type: orkv1.ConditionRunning, Status: metav1.ConditionFalse}
	if one.verdict.Running == nil {
		condition.Reason, condition.Message = orkv1.KatalogReasonNotAccepted, "nothing of it runs"
		return condition
	}
	var waiting []string
	for _, crd := range crds {
		if overview, runs := overviews[crd.Name]; runs && !overview.Running {
			waiting = append(waiting, fmt.Sprintf("CRD %s: %s", crd.Name, cmp.Or(crd.Reason, "starting")))
		}
	}
	switch {
	case len(waiting) > 0:
		condition.Reason, condition.Message = orkv1.KatalogReasonWaiting, lines(waiting)
	case one.verdict.Runs != one.generation:
		condition.Status, condition.Reason = metav1.ConditionTrue, orkv1.KatalogReasonEarlierGeneration
		condition.Message = fmt.Sprintf("generation %d runs on", one.verdict.Runs)
	default:
		condition.Status, condition.Reason = metav1.ConditionTrue, orkv1.KatalogReasonRunning
	}
	return condition
}

// readiness sums up, for those who know no other condition.
func readiness(accepted, running metav1.Condition, crds []orkv1.KatalogCRDStatus) metav1.Condition {
	condition := metav1.Condition{Type: orkv1.ConditionReady, Status: metav1.ConditionFalse}
	for _, other := range []metav1.Condition{accepted, running} {
		if other.Status != metav1.ConditionTrue {
			condition.Reason, condition.Message = other.Reason, other.Message
			return condition
		}
	}
	var degraded []string
	for _, crd := range crds {
		if crd.State == string(health.Degraded) {
			degraded = append(degraded, fmt.Sprintf("CRD %s: %s", crd.Name, crd.Reason))
		}
	}
	if len(degraded) > 0 {
		condition.Reason, condition.Message = orkv1.KatalogReasonDegraded, lines(degraded)
		return condition
	}
	condition.Status, condition.Reason = metav1.ConditionTrue, orkv1.KatalogReasonRunning
	return condition
}

const (
	linesAtMost = 20
	runesAtMost = 300
)

// lines are what fits into a condition: the first ones, and how many there are besides.
func lines(all []string) string {
	shown := make([]string, 0, min(len(all), linesAtMost)+1)
	for _, one := range all[:min(len(all), linesAtMost)] {
		shown = append(shown, shortened(one))
	}
	if left := len(all) - linesAtMost; left > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(shown, "\n")
}

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= runesAtMost {
		return text
	}
	return string([]rune(text)[:runesAtMost]) + "..."
}
