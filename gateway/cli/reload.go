package cli

import (
	"context"
	"errors"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/gateway/server"
	"github.com/orkestra-runtime/orkestra/internal/reload"
)

// reloader has the gateway serve the files as they are now, whenever they change.
type reloader struct {
	load    func() (*katalog.Result, error)
	watcher *reload.Watcher
	sources []string
	gateway *server.Gateway
}

// run watches until ctx ends.
func (r *reloader) run(ctx context.Context) error {
	r.watcher.Run(ctx, func() ([]string, bool) {
		again := r.reload(ctx)
		return r.sources, again
	})
	return nil
}

// reload reads the files. When they are wrong, what was served before goes on. It is tried again where that is not for what they say: tokens can't be read
// while the API server is away.
func (r *reloader) reload(ctx context.Context) (again bool) {
	log := logf.FromContext(ctx)
	result, err := r.load()
	if result != nil {
		r.sources = result.Sources
		for _, warning := range result.Warnings {
			log.Info("Katalog files: warning", "warning", warning.String())
		}
	}
	if err == nil {
		err = r.gateway.Update(ctx, katalogs(result.Documents), schemas(result.Documents...))
	}
	findings, wrong := errors.AsType[katalog.Findings](err)
	switch {
	case wrong:
		for _, finding := range findings {
			log.Error(errors.New(finding.String()), "Katalog files are wrong, what they said before is served on")
		}
	case err != nil:
		log.Error(err, "Katalog files are not taken and are tried again, what they said before is served on")
		return true
	default:
		log.Info("Katalog files have changed and are served as they are now")
	}
	return false
}
