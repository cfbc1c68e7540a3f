package apps_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apps"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestGolden(t *testing.T) {
	for _, kind := range []controllers.Kind{apps.ReplicaSets(), apps.StatefulSets(), apps.DaemonSets()} {
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
		"ReplicaSet": {
			reason: "replicas are a number",
			kind:   apps.ReplicaSets(),
			in:     `{replicas: some}`,
			want:   `replicaSets[0].image: an image is required; replicaSets[0].replicas: "some" is not a whole number`,
		},
		"StatefulSetName": {
			reason: "the names of the pods are labels of DNS, and so is that of their Service",
			kind:   apps.StatefulSets(),
			in:     `{image: a, name: a.b, serviceName: c.d}`,
			want: `statefulSets[0].name: "a.b" is not a name that the kind can have: must not contain dots; ` +
				`statefulSets[0].serviceName: "c.d" is not the name of a Service: must not contain dots`,
		},
		"Tag": {
			reason: "a tag is part of an image",
			kind:   apps.StatefulSets(),
			in:     `{image: a, tag: b c}`,
			want:   `statefulSets[0].image: "a:b c" is not an image: it has a space in it`,
		},
		"Claims": {
			reason: "volumes have names of their own, and a size",
			kind:   apps.StatefulSets(),
			in: `{image: a, volumes: [{name: v, emptyDir: {}}], volumeClaimTemplates: [{name: v, storageSize: 1Gi}, ` +
				`{name: w, storageSize: "0", accessModes: [Many]}, {name: W, storageSize: ""}]}`,
			want: `statefulSets[0].volumeClaimTemplates[0].name: "v" is the name of another volume: choose another one; ` +
				`statefulSets[0].volumeClaimTemplates[1].accessModes[0]: "Many" is not one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ` +
				`ReadWriteOncePod; ` +
				`statefulSets[0].volumeClaimTemplates[1].storageSize: "0" is no storage: it must be above 0; ` +
				`statefulSets[0].volumeClaimTemplates[2].name: "W" is not the name of a volume: a lowercase RFC 1123 label must consist of ` +
				`lower case alphanumeric characters or '-', and must start and end with an alphanumeric character; ` +
				`statefulSets[0].volumeClaimTemplates[2].storageSize: the size of the storage is required`,
		},
		"Mount": {
			reason: "a mount names a volume or a claim",
			kind:   apps.StatefulSets(),
			in:     `{image: a, volumeClaimTemplates: [{name: w, storageSize: 1Gi}], volumeMounts: [{name: x, mountPath: /x}]}`,
			want:   `statefulSets[0].volumeMounts[0].name: "x" is not one of the volumes: "w"`,
		},
		"StatefulSetRollout": {
			reason: "no pod is made in addition, and one at least has to go",
			kind:   apps.StatefulSets(),
			in:     `{image: a, rollingUpdate: {maxSurge: "1", maxUnavailable: "0"}}`,
			want: `statefulSets[0].rollingUpdate.maxSurge: a StatefulSet has none; set maxUnavailable; ` +
				`statefulSets[0].rollingUpdate.maxUnavailable: "0" stops every rollout: raise it`,
		},
		"DaemonSetRollout": {
			reason: "the API server refuses both bounds at once",
			kind:   apps.DaemonSets(),
			in:     `{image: a, rollingUpdate: {maxSurge: "1", maxUnavailable: "1"}}`,
			want: `daemonSets[0].rollingUpdate.maxUnavailable: must be 0 with a maxSurge: a pod comes either before the old one ` +
				`goes or after it`,
		},
		"DaemonSetStops": {
			reason: "and none at all",
			kind:   apps.DaemonSets(),
			in:     `{image: a, rollingUpdate: {maxUnavailable: "0"}}`,
			want:   `daemonSets[0].rollingUpdate.maxUnavailable: "0" stops every rollout without a maxSurge: raise one of them`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, tc.kind, tc.in, tc.want)
		})
	}
}
