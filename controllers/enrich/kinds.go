package enrich

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
)

// The kinds that are read, and those of which something is.
var (
	deploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")
	statefulKind   = appsv1.SchemeGroupVersion.WithKind("StatefulSet")
	podKind        = corev1.SchemeGroupVersion.WithKind("Pod")
	setKind        = appsv1.SchemeGroupVersion.WithKind("ReplicaSet")
	jobKind        = batchv1.SchemeGroupVersion.WithKind("Job")
	sliceKind      = discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice")
	eventKind      = eventsv1.SchemeGroupVersion.WithKind("Event")
	claimKind      = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	volumeKind     = corev1.SchemeGroupVersion.WithKind("PersistentVolume")
	classKind      = storagev1.SchemeGroupVersion.WithKind("StorageClass")
	secretKind     = corev1.SchemeGroupVersion.WithKind("Secret")
	nodeKind       = corev1.SchemeGroupVersion.WithKind("Node")
	cronKind       = batchv1.SchemeGroupVersion.WithKind("CronJob")
	serviceKind    = corev1.SchemeGroupVersion.WithKind("Service")
	ingressKind    = networkingv1.SchemeGroupVersion.WithKind("Ingress")
	scalerKind     = autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler")
)

// readable is how a kind is kept in memory.
type readable struct {
	resource string
	// derived objects are made from children and have their labels, so that those of children of ours are told from all others.
	derived bool
	// fields selects them on the server.
	fields string
	// metadata is all that is asked for.
	metadata bool
	// trim leaves what functions read.
	trim     func(map[string]any)
	indexers toolscache.Indexers
}

// readables are the kinds that may be read. Nobody writes to them.
var readables = map[schema.GroupVersionKind]readable{
	podKind:    {resource: "pods", derived: true, trim: trimPod, indexers: toolscache.Indexers{byController: controllerIndex, byLabel: labelIndex}},
	setKind:    {resource: "replicasets", derived: true, trim: trimTemplate, indexers: toolscache.Indexers{byController: controllerIndex}},
	jobKind:    {resource: "jobs", derived: true, trim: trimTemplate, indexers: toolscache.Indexers{byController: controllerIndex}},
	sliceKind:  {resource: "endpointslices", derived: true, indexers: toolscache.Indexers{byService: serviceIndex}},
	eventKind:  {resource: "events", fields: "type=Warning", indexers: toolscache.Indexers{byRegarding: regardingIndex}},
	claimKind:  {resource: "persistentvolumeclaims", indexers: toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}},
	volumeKind: {resource: "persistentvolumes"},
	classKind:  {resource: "storageclasses"},
	secretKind: {resource: "secrets", metadata: true, trim: trimSecret},
	nodeKind:   {resource: "nodes", trim: trimNode},
}

func (r readable) trimmed(object *unstructured.Unstructured) {
	if annotations := mapAt(object.Object, "metadata", "annotations"); annotations != nil {
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	}
	if r.trim != nil {
		r.trim(object.Object)
	}
}

func trimPod(pod map[string]any) {
	delete(mapAt(pod, "metadata"), "annotations")
	spec := map[string]any{}
	if node := textAt(pod, "spec", "nodeName"); node != "" {
		spec["nodeName"] = node
	}
	pod["spec"] = spec
}

func trimTemplate(workload map[string]any) { delete(mapAt(workload, "spec"), "template") }

// trimSecret drops annotations, too: some tools keep the whole Secret in one. Metadata alone come without the kind.
func trimSecret(secret map[string]any) {
	secret["apiVersion"], secret["kind"] = secretKind.ToAPIVersionAndKind()
	delete(secret, "data")
	delete(mapAt(secret, "metadata"), "annotations")
}

func trimNode(node map[string]any) {
	delete(mapAt(node, "metadata"), "annotations")
	for _, long := range []string{"images", "volumesInUse", "volumesAttached"} {
		delete(mapAt(node, "status"), long)
	}
}
