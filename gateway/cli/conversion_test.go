package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

// TestCheckConversion shows what the definition and the examples say of a conversion.
func TestCheckConversion(t *testing.T) {
	const (
		sizes = "{from: v1, to: v2, spec: {limits: {size: \"{{ .spec.size }}\"}}}\n        - {from: v2, to: v1, spec: {size: \"{{ .spec.limits.size }}\"}}"
		fails = `katalog.yaml:10:29: spec.crds[plan].crFiles[1]: Plan c: can't be converted to v1 and back: from v2 to v1: spec.size: "big" is no integer, which the schema wants`
		no    = "katalog.yaml:10:29: spec.crds[plan].crFiles[1]: Plan d: there is no version v3 (valid: v1, v2)"
	)
	cases := map[string]struct {
		reason string
		// replace are pairs of texts of the Katalog.
		replace []string
		want    []string
		// starts tells what keeps the gateway from starting.
		starts []string
	}{
		"Lost": {
			reason: "each field that is lost is named, and each way that fails",
			want: []string{
				"katalog.yaml:10:29: spec.crds[plan].crFiles[1]: Plan b: converted to v1 and back, spec.limits.size was \"05\" and becomes \"5\"; name it in the paths both ways, or keep what is lost with preserve: true",
				fails, no,
				"katalog.yaml:10:29: spec.crds[plan].crFiles[1]: Plan shop/a: converted to v2 and back, spec.hosts is lost; name it in the paths both ways, or keep what is lost with preserve: true",
				"katalog.yaml:10:29: spec.crds[plan].crFiles[1]: Plan shop/a: converted to v2 and back, spec.owner is lost; name it in the paths both ways, or keep what is lost with preserve: true",
			},
		},
		"Preserve": {reason: "what is kept is not lost", replace: []string{"storageVersion: v1", "storageVersion: v1\n        preserve: true"}, want: []string{fails, no}},
		"Off":      {reason: "what is off is looked at all the same", replace: []string{"{conversion: {}}", "{}", "storageVersion: v1", "storageVersion: v1\n        preserve: true"}, want: []string{fails, no}},
		"Direction": {
			reason: "the definition serves a version that nothing leads to; examples wait for that", replace: []string{sizes, "{from: v1, to: v1beta1}\n        - {from: v1beta1, to: v1}"},
			want: []string{
				no,
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v1 to v2: declare a path",
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v1beta1 to v2: declare a path, or one from v1beta1 to the storage version and one from there to v2",
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v2 to v1: declare a path",
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v2 to v1beta1: declare a path, or one from v2 to the storage version and one from there to v1beta1",
			},
			starts: []string{
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v1 to v2: declare a path",
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v1beta1 to v2: declare a path, or one from v1beta1 to the storage version and one from there to v2",
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v2 to v1: declare a path",
				"katalog.yaml:13:9: spec.crds[plan].conversion.paths: nothing leads from v2 to v1beta1: declare a path, or one from v2 to the storage version and one from there to v1beta1",
			},
		},
		"Field": {
			reason: "a field that the version does not have", replace: []string{"{limits: {size:", "{limits: {sizes:"},
			want:   []string{`katalog.yaml:14:53: spec.crds[plan].conversion.paths[0].spec[limits].sizes: spec.limits of v2 has no field sizes in the schema: did you mean size? (valid: size)`},
			starts: []string{`katalog.yaml:14:53: spec.crds[plan].conversion.paths[0].spec[limits].sizes: spec.limits of v2 has no field sizes in the schema: did you mean size? (valid: size)`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "check", "katalog.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(filepath.Join("testdata", "check"))
			replaced := strings.NewReplacer(tc.replace...).Replace(string(text))
			for what, one := range map[string]struct {
				check katalog.Checks
				want  []string
			}{"validate": {Check, tc.want}, "gate": {checked(nil), tc.starts}} {
				_, err = katalog.Parse(katalog.Options{Gateway: true, Check: one.check}, "katalog.yaml", []byte(replaced))
				var got []string
				if err != nil {
					got = strings.Split(fmt.Sprint(err), "\n")
				}
				if diff := cmp.Diff(one.want, got); diff != "" {
					t.Errorf("\n%s\n%s: -want, +got:\n%s", tc.reason, what, diff)
				}
			}
		})
	}
}
