package engine

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestRemoved(t *testing.T) {
	katalogOf := func(name, entry, kind, namespace string, enabled bool) *orkv1.Katalog {
		k := &orkv1.Katalog{ObjectMeta: metav1.ObjectMeta{Name: name}}
		k.Spec.CRDs = map[string]orkv1.CRD{entry: {
			Enabled: &enabled, Namespace: namespace, APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: kind},
		}}
		return k
	}
	cases := map[string]struct {
		reason   string
		katalogs []*orkv1.Katalog
		record   record
		want     bool
	}{
		"Gone":      {reason: "its Katalog has it no more", katalogs: []*orkv1.Katalog{katalogOf("shop", "other", "Other", "", true)}, want: true},
		"Declared":  {reason: "it is there", katalogs: []*orkv1.Katalog{katalogOf("shop", "widget", "Widget", "", true)}},
		"Paused":    {reason: "one that is not enabled is there", katalogs: []*orkv1.Katalog{katalogOf("shop", "widget", "Widget", "", false)}},
		"Renamed":   {reason: "another entry operates the resources", katalogs: []*orkv1.Katalog{katalogOf("shop", "gadget", "Widget", "", true)}},
		"Elsewhere": {reason: "another entry operates those of other namespaces", katalogs: []*orkv1.Katalog{katalogOf("shop", "gadget", "Widget", "b", true)}, record: record{Namespace: "a"}, want: true},
		"Stranger":  {reason: "another operator may have the Katalog", katalogs: []*orkv1.Katalog{katalogOf("bakery", "other", "Other", "", true)}},
		"Begun":     {reason: "a removal that has begun is ended", katalogs: []*orkv1.Katalog{katalogOf("bakery", "other", "Other", "", true)}, record: record{Removed: true}, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.record.Katalog, tc.record.Name, tc.record.APIVersion, tc.record.Kind = "shop", "widget", "example.com/v1", "Widget"
			if got := rosterOf(tc.katalogs).removed(tc.record); got != tc.want {
				t.Errorf("\n%s\nremoved(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
