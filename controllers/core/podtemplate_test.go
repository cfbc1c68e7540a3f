package core_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers/batch"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

// A Job is the smallest kind that has pods.
func TestPodTemplateRejects(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"Port": {
			reason: "a port is a number",
			in:     `{image: i, port: http}`,
			want:   `jobs[0].port: "http" is not a whole number`,
		},
		"Protocol": {
			reason: "there are three protocols",
			in:     `{image: i, protocol: HTTP}`,
			want:   `jobs[0].protocol: "HTTP" is not one of TCP, UDP, SCTP`,
		},
		"EnvWithoutName": {
			reason: "a variable has a name",
			in:     `{image: i, env: [{name: "", value: x}]}`,
			want:   `jobs[0].env[0].name: a variable needs a name`,
		},
		"EnvName": {
			reason: "a name has no equals sign",
			in:     `{image: i, env: [{name: A=B}]}`,
			want:   `jobs[0].env[0].name: "A=B" is not the name of a variable: a valid environment variable name must consist only of printable ASCII characters other than '='`,
		},
		"EnvTwice": {
			reason: "the API server merges the list by name",
			in:     `{image: i, env: [{name: A}, {name: A}]}`,
			want:   `jobs[0].env[1].name: "A" is already the name of jobs[0].env[0].name: remove one of them`,
		},
		"EnvTwiceByKeys": {
			reason: "keys expand to variables",
			in:     `{image: i, env: [{name: DB_user}], envFrom: {secretRef: [{name: db, prefix: DB_, keys: [user]}]}}`,
			want:   `jobs[0].envFrom.secretRef[0].keys[0]: "DB_user" is already the name of jobs[0].env[0].name: remove one of them`,
		},
		"EnvValueAndSource": {
			reason: "a variable has one value",
			in:     `{image: i, env: [{name: A, value: x, valueFrom: {secretKeyRef: {name: s, key: k}}}]}`,
			want:   `jobs[0].env[0].value: a variable has a value or a valueFrom: remove one of them`,
		},
		"EnvNoSource": {
			reason: "valueFrom names a source",
			in:     `{image: i, env: [{name: A, valueFrom: {}}]}`,
			want:   `jobs[0].env[0].valueFrom: one of secretKeyRef, configMapKeyRef is required`,
		},
		"EnvTwoSources": {
			reason: "valueFrom names one source",
			in:     `{image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}, configMapKeyRef: {name: c, key: k}}}]}`,
			want:   `jobs[0].env[0].valueFrom: only one of secretKeyRef, configMapKeyRef may be there: remove the others`,
		},
		"EnvNoKey": {
			reason: "a reference names object and key",
			in:     `{image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: "", key: " "}}}]}`,
			want: `jobs[0].env[0].valueFrom.secretKeyRef.name: the name of the object is required; ` +
				`jobs[0].env[0].valueFrom.secretKeyRef.key: the key in the object is required`,
		},
		"SuffixWithoutKeys": {
			reason: "Kubernetes has no suffix for a whole object",
			in:     `{image: i, envFrom: {configMapRef: [{name: c, suffix: _X}]}}`,
			want:   `jobs[0].envFrom.configMapRef[0].keys: keys are required with a suffix: Kubernetes itself only knows prefixes`,
		},
		"Quantity": {
			reason: "a quantity has a unit that Kubernetes knows",
			in:     `{image: i, resources: {limits: {memory: 1GB}}}`,
			want:   `jobs[0].resources.limits[memory]: "1GB" is not a quantity such as 500m, 2 or 128Mi`,
		},
		"QuantityBelowZero": {
			reason: "nobody gives resources away",
			in:     `{image: i, resources: {requests: {cpu: "-1"}}}`,
			want:   `jobs[0].resources.requests[cpu]: "-1" is below 0`,
		},
		"RequestOverLimit": {
			reason: "a request fits into its limit",
			in:     `{image: i, resources: {requests: {cpu: "2"}, limits: {cpu: 1500m}}}`,
			want:   `jobs[0].resources.requests[cpu]: "2" is more than the limit 1500m: lower it, or raise the limit`,
		},
		"Resource": {
			reason: "a misspelt resource limits nothing",
			in:     `{image: i, resources: {limits: {mem: 1Gi}}}`,
			want:   `jobs[0].resources.limits: "mem" is not a resource of a container: use cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<name>`,
		},
		"NodeSelector": {
			reason: "a node selector is made of labels",
			in:     `{image: i, nodeSelector: {disk: "a b"}}`,
			want: `jobs[0].nodeSelector[disk]: "a b" is not a label value: a valid label must be an empty string or consist of ` +
				`alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
		},
		"ProbeType": {
			reason: "there are three types of probes",
			in:     `{image: i, port: "80", probes: {liveness: {type: grpc}}}`,
			want:   `jobs[0].probes.liveness.type: "grpc" is not one of http, tcp, exec`,
		},
		"ProbePort": {
			reason: "a probe has a port to ask",
			in:     `{image: i, probes: {readiness: {path: /}}}`,
			want:   `jobs[0].probes.readiness.port: a port is required: the container has none`,
		},
		"ProbeCommand": {
			reason: "exec needs a command",
			in:     `{image: i, probes: {startup: {type: exec}}}`,
			want:   `jobs[0].probes.startup.command: a command is required: the probe is of type exec`,
		},
		"ProbeUnfit": {
			reason: "a field that the probe would not look at is a mistake",
			in:     `{image: i, port: "80", probes: {startup: {type: tcp, path: /}}}`,
			want:   `jobs[0].probes.startup.path: a probe of type tcp has none: remove it, or make the type http`,
		},
		"ProbeScheme": {
			reason: "HTTP or HTTPS",
			in:     `{image: i, port: "80", probes: {startup: {path: /, scheme: ftp}}}`,
			want:   `jobs[0].probes.startup.scheme: "ftp" is not one of HTTP, HTTPS`,
		},
		"ProbeTime": {
			reason: "time does not run backwards",
			in:     `{image: i, port: "80", probes: {startup: {periodSeconds: -1}}}`,
			want:   `jobs[0].probes.startup.periodSeconds: "-1" is below 0`,
		},
		"ProbeSuccess": {
			reason: "the API server takes more than one success for readiness alone",
			in:     `{image: i, port: "80", probes: {liveness: {successThreshold: 2}}}`,
			want:   `jobs[0].probes.liveness.successThreshold: "2" must be 1: only a readiness probe may ask for more`,
		},
		"Capability": {
			reason: "capabilities are spelled without CAP_",
			in:     `{image: i, securityContext: {capabilities: {add: [CAP_NET_ADMIN, FLY]}}}`,
			want: `jobs[0].securityContext.capabilities.add[0]: "CAP_NET_ADMIN" is spelled NET_ADMIN here; ` +
				`jobs[0].securityContext.capabilities.add[1]: "FLY" is not a capability of Linux, such as NET_ADMIN, or ALL`,
		},
		"User": {
			reason: "ids have a range",
			in:     `{image: i, podSecurity: {runAsUser: -1}}`,
			want:   `jobs[0].podSecurity.runAsUser: "-1" is not an id: want 0 to 2147483647`,
		},
		"VolumeWithoutSource": {
			reason: "a volume has a source",
			in:     `{image: i, volumes: [{name: v}]}`,
			want:   `jobs[0].volumes[0]: one of configMap, secret, emptyDir, persistentVolumeClaim, hostPath is required`,
		},
		"VolumeWithTwoSources": {
			reason: "a volume has one source",
			in:     `{image: i, volumes: [{name: v, emptyDir: {}, secret: {name: s}}]}`,
			want:   `jobs[0].volumes[0]: only one of secret, emptyDir may be there: remove the others`,
		},
		"VolumeTwice": {
			reason: "mounts find volumes by name",
			in:     `{image: i, volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]}`,
			want:   `jobs[0].volumes[1].name: "v" is the name of another volume: choose another one`,
		},
		"VolumeSecret": {
			reason: "the two spellings of the name exclude each other",
			in:     `{image: i, volumes: [{name: v, secret: {name: s, secretName: s}}]}`,
			want:   `jobs[0].volumes[0].secret.name: name and secretName mean the same: remove one of them`,
		},
		"VolumeMedium": {
			reason: "an emptyDir is on disk, in memory or in huge pages",
			in:     `{image: i, volumes: [{name: v, emptyDir: {medium: tape, sizeLimit: big}}]}`,
			want: `jobs[0].volumes[0].emptyDir.medium: "tape" is not one of Memory, HugePages; ` +
				`jobs[0].volumes[0].emptyDir.sizeLimit: "big" is not a quantity such as 500m, 2 or 128Mi`,
		},
		"MountOfNothing": {
			reason: "a mount names one of the volumes",
			in:     `{image: i, volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: w, mountPath: /w}]}`,
			want:   `jobs[0].volumeMounts[0].name: "w" is not one of the volumes: "v"`,
		},
		"MountPathTwice": {
			reason: "the API server merges mounts by path",
			in:     `{image: i, volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /w}, {name: v, mountPath: /w}]}`,
			want:   `jobs[0].volumeMounts[1].mountPath: "/w" is the path of another mount: choose another one`,
		},
		"SubPath": {
			reason: "a subPath stays in its volume",
			in:     `{image: i, volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /w, subPath: a/../b}]}`,
			want:   `jobs[0].volumeMounts[0].subPath: "a/../b" leaves the volume: it must be relative and without ..`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, batch.Jobs(), tc.in, tc.want)
		})
	}
}

func TestPodTemplateTakesTemplatesAsRight(t *testing.T) {
	d := kindtest.Declare(t, batch.Jobs(), `
name: "{{ .metadata.name }}"
namespace: "{{ .spec.namespace }}"
labels: {tier: "{{ .spec.tier }} x"}
image: "{{ .spec.image }}"
port: "{{ .spec.port }}"
protocol: "{{ .spec.protocol }}"
backoffLimit: "{{ .spec.limit }}"
env: [{name: "{{ .a }}"}, {name: "{{ .b }}"}, {name: X_key}]
envFrom: {secretRef: [{name: "{{ .s }}", prefix: "{{ .p }}", keys: [key]}, {name: s, suffix: "{{ .s }}", keys: [X_key]}]}
resources: {requests: {cpu: "{{ .cpu }}"}, limits: {cpu: "1"}}
nodeSelector: {disk: "{{ .disk }}"}
probes: {liveness: {path: "{{ .path }}", scheme: "{{ .scheme }}"}, readiness: {port: "{{ .port }}"}}
securityContext: {capabilities: {add: ["{{ .cap }}"]}}
volumes: [{name: "{{ .v }}", secret: {name: "{{ .s }}"}}, {name: w, emptyDir: {medium: "{{ .m }}", sizeLimit: "{{ .l }}"}}]
volumeMounts: [{name: v, mountPath: "{{ .p }}"}, {name: w, mountPath: "{{ .q }}", subPath: "{{ .r }}"}]
`)
	if errs := d.Check(); len(errs) > 0 {
		t.Errorf("Check(): only rendering can tell, but: %v", errs.ToAggregate())
	}
}
