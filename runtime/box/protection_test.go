package box

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestProtection(t *testing.T) {
	type all = orkv1.DeletionProtection
	type own = orkv1.ResourceProtection
	cases := map[string]struct {
		reason string
		all    *all
		own    *own
		want   *Protection
	}{
		"None":        {"people put the labels", nil, &own{}, nil},
		"Default":     {"the block alone protects", &all{}, nil, &Protection{Resources: true}},
		"Off":         {"nothing is protected any more", &all{Enabled: new(false), StrictMode: true}, nil, &Protection{Strict: true}},
		"CRs":         {"nor are resources that do not want it", &all{StrictMode: true}, &own{ProtectCRs: new(false), StrictMode: new(false)}, &Protection{Strict: true}},
		"Strict":      {"strict mode is inherited", &all{StrictMode: true}, &own{ProtectCRD: new(false)}, &Protection{Resources: true, Strict: true}},
		"Exempt":      {"unless the entry does without", &all{StrictMode: true}, &own{StrictMode: new(false)}, &Protection{Resources: true, Strict: true, Exempt: true}},
		"StrictAlone": {"an entry has no strict mode of its own", &all{}, &own{StrictMode: new(true)}, &Protection{Resources: true}},
		"NotStrict":   {"where there is none, nothing is exempt from it", &all{}, &own{StrictMode: new(false)}, &Protection{Resources: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			katalog := &orkv1.Katalog{}
			if tc.all != nil {
				katalog.Security = &orkv1.Security{DeletionProtection: tc.all}
			}
			if diff := cmp.Diff(tc.want, protection(katalog, &orkv1.CRD{DeletionProtection: tc.own})); diff != "" {
				t.Errorf("\n%s\nprotection(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
