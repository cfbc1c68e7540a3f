package docs_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/builtin"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// Each kind of the providers that come with ork has its table, and each field its row.
func TestProviderFields(t *testing.T) {
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"common": declared.Common()}
	for _, name := range registry.Names() {
		one, _ := registry.Get(name)
		checker, ok := one.(providers.Checker)
		if !ok {
			t.Fatalf("the provider %s does not tell its kinds", name)
		}
		for kind, fields := range checker.Kinds() {
			all := slices.Concat(fields.Required, fields.Optional)
			want[name+"."+kind] = slices.DeleteFunc(all, func(field string) bool { return slices.Contains(declared.Common(), field) })
		}
	}
	got := map[string][]string{}
	for _, one := range read(t, "providers.md").tables(t, "declares") {
		for _, row := range one.rows {
			got[one.argument] = append(got[one.argument], words(row[0])...)
		}
	}
	for _, fields := range []map[string][]string{want, got} {
		for kind := range fields {
			slices.Sort(fields[kind])
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
