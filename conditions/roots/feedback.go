package roots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Health are the fields of .health.
func Health() *Props {
	text, number, yes := *ofType("string"), *ofType("number"), *ofType("boolean")
	return object(map[string]Props{
		"state": text, "status": text, "statusCode": number,
		"healthy": yes, "pending": yes, "degraded": yes, "started": yes, "gated": yes, "gatedReason": text,
		"totalReconciles": number, "failedReconciles": number, "consecutiveFails": number, "errorRatePercent": number,
		"lastReconcile": text, "lastError": text, "uptime": text, "readyCount": number, "totalCount": number,
		"rollbackActive": yes, "rollbackTotal": number, "hasUnhealthyDeps": yes,
	})
}

// Metrics are the fields of .metrics.
func Metrics() *Props {
	number := *ofType("number")
	return object(map[string]Props{
		"workers": number, "workersBusyPercent": number, "workersIdlePercent": number, "queueDepth": number,
		"reconcileDurationP95Ms": number, "errorRatePercent": number, "errorRate": number, "successRate": number,
		"totalReconciles": number, "reconcileCount": number, "errorCount": number, "autoscaleActive": *ofType("boolean"),
	})
}

// IsFeedback tells whether a reference is to what the runtime knows of the CRD at the moment: .health or .metrics, or everything, as in
// {{ toJson . }}.
func IsFeedback(reference []string) bool {
	return len(reference) == 0 || reference[0] == "health" || reference[0] == "metrics"
}

// isMeasure tells whether the key of a path after the first that has this index is a field of .health or .metrics, also of those of another CRD.
func isMeasure(path template.Path, index int) bool {
	if path[0] != Cross {
		return index == 0 && IsFeedback(path)
	}
	return index == 2 && IsFeedback(path[2:])
}

// unknownMeasure is an error: the runtime has no fields but these, in any version of a definition.
func unknownMeasure(root, key string, props *Props) *template.Misread {
	names := slices.Sorted(maps.Keys(props.Properties))
	said := fmt.Sprintf(".%s has no field %s", root, key)
	if near := nearest.Word(key, names); near != "" {
		said += fmt.Sprintf(": did you mean %s?", near)
	}
	return &template.Misread{Problem: said + " (valid: " + strings.Join(names, ", ") + ")"}
}
