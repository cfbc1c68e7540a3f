package katalog

import "testing"

func TestBuiltinFor(t *testing.T) {
	cases := map[string]struct {
		reason, group, version, kind string
		want                         string
	}{
		"KindAlone":    {"the kind is enough", "", "", "Deployment", "deployments"},
		"Core":         {"the core group is empty", "", "v1", "Pod", "pods"},
		"OwnGroup":     {"a kind of the same name elsewhere is another", "example.com", "v1", "Service", ""},
		"OlderVersion": {"any version of the group is the same kind", "autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers"},
		"OtherVersion": {"without a group the version tells", "", "v1alpha1", "Service", ""},
		"Unknown":      {"everything else is none", "", "", "Website", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, ok := builtinFor(tc.group, tc.version, tc.kind)
			if ok != (tc.want != "") || ok && b.plural != tc.want {
				t.Errorf("%s\nbuiltinFor(%q, %q, %q): want %q, got %q, %t", tc.reason, tc.group, tc.version, tc.kind, tc.want, b.plural, ok)
			}
		})
	}
}
