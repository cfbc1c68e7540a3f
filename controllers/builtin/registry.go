package builtin

import (
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apps"
	"github.com/orkestra-runtime/orkestra/controllers/autoscaling"
	"github.com/orkestra-runtime/orkestra/controllers/batch"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/custom"
	"github.com/orkestra-runtime/orkestra/controllers/networking"
	"github.com/orkestra-runtime/orkestra/controllers/policy"
	"github.com/orkestra-runtime/orkestra/controllers/rbac"
)

// Kinds lists the kinds in apply order: what objects are put into, act as, read and are bounded by is written before them, and what
// pods are reached by before the pods. Custom objects come after the configuration that their own operators may read, and before
// workloads, which tend to need them. What looks at workloads comes last.
func Kinds() []controllers.Kind {
	return []controllers.Kind{
		core.Namespaces(),
		rbac.ClusterRoles(),
		rbac.Roles(),
		core.ServiceAccounts(),
		rbac.ClusterRoleBindings(),
		rbac.RoleBindings(),
		core.Secrets(),
		core.ConfigMaps(),
		core.PersistentVolumes(),
		core.Claims(),
		networking.NetworkPolicies(),
		core.ResourceQuotas(),
		core.LimitRanges(),
		custom.Objects(),
		core.Services(),
		apps.StatefulSets(),
		apps.Deployments(),
		apps.ReplicaSets(),
		apps.DaemonSets(),
		core.Pods(),
		batch.Jobs(),
		batch.CronJobs(),
		networking.Ingresses(),
		autoscaling.HPAs(),
		policy.PDBs(),
	}
}

// Registry holds Kinds.
func Registry() (*controllers.Registry, error) {
	return controllers.NewRegistry(Kinds()...)
}
