package katalogs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/katalogs"
)

func TestParse(t *testing.T) {
	const noFiles = "a Katalog of the cluster can't take in files: put what the file holds in its place"
	cases := map[string]struct {
		reason         string
		entry          string
		errs, warnings []string
	}{
		"Right": {reason: "what the server adds is no mistake", entry: "apiTypes: {group: example.com, version: v1, kind: Widget, plural: widgets}"},
		"Unknown": {
			reason: "an object is read as strictly as a file",
			entry:  "apiTypes: {group: example.com, version: v1, kind: Widget, plural: widgets}\n      labls: {}",
			errs:   []string{"spec.crds[widget].labls: unknown key; did you mean labels?"},
		},
		"Everything": {
			reason: "all mistakes are told at once",
			entry:  "apiTypes: {group: example.com, version: v1, kind: Widget, plural: widgets}\n      labels: {a: \"{{ nonsense }}\"}\n      operatorBox: {reconciler: {workers: 99}}",
			errs: []string{
				`spec.crds[widget].labels[a]: unknown function "nonsense": a field is written with a leading dot, as .nonsense, got "{{ nonsense }}"`,
				`spec.crds[widget].operatorBox.reconciler.workers: must be from 1 to 50, got 99`,
			},
		},
		"CRDFile": {
			reason:   "what applies files elsewhere is not needed in a cluster",
			entry:    "apiTypes: {group: example.com, version: v1, kind: Widget, plural: widgets}\n      crdFile: /etc/passwd",
			warnings: []string{`spec.crds[widget].crdFile: "/etc/passwd" is not read: a Katalog of the cluster has no files; the cluster must hold what it would`},
		},
		"Include": {
			reason: "who may write an object may not read the operator's files",
			entry:  "apiTypes: {group: example.com, version: v1, kind: Widget, plural: widgets}\n      operatorBox: {status: {include: /etc/passwd}}",
			errs:   []string{"spec.crds[widget].operatorBox.status.include: " + noFiles},
		},
		"Import": {
			reason: "nor by a Motif",
			entry:  "apiTypes: {group: example.com, version: v1, kind: Widget, plural: widgets}\n      imports: [{motif: /etc/passwd}]",
			errs:   []string{"spec.crds[widget].imports[0].motif: " + noFiles},
		},
	}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			text := `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop, namespace: ops, uid: "1", resourceVersion: "5", creationTimestamp: "2026-01-01T00:00:00Z", managedFields: [{manager: me}]}
status: {anything: else}
spec:
  crds:
    widget:
      ` + tc.entry + "\n"
			if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
				t.Fatal(err)
			}
			found, errs, warnings := katalogs.Parse(object, registry)
			if (found != nil) != (len(tc.errs) == 0) {
				t.Errorf("%s\nParse(...) returns a Katalog: %t", tc.reason, found != nil)
			}
			if diff := cmp.Diff(tc.errs, errs); diff != "" {
				t.Errorf("\n%s\nerrors: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("\n%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
