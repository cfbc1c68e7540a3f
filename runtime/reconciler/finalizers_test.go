package reconciler

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// A resource that is deleted while its first cycle waits or fails must not go without what its deletion is declared to do.
func TestFinalizersComeBeforeWhatMayFail(t *testing.T) {
	const onDelete = `onDelete: {configMaps: [{name: shown}]}, `
	cases := map[string]struct {
		reason, box string
		labels      string
		want        []string
		requests    []string
		label       string
	}{
		"Build":    {reason: "an image is being built", box: onDelete + `onReconcile: {` + imageOfSpec + `}`, want: []string{orkv1.Finalizer}, requests: []string{"patch websites", "update websites"}},
		"Git":      {reason: "a repository can't be fetched", box: onDelete + `onReconcile: {git: {repo: "https://a.example.com/a"}}`, want: []string{orkv1.Finalizer}, requests: []string{"patch websites", "update websites"}},
		"Rules":    {reason: "the rules forbid the resource", box: onDelete + `onReconcile: {configMaps: [{name: shown}]}}, validation: {rules: [{field: spec.none, operator: exists, action: deny, message: wanted}]`, want: []string{orkv1.Finalizer}, requests: []string{"patch websites", "update websites"}},
		"Declared": {reason: "those of the Katalog as well", box: `finalizers: [example.com/held], onReconcile: {` + imageOfSpec + `}`, want: []string{"example.com/held"}, requests: []string{"patch websites", "update websites"}},
		"Labels":   {reason: "labels go along", box: onDelete + `onReconcile: {` + imageOfSpec + `}`, labels: `labels: {image: "{{ .spec.image }}"}, `, want: []string{orkv1.Finalizer}, requests: []string{"patch websites", "update websites"}, label: "a"},
		"LateLabels": {
			reason: "but for those that read children", box: onDelete + `onReconcile: {configMaps: [{name: shown}]}`,
			labels: `labels: {image: "{{ with .children.configMaps }}{{ len . }}{{ end }}x"}, `, want: []string{orkv1.Finalizer},
			requests: []string{"patch websites", "patch websites", "create configmaps", "update websites"}, label: "x",
		},
		"Once": {reason: "one patch is enough", box: onDelete + `onReconcile: {configMaps: [{name: shown}]}`, want: []string{orkv1.Finalizer}, requests: []string{"patch websites", "create configmaps", "update websites"}},
		"None": {reason: "where none is needed none is written", box: `onReconcile: {` + imageOfSpec + `}`, requests: []string{"update websites"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, _ := newBuildHarness(t, `{onReconcile: {configMaps: [{name: shown}]}}`, map[string]any{"image": "a"})
			h.set = compileEntry(t, tc.labels+"operatorBox: {"+tc.box+"}")
			h.Checkouts = &repositories{}
			h.client.ClearActions()
			_, _ = h.Reconcile(t.Context(), h.work())
			requests := []string{}
			for _, action := range h.client.Actions() {
				if verb := action.GetVerb(); verb != "list" && verb != "watch" {
					requests = append(requests, verb+" "+action.GetResource().Resource)
				}
			}
			if diff := cmp.Diff(tc.want, h.resource.GetFinalizers()); diff != "" {
				t.Errorf("%s: finalizers -want, +got:\n%s", tc.reason, diff)
			}
			if !slices.Equal(tc.requests, requests) || h.resource.GetLabels()["image"] != tc.label {
				t.Errorf("%s: requests %v, want %v; label %q", tc.reason, requests, tc.requests, h.resource.GetLabels()["image"])
			}
		})
	}
}
