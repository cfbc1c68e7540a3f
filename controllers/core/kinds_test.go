package core_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestGolden(t *testing.T) {
	for _, kind := range []controllers.Kind{
		core.Secrets(), core.ConfigMaps(), core.ServiceAccounts(), core.Services(), core.Pods(), core.Namespaces(),
		core.PersistentVolumes(), core.Claims(), core.ResourceQuotas(), core.LimitRanges(),
	} {
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
		"CopyWithData": {
			reason: "data has one origin",
			kind:   core.Secrets(),
			in:     `{fromSecret: a, fromNamespace: b, data: {a: b}}`,
			want:   `secrets[0].data: excludes fromSecret, which gives type and data: remove one of them`,
		},
		"CopyWithDataOfConfigMap": {
			reason: "of a ConfigMap as well",
			kind:   core.ConfigMaps(),
			in:     `{fromConfigMap: a, fromNamespace: b, data: {a: b}}`,
			want:   `configMaps[0].data: excludes fromConfigMap, which gives the data: remove one of them`,
		},
		"CopyFromNothing": {
			reason: "a namespace without a name is half a source",
			kind:   core.Secrets(),
			in:     `{fromNamespace: b}`,
			want:   `secrets[0].fromNamespace: has no meaning without fromSecret`,
		},
		"CopyTarget": {
			reason: "targets are namespaces",
			kind:   core.ConfigMaps(),
			in:     `{toNamespaces: [a, B.c]}`,
			want: `configMaps[0].toNamespaces[1]: "B.c" is not a namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ` +
				`and must start and end with an alphanumeric character`,
		},
		"TLSForNothing": {
			reason: "a certificate holds for something",
			kind:   core.Secrets(),
			in:     `{tls: {commonName: "My Server"}}`,
			want:   `secrets[0].tls: dnsNames or ipAddresses are required, or a commonName that is one of them: the certificate would hold for nothing`,
		},
		"TLSName": {
			reason: "names are those of DNS",
			kind:   core.Secrets(),
			in:     `{tls: {dnsNames: [a_b]}}`,
			want:   `secrets[0].tls.dnsNames: "a_b" is not a DNS name: want one such as web.shop.svc or *.example.com`,
		},
		"TLSAddress": {
			reason: "addresses are numbers",
			kind:   core.Secrets(),
			in:     `{tls: {ipAddresses: [localhost]}}`,
			want:   `secrets[0].tls.ipAddresses: "localhost" is not an IP address`,
		},
		"PodPolicy": {
			reason: "there are three policies",
			kind:   core.Pods(),
			in:     `{image: a, restartPolicy: Sometimes}`,
			want:   `pods[0].restartPolicy: "Sometimes" is not one of Always, OnFailure, Never`,
		},
		"NamespaceName": {
			reason: "the name of a namespace is a label of DNS",
			kind:   core.Namespaces(),
			in:     `{name: a.b}`,
			want:   `namespaces[0].name: "a.b" is not a name that the kind can have: must not contain dots`,
		},
		"VolumeSource": {
			reason: "a volume is in one place",
			kind:   core.PersistentVolumes(),
			in:     `{hostPath: /a, csiDriver: b}`,
			want: `persistentVolumes[0].capacity: the capacity is required; ` +
				`persistentVolumes[0]: only one of hostPath, csiDriver may be there: remove the others; ` +
				`persistentVolumes[0].csiVolumeHandle: csiDriver and csiVolumeHandle need each other`,
		},
		"VolumeWithoutSource": {
			reason: "and not nowhere",
			kind:   core.PersistentVolumes(),
			in:     `{capacity: "0", reclaimPolicy: Keep}`,
			want: `persistentVolumes[0].reclaimPolicy: "Keep" is not one of Retain, Delete, Recycle; ` +
				`persistentVolumes[0].capacity: "0" is no storage: it must be above 0; ` +
				`persistentVolumes[0]: one of hostPath, csiDriver is required`,
		},
		"Claim": {
			reason: "a claim has a size",
			kind:   core.Claims(),
			in:     `{volumeMode: Tape}`,
			want: `persistentVolumeClaims[0].volumeMode: "Tape" is not one of Filesystem, Block; ` +
				`persistentVolumeClaims[0].storage: the size of the storage is required`,
		},
		"NoQuota": {
			reason: "a quota bounds something",
			kind:   core.ResourceQuotas(),
			in:     `{}`,
			want:   `resourceQuotas[0].hard: at least one limit is required`,
		},
		"Quota": {
			reason: "a bound is a quantity of a resource",
			kind:   core.ResourceQuotas(),
			in:     `{hard: {pods: many, "a b": "1"}}`,
			want: `resourceQuotas[0].hard: "a b" is not the name of a resource: name part must consist of alphanumeric characters, '-', '_' or '.', ` +
				`and must start and end with an alphanumeric character; ` +
				`resourceQuotas[0].hard[pods]: "many" is not a quantity such as 500m, 2 or 128Mi`,
		},
		"NoLimits": {
			reason: "a range bounds something",
			kind:   core.LimitRanges(),
			in:     `{}`,
			want:   `limitRanges[0].limits: at least one limit is required`,
		},
		"Limits": {
			reason: "the API server refuses bounds the wrong way round, and defaults of what has no containers",
			kind:   core.LimitRanges(),
			in:     `{limits: [{type: Container, min: {cpu: 2}, max: {cpu: 1}}, {type: Pod, default: {cpu: 1}}, {type: ""}]}`,
			want: `limitRanges[0].limits[0].min[cpu]: "2" is more than max, which is 1; ` +
				`limitRanges[0].limits[1].default: only a Container has defaults: remove default and defaultRequest; ` +
				`limitRanges[0].limits[2].type: a type is required: Container, Pod or PersistentVolumeClaim`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, tc.kind, tc.in, tc.want)
		})
	}
}
