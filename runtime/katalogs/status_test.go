package katalogs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/katalogs"
)

func TestNextStatus(t *testing.T) {
	running := katalogs.Verdict{Runs: 2, Running: declaring("one", "a", "b")}
	entry := func(name string, runs bool, snapshot health.Snapshot) engine.Overview {
		return engine.Overview{Name: name, Running: runs, Resources: 3, Health: snapshot}
	}
	healthy := entry("a", true, health.Snapshot{State: health.Healthy})
	cases := map[string]struct {
		reason  string
		errs    []string
		verdict katalogs.Verdict
		entries []engine.Overview
		want    []string
		crds    []orkv1.KatalogCRDStatus
	}{
		"Healthy": {
			reason: "all is well; an entry that is not enabled does not count", verdict: running, entries: []engine.Overview{healthy},
			want: []string{"Accepted=True Accepted", "Running=True Running", "Ready=True Running"},
			crds: []orkv1.KatalogCRDStatus{{Name: "a", State: "healthy", Resources: 3}, {Name: "b", State: "disabled"}},
		},
		"Waiting": {
			reason: "one that waits says what for", verdict: running,
			entries: []engine.Overview{healthy, entry("b", false, health.Snapshot{State: health.NotStarted, Waiting: "CRD b is not installed"})},
			want:    []string{"Accepted=True Accepted", "Running=False Waiting CRD b: CRD b is not installed", "Ready=False Waiting CRD b: CRD b is not installed"},
			crds: []orkv1.KatalogCRDStatus{
				{Name: "a", State: "healthy", Resources: 3}, {Name: "b", State: "not started", Resources: 3, Reason: "CRD b is not installed"},
			},
		},
		"Degraded": {
			reason: "it runs, and is not as it should be", verdict: running,
			entries: []engine.Overview{healthy, entry("b", true, health.Snapshot{State: health.Degraded, LastError: "no luck", Retrying: 2, Failing: 1})},
			want:    []string{"Accepted=True Accepted", "Running=True Running", "Ready=False Degraded CRD b: no luck"},
			crds: []orkv1.KatalogCRDStatus{
				{Name: "a", State: "healthy", Resources: 3}, {Name: "b", State: "degraded", Resources: 3, Failing: 2, Reason: "no luck"},
			},
		},
		"LastGood": {
			reason: "what is wrong runs as it was", errs: []string{"spec: wrong", "spec.crds: as well"},
			verdict: katalogs.Verdict{Runs: 1, Running: declaring("one", "a")}, entries: []engine.Overview{healthy},
			want: []string{"Accepted=False Invalid spec: wrong\nspec.crds: as well", "Running=True EarlierGeneration generation 1 runs on", "Ready=False Invalid spec: wrong\nspec.crds: as well"},
			crds: []orkv1.KatalogCRDStatus{{Name: "a", State: "healthy", Resources: 3}},
		},
		"Conflict": {
			reason: "the other one is named", verdict: katalogs.Verdict{Conflict: &katalogs.ConflictError{What: "CRD a", Other: "the files"}},
			want: []string{
				"Accepted=False Conflict CRD a is declared by the files already; remove it there first, or here",
				"Running=False NotAccepted nothing of it runs",
				"Ready=False Conflict CRD a is declared by the files already; remove it there first, or here",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			foreign := metav1.Condition{Type: "Foreign", Status: metav1.ConditionTrue, Reason: "Theirs"}
			got := katalogs.NextStatus(orkv1.KatalogStatus{Conditions: []metav1.Condition{foreign}}, 2, tc.errs, tc.verdict, tc.entries...)
			conditions := make([]string, 0, len(got.Conditions))
			for _, one := range got.Conditions[1:] {
				conditions = append(conditions, strings.TrimSpace(fmt.Sprintf("%s=%s %s %s", one.Type, one.Status, one.Reason, one.Message)))
				if one.ObservedGeneration != 2 {
					t.Errorf("condition %s is of generation %d, want 2", one.Type, one.ObservedGeneration)
				}
			}
			if got.Conditions[0] != foreign || got.ObservedGeneration != 2 {
				t.Errorf("conditions of others stay, of generation 2: %+v", got)
			}
			if diff := cmp.Diff(tc.want, conditions); diff != "" {
				t.Errorf("\n%s\nconditions: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.crds, got.CRDs); diff != "" {
				t.Errorf("\n%s\nCRDs: -want, +got:\n%s", tc.reason, diff)
			}
			if again := katalogs.NextStatus(got, 2, tc.errs, tc.verdict, tc.entries...); !cmp.Equal(got, again) {
				t.Errorf("%s\nthe same again differs: %s", tc.reason, cmp.Diff(got, again))
			}
		})
	}
}

func TestNextStatusIsShort(t *testing.T) {
	var errs []string
	for range 1000 {
		errs = append(errs, strings.Repeat("ä", 1000))
	}
	got := katalogs.NextStatus(orkv1.KatalogStatus{}, 1, errs, katalogs.Verdict{}).Conditions[0].Message
	if !strings.HasSuffix(got, "\nand 980 more") || len(got) > 32768 {
		t.Errorf("a message of %d bytes ends in %q", len(got), got[max(0, len(got)-20):])
	}
}
