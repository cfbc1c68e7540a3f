package cli

import (
	"cmp"
	"net/http"
	"os"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// serveLive puts the live API beside the metrics.
func (f *runFlags) serveLive(mgr manager.Manager, e *engine.Engine, w *written) error {
	//nolint:wrapcheck // says what it does
	return command.ServeLive(mgr, f.metrics, f.tokenFile, func(token string) http.Handler {
		return e.Handler(live.Options{
			Token: token, Version: versionOf().Ork, GatewayEndpoint: os.Getenv("ORK_GATEWAY_ENDPOINT"),
			Written: w.of,
		})
	})
}

// written is what the files have of the Katalogs that run. A Katalog of an object is not among them.
type written struct {
	mu    sync.RWMutex                      // guards files
	files map[*orkv1.Katalog]*orkv1.Katalog // by the Katalogs with defaults
}

// of is a Katalog that runs as its file has it, and itself when it is of no file.
func (w *written) of(running *orkv1.Katalog) *orkv1.Katalog {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return cmp.Or(w.files[running], running)
}

// keep forgets all that are not of these documents.
func (w *written) keep(documents []*katalog.Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = nil
	w.addLocked(documents)
}

// add knows those of the documents besides.
func (w *written) add(documents []*katalog.Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addLocked(documents)
}

func (w *written) addLocked(documents []*katalog.Document) {
	if w.files == nil {
		w.files = make(map[*orkv1.Katalog]*orkv1.Katalog, len(documents))
	}
	for _, document := range documents {
		w.files[document.Katalog] = cmp.Or(document.Written, document.Katalog)
	}
}
