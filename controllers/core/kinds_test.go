package core_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestGolden(t *testing.T) {
	for _, kind := range []controllers.Kind{core.Secrets(), core.ConfigMaps(), core.ServiceAccounts(), core.Services()} {
		t.Run(kind.Key, func(t *testing.T) { kindtest.Golden(t, kind) })
	}
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   controllers.Kind
		in     string
		want   string
	}{
		"ServiceWithoutPort": {
			reason: "a Service with an address has a port",
			kind:   core.Services(),
			in:     `{}`,
			want:   `services[0].port: a port is required, unless the Service is headless`,
		},
		"ServiceType": {
			reason: "three types are supported",
			kind:   core.Services(),
			in:     `{port: "80", type: ExternalName}`,
			want:   `services[0].type: "ExternalName" is not one of ClusterIP, NodePort, LoadBalancer`,
		},
		"ServiceHeadless": {
			reason: "a node port needs an address",
			kind:   core.Services(),
			in:     `{port: "80", headless: true, type: NodePort}`,
			want:   `services[0].headless: a headless Service has type ClusterIP: remove headless or the type NodePort`,
		},
		"ServiceTargetPort": {
			reason: "a target port is a number or a name",
			kind:   core.Services(),
			in:     `{port: "80", targetPort: "0"}`,
			want:   `services[0].targetPort: "0" is out of range: want 1 to 65535`,
		},
		"ServiceName": {
			reason: "the name of a Service is a label of DNS",
			kind:   core.Services(),
			in:     `{port: "80", name: a.b}`,
			want:   `services[0].name: "a.b" is not a name that the kind can have: must not contain dots`,
		},
		"Namespace": {
			reason: "namespaces are labels of DNS",
			kind:   core.ConfigMaps(),
			in:     `{namespace: Shop}`,
			want: `configMaps[0].namespace: "Shop" is not a namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ` +
				`and must start and end with an alphanumeric character`,
		},
		"ConfigMapKey": {
			reason: "keys are names of files",
			kind:   core.ConfigMaps(),
			in:     `{data: {a/b: x}}`,
			want:   `configMaps[0].data: "a/b" is not a key: a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
		},
		"SecretKey": {
			reason: "keys are names of files",
			kind:   core.Secrets(),
			in:     `{data: {"": x}}`,
			want:   `secrets[0].data: "" is not a key: a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, tc.kind, tc.in, tc.want)
		})
	}
}
