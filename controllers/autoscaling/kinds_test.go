package autoscaling_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers/autoscaling"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestGolden(t *testing.T) {
	kindtest.Golden(t, autoscaling.HPAs())
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"Nothing": {
			reason: "what is scaled, and how far, nobody can guess",
			in:     `{}`,
			want:   `hpa[0].scaleTargetRef: what is scaled is required; hpa[0].maxReplicas: the largest number of replicas is required`,
		},
		"Target": {
			reason: "a target has a name",
			in:     `{scaleTargetRef: {name: ""}, maxReplicas: "2"}`,
			want:   `hpa[0].scaleTargetRef.name: the name of what is scaled is required`,
		},
		"Bounds": {
			reason: "the API server refuses bounds the wrong way round",
			in:     `{scaleTargetRef: {name: a}, minReplicas: "3", maxReplicas: "2"}`,
			want:   `hpa[0].maxReplicas: "2" is below minReplicas: raise it, or lower minReplicas`,
		},
		"None": {
			reason: "the load of no pod is not known",
			in:     `{scaleTargetRef: {name: a}, minReplicas: "0", maxReplicas: "2"}`,
			want:   `hpa[0].minReplicas: "0" is out of range: want 1 to 2147483647`,
		},
		"Load": {
			reason: "a load is a number without a sign",
			in:     `{scaleTargetRef: {name: a}, maxReplicas: "2", targetCPUUtilizationPercentage: 80%}`,
			want:   `hpa[0].targetCPUUtilizationPercentage: "80%" is not a whole number`,
		},
		"Behavior": {
			reason: "windows, policies and their times have limits",
			in: `{scaleTargetRef: {name: a}, maxReplicas: "2", behavior: {scaleUp: {stabilizationWindowSeconds: 4000, selectPolicy: Any, ` +
				`policies: [{type: "", value: 0, periodSeconds: 1801}]}}}`,
			want: `hpa[0].behavior.scaleUp.stabilizationWindowSeconds: "4000" is out of range: want 0 to 3600; ` +
				`hpa[0].behavior.scaleUp.selectPolicy: "Any" is not one of Max, Min, Disabled; ` +
				`hpa[0].behavior.scaleUp.policies[0].type: a type is required: Pods or Percent; ` +
				`hpa[0].behavior.scaleUp.policies[0].value: "0" is below 1; ` +
				`hpa[0].behavior.scaleUp.policies[0].periodSeconds: "1801" is out of range: want 1 to 1800`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, autoscaling.HPAs(), tc.in, tc.want)
		})
	}
}
