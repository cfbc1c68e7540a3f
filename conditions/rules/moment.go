package rules

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

// Moment is when rules run. Its text is the source in metrics.
type Moment string

// The moments at which rules run.
const (
	Reconcile Moment = "reconcile"
	Admission Moment = "admission"
)

// firing tells at which moments a rule fires: always at admission, and by default in each cycle too.
type firing struct{ admissionOnly bool }

func firingOf(fires *orkv1.Fires) firing {
	return firing{admissionOnly: fires != nil && fires.Reconcile != nil && !*fires.Reconcile}
}

func (f firing) at(when Moment) bool { return when == Admission || !f.admissionOnly }
