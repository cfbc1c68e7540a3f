package box

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestProtection(t *testing.T) {
	const protected, legacy, exempt = orkv1.LabelDeletionProtection, orkv1.LegacyLabelDeletionProtection, orkv1.LabelStrictExempt
	on, strict := &orkv1.DeletionProtection{}, &orkv1.DeletionProtection{StrictMode: true}
	open, loose := &orkv1.ResourceProtection{ProtectCRs: new(false)}, &orkv1.ResourceProtection{StrictMode: new(false)}
	type labels = map[string]string
	cases := map[string]struct {
		reason  string
		katalog *orkv1.DeletionProtection
		entry   *orkv1.ResourceProtection
		current labels
		want    map[string]any
	}{
		"None":     {reason: "labels that people set are theirs", current: labels{protected: "true"}},
		"Off":      {reason: "so they are when it is off", katalog: &orkv1.DeletionProtection{Enabled: new(false)}, current: labels{protected: "true"}},
		"On":       {reason: "each resource has it", katalog: on, want: map[string]any{protected: "true"}},
		"Drift":    {reason: "what somebody changed is put back", katalog: on, current: labels{protected: "false"}, want: map[string]any{protected: "true"}},
		"Converge": {reason: "and nothing is written when it is right", katalog: on, current: labels{protected: "true"}, want: map[string]any{}},
		"Opened": {
			reason: "an entry that protects no resources takes it away, in both spellings", katalog: on, entry: open,
			current: labels{protected: "true", legacy: "true"}, want: map[string]any{protected: nil, legacy: nil},
		},
		"Exempt": {
			reason: "strictMode: false of the entry", katalog: strict, entry: loose, current: labels{protected: "true"},
			want: map[string]any{exempt: "true"},
		},
		"ExemptWithoutStrict": {reason: "is nothing without the Katalog's", katalog: on, entry: loose, want: map[string]any{protected: "true"}},
		"Strict":              {reason: "nobody else exempts", katalog: strict, current: labels{protected: "true", exempt: "true"}, want: map[string]any{exempt: nil}},
		"FirstStep": {
			reason: "the gateway lets it go of what is exempt alone", katalog: strict, entry: open, current: labels{protected: "true"},
			want: map[string]any{protected: nil, exempt: "true"},
		},
		"SecondStep": {reason: "then it is exempt no more", katalog: strict, entry: open, current: labels{exempt: "true"}, want: map[string]any{exempt: nil}},
		"Done":       {reason: "and that is all", katalog: strict, entry: open, want: map[string]any{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			katalog := &orkv1.Katalog{}
			if tc.katalog != nil {
				katalog.Security = &orkv1.Security{DeletionProtection: tc.katalog}
			}
			got := protection(katalog, &orkv1.CRD{DeletionProtection: tc.entry}).Labels(tc.current)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nLabels(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
