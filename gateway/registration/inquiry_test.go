package registration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
)

func TestInquiries(t *testing.T) {
	of := func(group, version, resource, idle string) Resource {
		return Resource{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, Idle: idle}
	}
	cases := map[string]struct {
		reason    string
		resources []Resource
		// want are the resources, separated by commas, by the name of the webhook; one about which it is not always asked has a question mark.
		want map[string]string
	}{
		"None":     {"nothing to ask", nil, map[string]string{}},
		"Always":   {"one webhook for all that the API server can't tell by itself", []Resource{of("a.io", "v1", "as", ""), of("b.io", "v1", "bs", "")}, map[string]string{"validate": "as,bs"}},
		"Own":      {"one of its own for what it can", []Resource{of("a.io", "v1", "as", "true"), of("b.io", "v1", "bs", "")}, map[string]string{"as.a.io.validate": "as?", "validate": "bs"}},
		"Versions": {"asked by two webhooks, both would get each version", []Resource{of("a.io", "v1", "as", "true"), of("a.io", "v2", "as", "true")}, map[string]string{"validate": "as,as"}},
		"Long":     {"what no name can hold", []Resource{of(strings.Repeat("a.", 110)+"io", "v1", "as", "true")}, map[string]string{"validate": "as"}},
		"Large":    {"what nobody could read", []Resource{of("a.io", "v1", "as", "("+strings.Repeat("true && ", 5000)+"true)")}, map[string]string{"validate": "as"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for _, one := range inquiries("validate", tc.resources) {
				var about []string
				for _, resource := range one.about {
					sign := ""
					if len(one.where) > 1 {
						sign = "?"
					}
					about = append(about, resource.Resource+sign)
				}
				got[one.name] = strings.Join(about, ",")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ninquiries(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// One configuration has only so much that the API server must compile.
func TestInquiriesTogether(t *testing.T) {
	resources := make([]Resource, 0, 100)
	for i := range cap(resources) {
		resources = append(resources, Resource{
			GroupVersionResource: schema.GroupVersionResource{Group: "a.io", Version: "v1", Resource: fmt.Sprintf("as%d", i)},
			Idle:                 "(" + strings.Repeat("true && ", 120) + "true)",
		})
	}
	own, about, length := 0, 0, 0
	for _, one := range inquiries("validate", resources) {
		about += len(one.about)
		if len(one.where) > 1 {
			own++
			length += len(one.where[1].Expression)
		}
	}
	if about != len(resources) || own < 20 || own > 30 || length > 30<<10 {
		t.Errorf("%d resources of %d are asked about, %d by themselves with expressions of %d bytes", about, len(resources), own, length)
	}
}

func TestLives(t *testing.T) {
	expression := strings.NewReplacer("request.operation", "object.operation", "oldObject", "object.old").Replace(lives.Expression)
	lives := conditionstest.InServer(t, expression)
	alive, leaving := map[string]any{"metadata": map[string]any{"name": "a"}}, map[string]any{"metadata": map[string]any{"deletionTimestamp": "2026-01-01T00:00:00Z"}}
	for name, tc := range map[string]struct {
		object map[string]any
		want   bool
	}{
		"Made":    {map[string]any{"operation": "CREATE", "old": nil}, true},
		"Lives":   {map[string]any{"operation": "UPDATE", "old": alive}, true},
		"Leaves":  {map[string]any{"operation": "UPDATE", "old": leaving}, false},
		"Deleted": {map[string]any{"operation": "DELETE", "old": leaving}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lives(tc.object); got != tc.want {
				t.Errorf("it is asked: %t, want %t", got, tc.want)
			}
		})
	}
}
