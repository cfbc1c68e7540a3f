package builtin

import (
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apps"
	"github.com/orkestra-runtime/orkestra/controllers/batch"
	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/custom"
)

// Kinds lists the kinds in apply order: what pods read, run as and are reached by is written before the pods. Custom
// objects come before workloads, which tend to need them.
func Kinds() []controllers.Kind {
	return []controllers.Kind{
		core.Secrets(),
		core.ConfigMaps(),
		core.ServiceAccounts(),
		custom.Objects(),
		core.Services(),
		apps.Deployments(),
		batch.Jobs(),
		batch.CronJobs(),
	}
}

// Registry holds Kinds.
func Registry() (*controllers.Registry, error) {
	return controllers.NewRegistry(Kinds()...)
}
