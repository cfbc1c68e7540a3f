package enrich_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
)

// everything lists all targets.
func everything() []orkv1.EnrichmentName {
	var names []orkv1.EnrichmentName
	for _, name := range orkv1.EnrichmentName("").Values() {
		names = append(names, orkv1.EnrichmentName(name))
	}
	return names
}

// objects reads YAML documents. One without a namespace, of a namespaced kind, is in shop, and its uid is its name.
func objects(tb testing.TB, text string) []*unstructured.Unstructured {
	tb.Helper()
	var all []*unstructured.Unstructured
	for document := range strings.SplitSeq(text, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			tb.Fatalf("%v in\n%s", err, document)
		}
		switch o.GetKind() {
		case "Node", "PersistentVolume", "StorageClass":
		default:
			if o.GetNamespace() == "" {
				o.SetNamespace("shop")
			}
		}
		if o.GetUID() == "" {
			o.SetUID(types.UID(o.GetName()))
		}
		all = append(all, o)
	}
	return all
}

// newStore returns a Store over a server in memory that has the objects.
func newStore(there ...*unstructured.Unstructured) *enrich.Store {
	s, _ := newStoreAndClient(there...)
	return s
}

func newStoreAndClient(there ...*unstructured.Unstructured) (*enrich.Store, *fake.FakeDynamicClient) {
	mapper := meta.NewDefaultRESTMapper(nil)
	lists := map[schema.GroupVersionResource]string{}
	for _, source := range enrich.Sources(everything(), []enrich.Child{
		child("apps/v1", "Deployment"), child("apps/v1", "StatefulSet"), child("v1", "Service"), child("v1", "PersistentVolumeClaim"),
		child("networking.k8s.io/v1", "Ingress"), child("batch/v1", "CronJob"),
	}) {
		scope := meta.RESTScopeNamespace
		switch source.Kind {
		case "Node", "PersistentVolume", "StorageClass":
			scope = meta.RESTScopeRoot
		}
		mapper.Add(source.GroupVersionKind, scope)
		lists[source.Resource()] = source.Kind + "List"
	}
	scheme := runtime.NewScheme()
	_ = metav1.AddMetaToScheme(scheme)
	var full, partial []runtime.Object
	for _, o := range there {
		if o.GetKind() != "Secret" {
			full = append(full, o.DeepCopy())
			continue
		}
		p := &metav1.PartialObjectMetadata{}
		p.SetGroupVersionKind(o.GroupVersionKind())
		p.SetName(o.GetName())
		p.SetNamespace(o.GetNamespace())
		p.SetAnnotations(o.GetAnnotations())
		partial = append(partial, p)
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, full...)
	return enrich.NewStore(client, metadatafake.NewSimpleMetadataClient(scheme, partial...), mapper), client
}

func child(apiVersion, kind string) enrich.Child {
	return enrich.Child{GroupVersionKind: schema.FromAPIVersionAndKind(apiVersion, kind)}
}

// hold has the Store keep what children need.
func hold(tb testing.TB, s *enrich.Store, names []orkv1.EnrichmentName, children ...*unstructured.Unstructured) *enrich.Reader {
	tb.Helper()
	var declared []enrich.Child
	for _, one := range children {
		declared = append(declared, enrich.Child{GroupVersionKind: one.GroupVersionKind()})
	}
	tb.Cleanup(func() { s.Release("test") })
	return s.Hold(tb.Context(), "test", enrich.Sources(names, declared))
}

// The last document of each is the child.
const (
	pods = `
apiVersion: v1
kind: Pod
metadata: {name: web-7d9f-b, labels: {app: web, tier: x}, annotations: {long: text}, ownerReferences: [{kind: ReplicaSet, name: web-7d9f, uid: web-7d9f, controller: true}]}
spec: {nodeName: node-b, containers: [{name: app}]}
status: {phase: Pending, containerStatuses: [{name: app, restartCount: 7, state: {waiting: {reason: CrashLoopBackOff}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-7d9f-a, labels: {app: web, tier: x}, ownerReferences: [{kind: ReplicaSet, name: web-7d9f, uid: web-7d9f, controller: true}]}
spec: {nodeName: node-a}
status: {phase: Running, podIP: 10.1.0.4, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other-0, labels: {app: other, tier: x}, ownerReferences: [{kind: StatefulSet, name: db, uid: db, controller: true}]}
status: {phase: Running, podIP: 10.1.0.9}
---
apiVersion: v1
kind: Pod
metadata: {name: web-elsewhere, namespace: elsewhere, labels: {app: web, tier: x}}
---
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {topology.kubernetes.io/zone: eu-1a, topology.kubernetes.io/region: eu-1, node.kubernetes.io/instance-type: m7}}
status: {images: [{names: [a]}], conditions: [{type: Ready, status: "True"}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-5b8c, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{kind: Deployment, name: web, uid: web, controller: true}]}
status: {replicas: 1}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-7d9f, annotations: {deployment.kubernetes.io/revision: "2"}, ownerReferences: [{kind: Deployment, name: web, uid: web, controller: true}]}
spec: {template: {spec: {containers: [{name: app}]}}}
status: {replicas: 2}
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: old}
type: Warning
reason: Failed
note: pulled in vain
deprecatedLastTimestamp: "2026-03-04T10:00:00Z"
regarding: {kind: Deployment, namespace: shop, name: web, uid: web}
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: new}
type: Warning
reason: BackOff
note: restarting
eventTime: "2026-03-04T09:00:00.000000Z"
series: {count: 3, lastObservedTime: "2026-03-04T10:30:00.500000Z"}
regarding: {kind: Pod, namespace: shop, name: web-7d9f-b, uid: web-7d9f-b}
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: unidentified}
type: Warning
reason: Unidentified
note: by name
eventTime: "2026-03-04T08:00:00.000000Z"
regarding: {kind: Deployment, namespace: shop, name: web}
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: predecessor}
type: Warning
reason: Predecessor
regarding: {kind: Deployment, namespace: shop, name: web, uid: of-an-earlier-one}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {deployment.kubernetes.io/revision: "2"}, ownerReferences: [{kind: Website, name: w, uid: u, controller: true}]}
spec: {selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [x, z]}]}}`
	stateful = `
apiVersion: v1
kind: Pod
metadata: {name: db-1, ownerReferences: [{kind: StatefulSet, name: db, uid: db, controller: true}]}
status: {phase: Running, podIP: 10.1.0.9}
---
apiVersion: v1
kind: Pod
metadata: {name: stranger, labels: {app: db}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-11}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-copy-0}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, namespace: elsewhere}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec: {selector: {matchLabels: {app: db}}, volumeClaimTemplates: [{metadata: {name: data}}]}`
	service = `
apiVersion: v1
kind: Pod
metadata: {name: web-a, labels: {app: web, tier: x}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-b, labels: {app: web}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-x1, labels: {kubernetes.io/service-name: web}}
ports: [{port: 8080}]
endpoints: [{addresses: [10.1.0.4], conditions: {ready: true}}, {addresses: [10.1.0.5], conditions: {ready: false}}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: other-x1, labels: {kubernetes.io/service-name: other}}
endpoints: [{addresses: [10.1.0.6]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web, tier: x}}`
	claim = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1, annotations: {pv.kubernetes.io/provisioned-by: csi.example.com}}
spec: {volumeMode: Block}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
reclaimPolicy: Retain
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {volumeName: pv-1, storageClassName: fast}`
	scaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
status: {currentMetrics: [{type: Resource}, {type: Pods}]}`
	ingress = `
apiVersion: v1
kind: Secret
metadata: {name: web-tls, annotations: {kubectl.kubernetes.io/last-applied-configuration: secret, copy: secret}}
---
apiVersion: v1
kind: Secret
metadata: {name: web-tls-2, namespace: elsewhere}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {tls: [{secretName: web-tls}, {secretName: web-tls}, {secretName: web-tls-2}, {hosts: [a]}]}
status: {loadBalancer: {ingress: [{ip: 203.0.113.8}, {hostname: a.example.com}]}}`
	cronJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: report-1, creationTimestamp: "2026-03-04T08:00:00Z", ownerReferences: [{kind: CronJob, name: report, uid: report, controller: true}]}
status: {completionTime: "2026-03-04T10:00:00Z", conditions: [{type: Complete, status: "True"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: report-2, creationTimestamp: "2026-03-04T09:00:00Z", ownerReferences: [{kind: CronJob, name: report, uid: report, controller: true}]}
spec: {template: {spec: {}}}
status: {completionTime: "2026-03-04T09:01:00Z", conditions: [{type: Complete, status: "True"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: report-3, creationTimestamp: "2026-03-04T10:00:00Z", ownerReferences: [{kind: CronJob, name: report, uid: report, controller: true}]}
status: {failed: 1, conditions: [{type: Failed, status: "True"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: by-hand, creationTimestamp: "2026-03-04T11:00:00Z"}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}`
)

// Each function reads what its target adds, and gives its zero value without it.
func TestAdd(t *testing.T) {
	cases := map[string]struct {
		reason string
		there  string
		target orkv1.EnrichmentName
		with   map[string]string // results by expression over .c, the child
	}{
		"Pods": {
			reason: "a Deployment's Pods are those that it selects in its namespace", there: pods, target: "pods",
			with: map[string]string{
				"podNames .c": `["web-7d9f-a","web-7d9f-b"]`, "podIPs .c": `["10.1.0.4",""]`, "podPhases .c": `["Running","Pending"]`,
				"podNodes .c": `["node-a","node-b"]`, "podCount .c": "2", "readyPodCount .c": "1", "podMaxRestarts .c": "7",
				"podCrashLoopDetected .c": "true", `podContainerState .c 1 "app"`: "waiting",
				"get .c._pods 1 `spec`": `{"nodeName":"node-b"}`, "annotations (index .c._pods 1)": "{}",
			},
		},
		"ControlledPods": {
			reason: "a StatefulSet's Pods are those that it controls", there: stateful, target: "pods",
			with: map[string]string{"podNames .c": `["db-1"]`, "(podByOrdinal .c 1).ip": "10.1.0.9"},
		},
		"Events": {
			reason: "Events of the same name but another object are not the child's", there: pods, target: "events",
			with: map[string]string{"hasWarnings .c": "true", "warningReasons .c": `["Failed","Unidentified"]`},
		},
		"Service": {
			reason: "the other spelling of endpoints", there: service, target: "service",
			with: map[string]string{"serviceEndpoints .c": `["10.1.0.4:8080"]`, "hasEndpoints .c": "true"},
		},
		"Endpoints": {
			reason: "the Service's slices, and the Pods that have all of its labels", there: service, target: "endpoints",
			with: map[string]string{
				"serviceEndpointCount .c": "1", "serviceFirstEndpoint .c": "10.1.0.4:8080", "endpointsReady .c": "true",
				"backingPodNames .c": `["web-a"]`, "backingPodCount .c": "1",
			},
		},
		"ReplicaSets": {
			reason: "those that the Deployment controls", there: pods, target: "replicasets",
			with: map[string]string{
				"deploymentReplicaSets .c": `["web-5b8c","web-7d9f"]`, "deploymentReplicaSetCount .c": "2", "oldDeploymentReplicaSets .c": "1",
				"get .c._replicaSets 1 `spec`": "{}",
			},
		},
		"Claims": {
			reason: "claims are found by their names", there: stateful, target: "pvcs",
			with: map[string]string{"statefulSetPVCCount .c": "2"},
		},
		"Volume": {
			reason: "the volume that the claim is bound to", there: claim, target: "pvc",
			with: map[string]string{"pvcProvisioner .c": "csi.example.com", "pvcVolumeMode .c": "Block"},
		},
		"StorageClass": {
			reason: "the class that the claim names", there: claim, target: "storageclass",
			with: map[string]string{"pvcStorageClassProvisioner .c": "csi.example.com", "pvcStorageClassReclaimPolicy .c": "Retain"},
		},
		"HPA": {
			reason: "what is scaled is another child", there: scaler, target: "hpa",
			with: map[string]string{
				"hpaScaleTargetKind .c": "Deployment", "hpaScaleTargetName .c": "web", "hpaMetricTypes .c": `["Resource","Pods"]`,
				"namespace .c._scaleTarget": "shop", "len .c._currentMetrics": "2",
			},
		},
		"Ingress": {
			reason: "Secrets that exist, each once and without data", there: ingress, target: "ingress",
			with: map[string]string{
				"ingressLoadBalancerIPs .c": `["203.0.113.8"]`, "ingressTLSSecretCount .c": "1",
				"toJson .c._tlsSecrets": `[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"web-tls","namespace":"shop"}}]`,
			},
		},
		"CronJob": {
			reason: "the last Job, and the last to complete", there: cronJob, target: "cronjob",
			with: map[string]string{
				"cronJobLastJobName .c": "report-3", "cronJobLastJobSucceeded .c": "false", "cronJobLastSuccessfulJobName .c": "report-1",
			},
		},
		"Node": {
			reason: "the node of the first Pod that is on a known one", there: pods, target: "node",
			with: map[string]string{
				"podNodeName .c": "node-a", "podNodeZone .c": "eu-1a", "podNodeRegion .c": "eu-1", "podNodeInstanceType .c": "m7",
				"hasStatus .c._node `images`": "false",
			},
		},
		"Owner": {
			reason: "the resource", there: pods, target: "owner",
			with: map[string]string{"replicaSetOwnerKind .c": "Website", "replicaSetOwnerName .c": "w", "spec .c._owner": `{"size":1}`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			there := objects(t, tc.there)
			one := there[len(there)-1]
			before := one.DeepCopy()
			targets := []orkv1.EnrichmentName{tc.target}
			reader := hold(t, newStore(there[:len(there)-1]...), targets, one)
			added := reader.Add(one, targets, family(t))
			got := map[string]string{}
			for expression := range tc.with {
				got[expression] = render(t, expression, added)
			}
			if diff := cmp.Diff(tc.with, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, one); diff != "" {
				t.Errorf("the child, which is shared, was changed:\n%s", diff)
			}
			var none *enrich.Reader
			if bare := none.Add(one, nil, family(t)); bare != one {
				t.Error("without targets the child is not itself")
			}
		})
	}
}

// family is the resource w, and a Deployment web among all children.
func family(tb testing.TB) enrich.Family {
	tb.Helper()
	owner := objects(tb, "apiVersion: web.example.com/v1\nkind: Website\nmetadata: {name: w, uid: u}\nspec: {size: 1}")[0]
	return enrich.Family{Owner: owner, Child: func(gvk schema.GroupVersionKind, name types.NamespacedName) *unstructured.Unstructured {
		if gvk.Kind != "Deployment" || name.Name != "web" {
			return nil
		}
		return objects(tb, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}")[0]
	}}
}

func render(tb testing.TB, expression string, one *unstructured.Unstructured) string {
	tb.Helper()
	program, err := template.Compile("{{ " + expression + " }}")
	if err != nil {
		tb.Fatal(err)
	}
	text, err := program.Text(template.NewFacts(map[string]any{"c": one.Object}, nil))
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// The Events of a workload are also those of its Pods, where those are read, newest first.
func TestWarningsOfPods(t *testing.T) {
	there := objects(t, pods)
	one := there[len(there)-1]
	targets := []orkv1.EnrichmentName{"events", "pods"}
	added := hold(t, newStore(there...), targets, one).Add(one, targets, family(t))
	if got, want := render(t, "warningMessages .c", added), `["restarting","pulled in vain","by name"]`; got != want {
		t.Errorf("warnings %s, want %s", got, want)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var there []*unstructured.Unstructured
	for i := range 30 {
		there = append(there, objects(t, fmt.Sprintf("apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e-%02d}\nreason: r%d\n"+
			"deprecatedLastTimestamp: \"2026-03-04T10:%02d:00Z\"\nregarding: {uid: web}", i, i, i))...)
	}
	one := objects(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}")[0]
	targets := []orkv1.EnrichmentName{"events"}
	added := hold(t, newStore(there...), targets, one).Add(one, targets, family(t))
	if got := render(t, "warningCount .c", added); got != "20" {
		t.Errorf("%s warnings, want the newest 20", got)
	}
	if got := render(t, "(index .c._warnings 19).reason", added); got != "r10" {
		t.Errorf("the last is %s, want r10", got)
	}
}

// What was added is shown besides the children, and enriched itself.
func TestFound(t *testing.T) {
	there := objects(t, pods)
	one := there[len(there)-1]
	targets := []orkv1.EnrichmentName{"pods", "node", "owner", "replicasets"}
	reader := hold(t, newStore(there...), targets, one)
	added := reader.Add(one, targets, family(t))
	got := map[string]string{}
	reader.Found([]*unstructured.Unstructured{added, added}, targets, family(t), func(kind, plural string, objects []*unstructured.Unstructured) {
		got[plural] = fmt.Sprintf("%s %d", kind, len(objects))
		if kind == "Pod" {
			got["zone"] = render(t, "podNodeZone .c", objects[0])
			got["owner"] = render(t, "replicaSetOwnerName .c", objects[0])
			got["oldest"] = render(t, "get .c._owner `status` `replicas`", objects[0])
		}
	})
	want := map[string]string{
		"pods": "Pod 2", "nodes": "Node 1", "replicasets": "ReplicaSet 2", "zone": "eu-1a", "owner": "web-7d9f", "oldest": "2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Pod", "pods", "Node", "nodes"}, enrich.Shown("pods", "node", "events")); diff != "" {
		t.Errorf("Shown(...): -want, +got:\n%s", diff)
	}
}

func TestSources(t *testing.T) {
	ours := func(apiVersion, kind string) enrich.Child {
		one := child(apiVersion, kind)
		one.Labelled = true
		return one
	}
	cases := map[string]struct {
		reason   string
		targets  []orkv1.EnrichmentName
		children []enrich.Child
		want     string
	}{
		"Ours": {
			reason: "where all workloads are ours, so are the Pods", targets: []orkv1.EnrichmentName{"pods", "node"},
			children: []enrich.Child{ours("apps/v1", "Deployment"), ours("batch/v1", "Job")}, want: "nodes, ours pods",
		},
		"OneOfOthers": {
			reason: "one that is not makes them all Pods, whatever the order", targets: []orkv1.EnrichmentName{"pods"},
			children: []enrich.Child{child("apps/v1", "StatefulSet"), ours("apps/v1", "Deployment")}, want: "pods",
		},
		"OneOfOthersLater": {
			reason: "as above", targets: []orkv1.EnrichmentName{"pods"},
			children: []enrich.Child{ours("apps/v1", "Deployment"), child("argoproj.io/v1", "Rollout")}, want: "pods",
		},
		"NothingToRead": {
			reason: "a target without a child of its kind costs nothing", targets: everything(),
			children: []enrich.Child{ours("v1", "ConfigMap")}, want: "events",
		},
		"Everything": {
			reason: "what children tell of themselves takes nothing", targets: []orkv1.EnrichmentName{"hpa", "owner"},
			children: []enrich.Child{ours("autoscaling/v2", "HorizontalPodAutoscaler")}, want: "",
		},
		"Service": {
			reason: "a Service has slices and Pods", targets: []orkv1.EnrichmentName{"service"},
			children: []enrich.Child{ours("v1", "Service")}, want: "ours pods, ours endpointslices",
		},
		"CronJob": {
			reason: "a CronJob has Jobs", targets: []orkv1.EnrichmentName{"cronjob", "pods"},
			children: []enrich.Child{ours("batch/v1", "CronJob")}, want: "ours jobs",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, source := range enrich.Sources(tc.targets, tc.children) {
				text := source.Resource().Resource
				if source.Labelled {
					text = "ours " + text
				}
				got = append(got, text)
			}
			want := strings.FieldsFunc(tc.want, func(r rune) bool { return r == ',' })
			for i := range want {
				want[i] = strings.TrimSpace(want[i])
			}
			if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Errorf("\n%s\nSources(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Every target of the Katalog is read, and every function's.
func TestEveryTargetApplies(t *testing.T) {
	for _, name := range everything() {
		if !enrich.Applies(name, schema.GroupKind{Kind: "Pod"}) && len(enrich.Sources([]orkv1.EnrichmentName{name}, []enrich.Child{
			child("apps/v1", "Deployment"), child("apps/v1", "StatefulSet"), child("v1", "Service"), child("v1", "PersistentVolumeClaim"),
			child("networking.k8s.io/v1", "Ingress"), child("batch/v1", "CronJob"),
		})) == 0 && name != "hpa" {
			t.Errorf("nothing is read for %s", name)
		}
	}
	if enrich.Applies("pods", schema.GroupKind{Kind: "ConfigMap"}) || enrich.Applies("nonsense", schema.GroupKind{Kind: "Pod"}) {
		t.Error("a target applies to what has none")
	}
}

func TestStoreShares(t *testing.T) {
	there := objects(t, pods)
	s := newStore(there...)
	one := there[len(there)-1]
	targets := []orkv1.EnrichmentName{"pods"}
	sources := enrich.Sources(targets, []enrich.Child{{GroupVersionKind: one.GroupVersionKind()}})
	first, second := s.Hold(t.Context(), "a", sources), s.Hold(t.Context(), "b", sources)
	s.Release("a")
	s.Release("a")
	for name, reader := range map[string]*enrich.Reader{"a": first, "b": second} {
		if got := render(t, "podCount .c", reader.Add(one, targets, family(t))); got != "2" {
			t.Errorf("%s reads %s Pods while b holds them, want 2", name, got)
		}
	}
	s.Release("b")
	s.Release("c")
}

// What cannot be read in time is left out, and nothing fails.
func TestHoldLeavesOut(t *testing.T) {
	there := objects(t, pods)
	one := there[len(there)-1]
	targets := []orkv1.EnrichmentName{"pods"}
	s := newStore(there...)
	t.Cleanup(func() { s.Release("test") })
	unknown := enrich.Source{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Nonsense"}}
	if got := s.Hold(t.Context(), "test", []enrich.Source{unknown}).Add(one, targets, family(t)); got != one {
		t.Errorf("something was read: %v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late := s.Hold(ended, "test", enrich.Sources(targets, []enrich.Child{{GroupVersionKind: one.GroupVersionKind()}}))
	s.Hold(t.Context(), "test", enrich.Sources(targets, []enrich.Child{{GroupVersionKind: one.GroupVersionKind()}}))
	if got := render(t, "podCount .c", late.Add(one, targets, family(t))); got != "2" {
		t.Errorf("%s Pods once they are there, want 2", got)
	}
}

// A right that is missing holds nobody up.
func TestHoldWithoutRights(t *testing.T) {
	there := objects(t, pods)
	one := there[len(there)-1]
	s, client := newStoreAndClient(there...)
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no right"))
	})
	var writing sync.Mutex // each informer has a goroutine that logs
	var log strings.Builder
	ctx := logf.IntoContext(t.Context(), funcr.New(func(_, line string) {
		writing.Lock()
		defer writing.Unlock()
		log.WriteString(line + "\n")
	}, funcr.Options{Verbosity: 1}))
	t.Cleanup(func() { s.Release("test") })
	targets := []orkv1.EnrichmentName{"pods", "replicasets"}
	reader := s.Hold(ctx, "test", enrich.Sources(targets, []enrich.Child{{GroupVersionKind: one.GroupVersionKind()}}))
	added := reader.Add(one, targets, family(t))
	if got := render(t, "podCount .c", added) + " " + render(t, "deploymentReplicaSetCount .c", added); got != "0 2" {
		t.Errorf("Pods and ReplicaSets are %s, want 0 2", got)
	}
	s.Release("test") // ends who writes to the log
	if !strings.Contains(log.String(), "no right") || strings.Contains(log.String(), `"error"`) {
		t.Errorf("the log has not what developers want to know, or more:\n%s", log.String())
	}
}

func BenchmarkAdd(b *testing.B) {
	var there []*unstructured.Unstructured
	for i := range 1000 {
		there = append(there, objects(b, fmt.Sprintf(
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p-%d, labels: {all: same, app: a-%d}}", i, i/3))...)
	}
	one := objects(b, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {all: same, app: a-7}}}")[0]
	targets := []orkv1.EnrichmentName{"pods", "owner", "events"}
	reader, around := hold(b, newStore(there...), targets, one), family(b)
	b.ReportAllocs()
	for b.Loop() {
		reader.Add(one, targets, around)
	}
}
