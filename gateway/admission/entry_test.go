package admission_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/gateway/admission"
)

func TestEntriesOf(t *testing.T) {
	resource := func(version, name string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: name}
	}
	all := admission.Entries{resource("v2", "sites"): {Name: "two"}, resource("v1", "sites"): {Name: "one"}, resource("v2", "plans"): {Name: "plan"}}
	cases := map[string]struct {
		reason string
		of     schema.GroupVersionResource
		want   string
	}{
		"First":  {"each version has its own rules", resource("v1", "sites"), "one"},
		"Second": {"whichever was read last", resource("v2", "sites"), "two"},
		"Other":  {"a version without rules passes none by", resource("v3", "sites"), "one"},
		"Single": {"neither where there is one version", resource("v1", "plans"), "plan"},
		"None":   {"of another resource there are none", resource("v1", "others"), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if one := all.Of(tc.of); one != nil {
				got = one.Name
			}
			if got != tc.want {
				t.Errorf("%s\nOf(%s): %q, want %q", tc.reason, tc.of, got, tc.want)
			}
		})
	}
}
