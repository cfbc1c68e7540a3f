package apps_test

import (
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apps"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestDeploymentsGolden(t *testing.T) {
	kindtest.Golden(t, apps.Deployments())
}

func TestDeploymentsReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"NoImage": {
			reason: "a pod can't run without an image",
			in:     `{name: web}`,
			want:   `deployments[0].image: an image is required`,
		},
		"Replicas": {
			reason: "a text that is no number names the entry and the field",
			in:     `{image: nginx, replicas: abc}`,
			want:   `deployments[0].replicas: "abc" is not a whole number`,
		},
		"ReplicasBelowZero": {
			reason: "there are no negative replicas",
			in:     `{image: nginx, replicas: "-1"}`,
			want:   `deployments[0].replicas: "-1" is out of range: want 0 to 2147483647`,
		},
		"ReplicasFraction": {
			reason: "a fraction is no whole number",
			in:     `{image: nginx, replicas: "1.5"}`,
			want:   `deployments[0].replicas: "1.5" is not a whole number`,
		},
		"SeveralAtOnce": {
			reason: "everything that is wrong is reported in one go",
			in:     `{image: a b, port: "70000", replicas: many}`,
			want: `deployments[0].image: "a b" is not an image: it has a space in it; ` +
				`deployments[0].port: "70000" is out of range: want 1 to 65535; ` +
				`deployments[0].replicas: "many" is not a whole number`,
		},
		"Surge": {
			reason: "maxSurge is a number or a percentage",
			in:     `{image: nginx, rollingUpdate: {maxSurge: "-5%"}}`,
			want:   `deployments[0].rollingUpdate.maxSurge: "-5%" is neither a whole number of at least 0 nor a percentage such as 25%`,
		},
		"NoProgress": {
			reason: "the API server refuses a rollout that can't move",
			in:     `{image: nginx, rollingUpdate: {maxSurge: "0", maxUnavailable: 0%}}`,
			want:   `deployments[0].rollingUpdate.maxUnavailable: "0%" stops every rollout while maxSurge is 0 as well: raise one of them`,
		},
		"UnavailableOverAll": {
			reason: "more than all pods can't be missing",
			in:     `{image: nginx, rollingUpdate: {maxUnavailable: 101%}}`,
			want:   `deployments[0].rollingUpdate.maxUnavailable: "101%" is more than 100%`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, apps.Deployments(), tc.in, tc.want)
		})
	}
}

func BenchmarkBuildDeployment(b *testing.B) {
	d := kindtest.Declare(b, apps.Deployments(), `
name: web
image: nginx:1.29
replicas: "3"
port: "8080"
labels: {tier: front}
env: [{name: A, value: b}, {name: C, valueFrom: {secretKeyRef: {name: s, key: k}}}]
resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {cpu: "1", memory: 256Mi}}
probes: {readiness: {path: /ready}}
volumes: [{name: config, configMap: {name: web}}]
volumeMounts: [{name: config, mountPath: /etc/web}]
`)
	owner := kindtest.Owner()
	rendered, ok := d.Value.(orkv1.Deployment)
	if !ok {
		b.Fatalf("the value is a %T", d.Value)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Build(owner, rendered, controllers.Seen{}); err != nil {
			b.Fatal(err)
		}
	}
}
