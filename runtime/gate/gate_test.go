package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// when compiles a gate that passes when the field is yes.
func when(t *testing.T, path orkv1.Template) *conditions.Program {
	t.Helper()
	yes := orkv1.Template("yes")
	program, errs := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{{Field: path, Equals: &yes}}}, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return program
}

func TestEvaluate(t *testing.T) {
	both := &gate.Gate{Sentinels: []sentinel.Name{sentinel.GenerationChanged, sentinel.LabelsChanged}, Conditions: when(t, "spec.on")}
	on := template.NewFacts(map[string]any{"spec": map[string]any{"on": "yes"}}, nil)
	const none, off = "sentinels: none is true", `when: "spec.on" = "", want "yes"`
	computed := func(generation, labels bool) map[string]bool {
		return map[string]bool{"generationChanged": generation, "labelsChanged": labels}
	}
	cases := map[string]struct {
		reason   string
		gate     *gate.Gate
		occasion gate.Occasion
		want     gate.Decision
	}{
		"NoGate":      {"nothing forbids it", nil, gate.Occasion{}, gate.Decision{Admit: true}},
		"Any":         {"any of the sentinels is enough", both, gate.Occasion{Facts: on, Sentinels: computed(false, true)}, gate.Decision{Admit: true}},
		"None":        {"none is", both, gate.Occasion{Facts: on, Sentinels: computed(false, false)}, gate.Decision{Reason: none}},
		"NotComputed": {"nothing was computed", both, gate.Occasion{Facts: on}, gate.Decision{Admit: true}},
		"OneNotComputed": {
			"an event without sentinels is among those that wait together", both,
			gate.Occasion{Facts: on, Sentinels: computed(false, false), Uncomputed: true},
			gate.Decision{Admit: true},
		},
		"Defect03": {"a sentinel does not stand for the conditions", both, gate.Occasion{Sentinels: computed(true, false)}, gate.Decision{Reason: off}},
		"Empty":    {"a gate that asks nothing passes", &gate.Gate{}, gate.Occasion{Sentinels: computed(false, false)}, gate.Decision{Admit: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.gate.Evaluate(tc.occasion)); diff != "" {
				t.Errorf("\n%s\nEvaluate(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	drop, conditional := &gate.Limit{Percent: 100}, &gate.Limit{Percent: 50, Conditions: when(t, "spec.drop")}
	cases := map[string]struct {
		reason string
		limits *gate.Limits
		depth  int
		most   int
		want   gate.Judgement
		asked  int
	}{
		"NoLimits":   {"nothing is dropped", nil, 1000, 10, gate.Judgement{}, 0},
		"Below":      {"there is room up to the first limit", &gate.Limits{Threshold: conditional, Limit: drop}, 4, 10, gate.Judgement{Below: 5}, 0},
		"Fires":      {"the conditions of a limit that applies are asked", &gate.Limits{Threshold: conditional}, 5, 10, gate.Judgement{}, 1},
		"Next":       {"the one above is still ahead", &gate.Limits{Threshold: conditional, Limit: drop}, 5, 10, gate.Judgement{Below: 10}, 1},
		"Defect12":   {"a threshold that keeps an item does not switch the limit off", &gate.Limits{Threshold: conditional, Limit: drop}, 10, 10, gate.Judgement{Drop: gate.Full, Depth: 10}, 1},
		"RoundsUp":   {"part of an item is none", &gate.Limits{Threshold: &gate.Limit{Percent: 50}}, 1, 3, gate.Judgement{Below: 2}, 0},
		"NoMost":     {"an autoscaler may lift the limit", &gate.Limits{Limit: drop}, 1000, 0, gate.Judgement{}, 0},
		"SmallQueue": {"an empty queue never drops", &gate.Limits{Threshold: &gate.Limit{Percent: 1}}, 0, 10, gate.Judgement{Below: 1}, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked := 0
			got := tc.limits.Judge(tc.depth, tc.most, func(*gate.Limit) template.Facts { asked++; return template.Facts{} })
			if diff := cmp.Diff(tc.want, got); diff != "" || asked != tc.asked {
				t.Errorf("\n%s\nJudge(%d) asked for facts %d times, want %d: -want, +got:\n%s", tc.reason, tc.depth, asked, tc.asked, diff)
			}
		})
	}
}
