package policy_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
	"github.com/orkestra-runtime/orkestra/controllers/policy"
)

func TestGolden(t *testing.T) {
	kindtest.Golden(t, policy.PDBs())
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"None": {
			reason: "a budget has a bound",
			in:     `{}`,
			want:   `pdb[0]: one of minAvailable, maxUnavailable, behavior is required`,
		},
		"Both": {
			reason: "the API server takes one of the two",
			in:     `{minAvailable: "1", maxUnavailable: "1"}`,
			want:   `pdb[0]: only one of minAvailable, maxUnavailable may be there: remove the others`,
		},
		"BothForms": {
			reason: "one bound has one place",
			in:     `{minAvailable: "1", behavior: {minAvailable: "2"}}`,
			want:   `pdb[0]: only one of minAvailable, behavior may be there: remove the others`,
		},
		"EmptyBehavior": {
			reason: "a behavior has a bound",
			in:     `{behavior: {}}`,
			want:   `pdb[0].behavior: one of profile, minAvailable, maxUnavailable is required`,
		},
		"NoNumber": {
			reason: "a bound is a number or a percentage",
			in:     `{behavior: {maxUnavailable: half}}`,
			want: `pdb[0].behavior.maxUnavailable: "half" is neither a whole number of at least 0 nor a percentage ` +
				`such as 25%`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, policy.PDBs(), tc.in, tc.want)
		})
	}
}
