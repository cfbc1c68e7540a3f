package engine

import (
	"reflect"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// What an entry is compiled from is kept whole: it compiles again alone, and a change of any part is a change of the entry.
func TestDeclared(t *testing.T) {
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	series, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	engine := &Engine{opts: Options{Registry: registry}, series: series}
	cases := map[string]struct {
		reason string
		change func(*orkv1.Katalog)
		same   bool
	}{
		"Nothing":     {"what is as it was goes on", func(*orkv1.Katalog) {}, true},
		"Profile":     {"a preset that the entry names", func(k *orkv1.Katalog) { k.Profiles.Resources[0].Limits["cpu"] = "2" }, false},
		"Note":        {"a note that a template calls", func(k *orkv1.Katalog) { k.Notes.Functions[0].Expression = "other" }, false},
		"Finalizer":   {"a finalizer of all entries", func(k *orkv1.Katalog) { k.Spec.Finalizers = []string{"a.example.com/b"} }, false},
		"Description": {"what stands beside all this is for people", func(k *orkv1.Katalog) { k.Annotations = map[string]string{"a": "b"} }, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			katalog := &orkv1.Katalog{
				Notes: &orkv1.Notes{Functions: []orkv1.Note{{Name: "tag", Expression: "1"}}},
				Profiles: &orkv1.Profiles{Resources: []orkv1.ResourcesProfile{
					{ProfileName: orkv1.ProfileName{Name: "ours"}, Limits: map[string]orkv1.Template{"cpu": "1"}},
				}},
			}
			katalog.Spec.CRDs = map[string]orkv1.CRD{"one": {OperatorBox: orkv1.OperatorBox{OnReconcile: &orkv1.Block{Deployments: []orkv1.Deployment{{
				Workload: orkv1.Workload{Image: "web:{{ tag }}", Resources: &orkv1.Resources{Profile: "ours"}},
			}}}}}}
			before, err := engine.compile([]*orkv1.Katalog{katalog})
			if err != nil {
				t.Fatal(err)
			}
			if _, found := box.CompileKatalog(before["one"].declared.alone("one"), box.Options{Registry: registry}); len(found.Errors) > 0 {
				t.Errorf("the entry alone: %v", found.Errors)
			}
			tc.change(katalog)
			after, err := engine.compile([]*orkv1.Katalog{katalog})
			if err != nil {
				t.Fatal(err)
			}
			if same := reflect.DeepEqual(before["one"].declared, after["one"].declared); same != tc.same {
				t.Errorf("%s: the same: %t, want %t", tc.reason, same, tc.same)
			}
		})
	}
}
