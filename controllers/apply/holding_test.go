package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestBound(t *testing.T) {
	cases := map[string]struct {
		reason, volume, claim string
		want                  bool
	}{
		"Named":     {"the claim asks for it", `{metadata: {name: v}}`, `{metadata: {name: c, namespace: shop}, spec: {volumeName: v}}`, true},
		"Given":     {"the volume says so", `{metadata: {name: v}, spec: {claimRef: {name: c, namespace: shop, kind: PersistentVolumeClaim}}}`, `{metadata: {name: c, namespace: shop}}`, true},
		"Elsewhere": {"a claim of another namespace", `{metadata: {name: v}, spec: {claimRef: {name: c, namespace: m}}}`, `{metadata: {name: c, namespace: shop}}`, false},
		"Neither":   {"another volume", `{metadata: {name: v}}`, `{metadata: {name: c, namespace: shop}, spec: {volumeName: w}}`, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			volume, claim := &unstructured.Unstructured{Object: parse(t, tc.volume)}, &unstructured.Unstructured{Object: parse(t, tc.claim)}
			if got := bound(volume, claim); got != tc.want {
				t.Errorf("\n%s\nbound(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestMounts(t *testing.T) {
	cases := map[string]struct {
		reason, spec string
		want         bool
	}{
		"Pod":      {"a pod", `{volumes: [{name: a, emptyDir: {}}, {name: b, persistentVolumeClaim: {claimName: c}}]}`, true},
		"Template": {"a workload", `{template: {spec: {volumes: [{persistentVolumeClaim: {claimName: c}}]}}}`, true},
		"CronJob":  {"deeper", `{jobTemplate: {spec: {template: {spec: {volumes: [{persistentVolumeClaim: {claimName: c}}]}}}}}`, true},
		"Other":    {"another claim", `{volumes: [{persistentVolumeClaim: {claimName: d}}]}`, false},
		"None":     {"no volumes", `{replicas: 1}`, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := mounts(parse(t, tc.spec), "c"); got != tc.want {
				t.Errorf("\n%s\nmounts(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
