package katalog

import "k8s.io/apimachinery/pkg/runtime/schema"

// builtin is a kind that every cluster has.
type builtin struct {
	schema.GroupVersion
	plural        string
	clusterScoped bool
}

var (
	groupCore        = schema.GroupVersion{Version: "v1"}
	groupApps        = schema.GroupVersion{Group: "apps", Version: "v1"}
	groupBatch       = schema.GroupVersion{Group: "batch", Version: "v1"}
	groupNetworking  = schema.GroupVersion{Group: "networking.k8s.io", Version: "v1"}
	groupRBAC        = schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	groupPolicy      = schema.GroupVersion{Group: "policy", Version: "v1"}
	groupAutoscaling = schema.GroupVersion{Group: "autoscaling", Version: "v2"}
	groupStorage     = schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}
	groupLeases      = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	groupScheduling  = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1"}
)

// builtins by kind. A declaration of one of them needs the kind alone.
var builtins = map[string]builtin{
	"ConfigMap":               {groupCore, "configmaps", false},
	"Endpoints":               {groupCore, "endpoints", false},
	"LimitRange":              {groupCore, "limitranges", false},
	"Namespace":               {groupCore, "namespaces", true},
	"Node":                    {groupCore, "nodes", true},
	"PersistentVolume":        {groupCore, "persistentvolumes", true},
	"PersistentVolumeClaim":   {groupCore, "persistentvolumeclaims", false},
	"Pod":                     {groupCore, "pods", false},
	"ReplicationController":   {groupCore, "replicationcontrollers", false},
	"ResourceQuota":           {groupCore, "resourcequotas", false},
	"Secret":                  {groupCore, "secrets", false},
	"Service":                 {groupCore, "services", false},
	"ServiceAccount":          {groupCore, "serviceaccounts", false},
	"DaemonSet":               {groupApps, "daemonsets", false},
	"Deployment":              {groupApps, "deployments", false},
	"ReplicaSet":              {groupApps, "replicasets", false},
	"StatefulSet":             {groupApps, "statefulsets", false},
	"CronJob":                 {groupBatch, "cronjobs", false},
	"Job":                     {groupBatch, "jobs", false},
	"Ingress":                 {groupNetworking, "ingresses", false},
	"IngressClass":            {groupNetworking, "ingressclasses", true},
	"NetworkPolicy":           {groupNetworking, "networkpolicies", false},
	"ClusterRole":             {groupRBAC, "clusterroles", true},
	"ClusterRoleBinding":      {groupRBAC, "clusterrolebindings", true},
	"Role":                    {groupRBAC, "roles", false},
	"RoleBinding":             {groupRBAC, "rolebindings", false},
	"PodDisruptionBudget":     {groupPolicy, "poddisruptionbudgets", false},
	"HorizontalPodAutoscaler": {groupAutoscaling, "horizontalpodautoscalers", false},
	"StorageClass":            {groupStorage, "storageclasses", true},
	"Lease":                   {groupLeases, "leases", false},
	"PriorityClass":           {groupScheduling, "priorityclasses", true},
}

// builtinFor returns the built-in kind that the names of a declaration lead to. A kind of the same name in another group is
// none, and neither is one without a group but with another version.
func builtinFor(group, version, kind string) (builtin, bool) {
	b, ok := builtins[kind]
	if group != "" {
		return b, ok && group == b.Group
	}
	return b, ok && agrees(version, b.Version)
}
