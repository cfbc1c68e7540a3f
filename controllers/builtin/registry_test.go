package builtin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/controllers/builtin"
)

func TestRegistry(t *testing.T) {
	r, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, kind := range r.Kinds() {
		got = append(got, kind.Key)
	}
	want := []string{"secrets", "configMaps", "serviceAccounts", "custom", "services", "deployments", "jobs", "cronJobs"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("apply order: -want, +got:\n%s", diff)
	}
}
