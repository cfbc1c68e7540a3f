package reconciler

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

var (
	deploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")
	hpaKind        = autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler")
)

// scaledBy is a Deployment that a HorizontalPodAutoscaler scales while spec.scaled is true.
const scaledBy = `{
  onCreate: {deployments: [{name: w, image: "web:{{ .spec.version }}", replicas: 2, reconcile: true}]},
  onReconcile: {custom: [{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: "{{ .item }}"}, forEach: {field: spec.hpas},
    spec: {minReplicas: 1, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w}},
    when: [{field: spec.scaled, equals: "true"}]}]}}`

func setReplicas(n int64) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { _ = unstructured.SetNestedField(o.Object, n, "spec", "replicas") }
}

func TestDefect49HorizontalPodAutoscalerOwnsTheReplicas(t *testing.T) {
	h := newHarness(t, scaledBy, map[string]any{"version": "1", "scaled": true, "hpas": []any{"w"}})
	sent := h.applies(t, nil)
	h.cycle(t)
	h.change(t, deploymentKind, "w", true, setReplicas(7))
	if _, requests := h.cycle(t); len(requests) > 0 {
		t.Fatalf("the replicas of the autoscaler are no reason for a write, got %v", requests)
	}

	// An apply that leaves the field out would have the server put it back to its default as long as it was ours alone.
	h.spec("version", "2")
	h.change(t, deploymentKind, "w", false, setReplicas(8)) // and it has moved on since memory was told
	h.cycle(t)
	last := (*sent)[len(*sent)-1]
	if got := replicasOf(last); got == nil || *got != 8 || last.GetResourceVersion() == "" {
		t.Errorf("the write of another field sends the replicas as %v in version %q, want 8 in the version that has them",
			got, last.GetResourceVersion())
	}

	// A plan that ends before it comes to the autoscaler leaves the replicas alone all the same.
	h.spec("version", "3")
	h.spec("hpas", "not a list")
	if _, err := h.try(t); err == nil {
		t.Fatal("the text is taken for a list")
	}
	if got := replicasOf((*sent)[len(*sent)-1]); got == nil || *got != 8 {
		t.Errorf("a cycle that fails sends the replicas as %v, want 8", got)
	}
}

func TestReplicasComeBackWhenTheAutoscalerIsGone(t *testing.T) {
	h := newHarness(t, scaledBy, map[string]any{"version": "1", "scaled": true, "hpas": []any{"w"}})
	sent := h.applies(t, nil)
	h.cycle(t)
	h.awaitOwned(t, hpaKind, 1)
	h.change(t, deploymentKind, "w", true, setReplicas(7))
	h.spec("scaled", false)
	if _, requests := h.cycle(t); !cmp.Equal([]string{"delete horizontalpodautoscalers", "update websites"}, requests) {
		t.Fatalf("the cycle asks for %v, want the autoscaler to go", requests)
	}
	h.awaitOwned(t, hpaKind, 0)
	h.cycle(t)
	if got := replicasOf((*sent)[len(*sent)-1]); got == nil || *got != 2 {
		t.Errorf("the replicas are sent as %v, want what is declared", got)
	}
}

// autoscaled is a Deployment with an autoscaler of its own.
const autoscaled = `{onReconcile: {deployments: [{name: w, image: "web:{{ .spec.version }}", replicas: 2, autoscale: {
  min: 1, max: "{{ .spec.max | default 6 }}", cooldown: 1m,
  scaleUp: {conditions: {when: [{field: spec.load, greaterThan: "10"}]}, increment: 3},
  scaleDown: {conditions: {when: [{field: spec.load, notEquals: "7"}]}, decrement: 1}}}]}}`

func TestDefect94AutoscalerOwnsTheReplicas(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	type want struct {
		// replicas that are sent, 0 for no write at all.
		replicas int64
		// stamped tells whether the write says when the last step was.
		stamped bool
		again   time.Duration
	}
	cases := map[string]struct {
		reason   string
		load     int64
		most     int64
		replicas int64
		last     time.Duration // since the last step, 0 for none
		version  string
		want     want
	}{
		"Drift":     {reason: "somebody's number within the bounds stays", load: 7, replicas: 5},
		"Above":     {reason: "one beyond them does not, and that is no step", load: 7, replicas: 9, want: want{replicas: 6}},
		"Below":     {reason: "nor one below", load: 7, replicas: 0, want: want{replicas: 1}},
		"Up":        {reason: "a step up wins, and another one may follow", load: 11, replicas: 2, want: want{replicas: 5, stamped: true, again: time.Minute}},
		"UpToMax":   {reason: "no step leads beyond max, and none can follow", load: 11, replicas: 5, want: want{replicas: 6, stamped: true}},
		"AtMax":     {reason: "there is no way up, and down does not take over", load: 11, replicas: 6},
		"Down":      {reason: "a step down", load: 1, replicas: 3, want: want{replicas: 2, stamped: true, again: time.Minute}},
		"Cooldown":  {reason: "a step too early comes when its time has come", load: 11, replicas: 2, last: 20 * time.Second, want: want{again: 40 * time.Second}},
		"Cool":      {reason: "the cooldown is over", load: 11, replicas: 2, last: time.Minute, want: want{replicas: 5, stamped: true, again: time.Minute}},
		"Quiet":     {reason: "no condition holds: nothing to come back for", load: 7, replicas: 3, last: 20 * time.Second},
		"ClampHot":  {reason: "the bounds hold in the cooldown as well", load: 11, replicas: 9, last: 20 * time.Second, want: want{replicas: 6, stamped: true}},
		"OtherEdit": {reason: "a write of another field keeps replicas and stamp", load: 7, replicas: 5, last: time.Second, version: "2", want: want{replicas: 5, stamped: true}},
		"Template":  {reason: "bounds may be templates", load: 7, most: 4, replicas: 5, want: want{replicas: 4}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, autoscaled, map[string]any{"version": "1", "load": int64(7)})
			h.Now = func() time.Time { return now }
			sent := h.applies(t, nil)
			h.cycle(t)
			h.change(t, deploymentKind, "w", true, func(o *unstructured.Unstructured) {
				setReplicas(tc.replicas)(o)
				if tc.last != 0 {
					annotations := o.GetAnnotations()
					annotations[orkv1.AnnotationLastScale] = now.Add(-tc.last).Format(time.RFC3339)
					o.SetAnnotations(annotations)
				}
			})
			h.spec("load", tc.load)
			if tc.version != "" {
				h.spec("version", tc.version)
			}
			if tc.most != 0 {
				h.spec("max", tc.most)
			}
			outcome, _ := h.cycle(t)
			got := want{again: outcome.RequeueAfter}
			for _, one := range *sent {
				got.replicas, got.stamped = *replicasOf(one), one.GetAnnotations()[orkv1.AnnotationLastScale] != ""
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if _, requests := h.cycle(t); len(requests) > 0 {
				t.Errorf("\n%s\nthe next cycle asks for %v, want nothing", tc.reason, requests)
			}
		})
	}
}

func TestAutoscaledWorkloadBeginsWithinBounds(t *testing.T) {
	h := newHarness(t, autoscaled, map[string]any{"version": "1", "load": int64(7), "max": int64(1)})
	outcome, _ := h.cycle(t)
	if got := replicasOf(outcome.Changes[0].Object); got == nil || *got != 1 {
		t.Errorf("it is made with %v replicas, want those nearest to what is declared within the bounds", got)
	}
}

// Whoever scales by hand between the decision and the write is not overruled: the next cycle decides anew.
func TestAutoscalerDecidesOnWhatIsThere(t *testing.T) {
	h := newHarness(t, autoscaled, map[string]any{"version": "1", "load": int64(7)})
	h.applies(t, nil)
	h.cycle(t)
	h.change(t, deploymentKind, "w", true, setReplicas(2))
	h.change(t, deploymentKind, "w", false, setReplicas(1))
	h.spec("load", int64(11))
	if _, err := h.try(t); err == nil || !strings.Contains(err.Error(), "spec.replicas of Deployment shop/w was changed meanwhile") {
		t.Errorf("the write of a decision on old replicas: %v", err)
	}

	// Another change, such as of the status, is no reason to decide anew.
	h.change(t, deploymentKind, "w", true, setReplicas(2))
	h.change(t, deploymentKind, "w", false, func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"replicas": int64(2)} })
	if _, requests := h.cycle(t); !cmp.Equal([]string{"patch deployments", "get deployments", "patch deployments", "update websites"}, requests) {
		t.Errorf("the cycle asks for %v, want the same write from the newest version", requests)
	}
}

func TestAutoscaleErrors(t *testing.T) {
	const hpa = `, custom: [{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h},
  spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w}}}]`
	cases := map[string]struct {
		reason     string
		autoscale  string
		neighbours string
		want       string
	}{
		"NoNumber": {
			reason: "a template that renders to no number", autoscale: `min: "{{ .spec.x }}", max: 3`,
			want: `deployments[0].autoscale.min: "" is not a whole number`,
		},
		"Bounds": {
			reason: "bounds that are known at run time alone", autoscale: `min: "{{ .spec.n }}", max: 3`,
			want: `deployments[0].autoscale.max: "3" is below min, which is 4`,
		},
		"Twice": {
			reason: "an autoscaler that only its object shows", autoscale: `min: 1, max: 3`, neighbours: hpa,
			want: `deployments[0].autoscale: custom[0] scales the same workload; keep one of the two`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, fmt.Sprintf(`{onReconcile: {deployments: [{name: w, image: a, autoscale: {%s,
  scaleUp: {conditions: {when: [{field: spec.n, exists: true}]}, target: 3}}}]%s}}`, tc.autoscale, tc.neighbours), map[string]any{"n": int64(4)})
			_, err := h.try(t)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nReconcile(...) = %v, want %s", tc.reason, err, tc.want)
			}
		})
	}
}
