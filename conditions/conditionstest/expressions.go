package conditionstest

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

// expressions are written in CEL.
func expressions() []Case {
	rows := []struct {
		reason, expression string
		holds              bool
	}{
		{"a comparison", "spec.replicas > 2", true},
		{"of several", `spec.replicas > 2 && status.phase in ["Pending", "Failed"]`, false},
		{"what is missing can be asked for", "has(spec.absent)", false},
		{"what is missing has no value", "spec.absent == 1", false},
		{"all elements", "spec.list.all(x, size(x) == 1)", true},
		{"Kubernetes' functions", `quantity("1500m").isGreaterThan(quantity("1"))`, true},
		{"what is no boolean holds not", "spec.image", false},
	}
	all := make([]Case, len(rows))
	for i, row := range rows {
		all[i] = Case{Name: "cel " + row.expression, Reason: row.reason, Condition: orkv1.Condition{CEL: row.expression}, Holds: row.holds}
	}
	return all
}
