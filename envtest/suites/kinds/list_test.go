package kinds_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is one list of a block, as far as the specs differ for it.
type kind struct {
	gvk schema.GroupVersionKind
	// wide: the kind is cluster-scoped.
	wide bool
	// once: the child is created once.
	once bool
	// declaration is what its entry has besides name, labels and a gate.
	declaration string
	// drift is a merge patch of what the declaration sets, path where it is and want the JSON that stands there. Without it nothing but
	// the metadata of the kind can change.
	drift, want string
	path        []string
}

func served(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

const (
	readPods = `rules: [{resources: [pods], verbs: [get]}]`
	account  = `[{"kind":"ServiceAccount","name":"a","namespace":"default"}]`
	podRules = `[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]`
)

// kinds are all lists of a block but custom, which the pipeline suite tests.
var kinds = map[string]kind{
	"deployments": {
		gvk: served("apps", "v1", "Deployment"), declaration: `image: a`,
		drift: `{"spec":{"replicas":3}}`, path: []string{"spec", "replicas"}, want: `1`,
	},
	"replicaSets": {
		gvk: served("apps", "v1", "ReplicaSet"), declaration: `image: a`,
		drift: `{"spec":{"replicas":3}}`, path: []string{"spec", "replicas"}, want: `1`,
	},
	"statefulSets": {
		gvk:         served("apps", "v1", "StatefulSet"),
		declaration: `image: a, rollingUpdate: {maxUnavailable: "1"}, volumeClaimTemplates: [{name: v, storageSize: 1024Mi, mountPath: /v}]`,
		drift:       `{"spec":{"replicas":3}}`, path: []string{"spec", "replicas"}, want: `1`,
	},
	"daemonSets": {
		gvk: served("apps", "v1", "DaemonSet"), declaration: `image: a, rollingUpdate: {maxSurge: "1"}`,
		drift: `{"spec":{"updateStrategy":{"rollingUpdate":{"maxSurge":2}}}}`,
		path:  []string{"spec", "updateStrategy", "rollingUpdate", "maxSurge"}, want: `1`,
	},
	"pods": {gvk: served("", "v1", "Pod"), declaration: `image: a, port: "80", probes: {liveness: {path: "/{{ .metadata.name }}"}}`},
	"jobs": {gvk: served("batch", "v1", "Job"), declaration: `image: a`, once: true},
	"cronJobs": {
		gvk: served("batch", "v1", "CronJob"), declaration: `image: a, schedule: "0 3 * * *"`,
		drift: `{"spec":{"suspend":true}}`, path: []string{"spec", "suspend"}, want: `false`,
	},
	"services": {
		gvk: served("", "v1", "Service"), declaration: `port: "80", selector: {a: b}`,
		drift: `{"spec":{"selector":{"a":"c"}}}`, path: []string{"spec", "selector", "a"}, want: `"b"`,
	},
	"ingresses": {
		gvk: served("networking.k8s.io", "v1", "Ingress"), declaration: `servicePort: "80", host: a.example.com, className: b, tls: {}`,
		drift: `{"spec":{"ingressClassName":"c"}}`, path: []string{"spec", "ingressClassName"}, want: `"b"`,
	},
	"networkPolicies": {
		gvk:         served("networking.k8s.io", "v1", "NetworkPolicy"),
		declaration: `podSelector: {a: b}, ingress: [{from: [{podSelector: {}}], ports: [{port: "80"}, {}]}], egress: []`,
		drift:       `{"spec":{"podSelector":{"matchLabels":{"a":"c"}}}}`, path: []string{"spec", "podSelector", "matchLabels", "a"}, want: `"b"`,
	},
	"secrets": {
		gvk: served("", "v1", "Secret"), declaration: `data: {a: b}`,
		drift: `{"data":{"a":"Yw=="}}`, path: []string{"data", "a"}, want: `"Yg=="`,
	},
	"configMaps": {
		gvk: served("", "v1", "ConfigMap"), declaration: `data: {a: "{{ .metadata.name }}"}`,
		drift: `{"data":{"a":"c"}}`, path: []string{"data", "a"}, want: `"configmaps"`,
	},
	"serviceAccounts": {
		gvk: served("", "v1", "ServiceAccount"), declaration: `automountServiceAccountToken: false`,
		drift: `{"automountServiceAccountToken":true}`, path: []string{"automountServiceAccountToken"}, want: `false`,
	},
	"persistentVolumes": {
		gvk: served("", "v1", "PersistentVolume"), wide: true, declaration: `capacity: 1024Mi, hostPath: /tmp/a`,
		drift: `{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}`, path: []string{"spec", "persistentVolumeReclaimPolicy"}, want: `"Retain"`,
	},
	"persistentVolumeClaims": {gvk: served("", "v1", "PersistentVolumeClaim"), declaration: `storage: 1024Mi`},
	"hpa": {
		gvk: served("autoscaling", "v2", "HorizontalPodAutoscaler"),
		declaration: `scaleTargetRef: {name: a}, maxReplicas: "3", ` +
			`behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}, scaleDown: {stabilizationWindowSeconds: 60}}`,
		drift: `{"spec":{"maxReplicas":9}}`, path: []string{"spec", "maxReplicas"}, want: `3`,
	},
	"pdb": {
		gvk: served("policy", "v1", "PodDisruptionBudget"), declaration: `maxUnavailable: "1"`,
		drift: `{"spec":{"maxUnavailable":5}}`, path: []string{"spec", "maxUnavailable"}, want: `1`,
	},
	"namespaces": {gvk: served("", "v1", "Namespace"), wide: true},
	"roles": {
		gvk: served("rbac.authorization.k8s.io", "v1", "Role"), declaration: readPods,
		drift: `{"rules":[]}`, path: []string{"rules"}, want: podRules,
	},
	"clusterRoles": {
		gvk: served("rbac.authorization.k8s.io", "v1", "ClusterRole"), wide: true, declaration: readPods,
		drift: `{"rules":[]}`, path: []string{"rules"}, want: podRules,
	},
	"roleBindings": {
		gvk: served("rbac.authorization.k8s.io", "v1", "RoleBinding"), declaration: `roleRef: {name: a}, subjects: [{name: a}]`,
		drift: `{"subjects":[]}`, path: []string{"subjects"}, want: account,
	},
	"clusterRoleBindings": {
		gvk: served("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"), wide: true,
		declaration: `roleRef: {name: a}, subjects: [{name: a}]`,
		drift:       `{"subjects":[]}`, path: []string{"subjects"}, want: account,
	},
	"resourceQuotas": {
		gvk: served("", "v1", "ResourceQuota"), declaration: `hard: {pods: "100", requests.cpu: 1000m}`,
		drift: `{"spec":{"hard":{"pods":"99"}}}`, path: []string{"spec", "hard", "pods"}, want: `"100"`,
	},
	"limitRanges": {
		gvk: served("", "v1", "LimitRange"), declaration: `limits: [{type: Pod, max: {memory: 2048Mi}}]`,
		drift: `{"spec":{"limits":[{"type":"Pod","max":{"memory":"3Gi"}}]}}`, path: []string{"spec", "limits"}, want: `[{"max":{"memory":"2Gi"},"type":"Pod"}]`,
	},
}

// catalog declares a child of each kind, for the resource that is called as the kind's list in lower case.
func catalog() string {
	var b strings.Builder
	b.WriteString(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: kinds}
spec:
  crds:
    sample:
      apiTypes: {group: test.example.com, version: v1, kind: Sample, plural: samples}
      operatorBox:
        reconciler: {resync: 1h}
        onReconcile:
`)
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		fields := []string{
			`name: "k-{{ .metadata.name }}"`, `labels: {tier: back}`,
			fmt.Sprintf(`when: [{field: metadata.name, equals: %s}, {field: spec.off, notEquals: "true"}]`, strings.ToLower(key)),
		}
		if declared := kinds[key].declaration; declared != "" {
			fields = append(fields, declared)
		}
		fmt.Fprintf(&b, "          %s: [{%s}]\n", key, strings.Join(fields, ", "))
	}
	return b.String()
}

// child is the object of the kind, as a key to read it.
func (k kind) child(key string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(k.gvk)
	o.SetName("k-" + strings.ToLower(key))
	if !k.wide {
		o.SetNamespace("default")
	}
	return o
}
