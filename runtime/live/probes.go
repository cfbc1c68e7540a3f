package live

import (
	"net/http"

	"github.com/orkestra-runtime/orkestra/internal/livehttp"
)

// startup tells whether the runtime has started.
func (a *api) startup(w http.ResponseWriter, _ *http.Request) {
	a.probe(w, a.source.Runtime().Started)
}

// alive is true as long as somebody answers: what is fatal ends the process.
func (a *api) alive(w http.ResponseWriter, _ *http.Request) { a.probe(w, true) }

// ready tells whether the runtime may be asked. A replica that waits for its turn may, and so may one with a CRD that is degraded:
// taken out of its Service, it could not tell why.
func (a *api) ready(w http.ResponseWriter, _ *http.Request) {
	runtime := a.source.Runtime()
	a.probe(w, runtime.Started && !runtime.Stopping)
}

func (a *api) probe(w http.ResponseWriter, well bool) {
	status, text := http.StatusOK, "ok"
	if !well {
		status, text = http.StatusServiceUnavailable, "unavailable"
	}
	livehttp.Answer(w, status, map[string]any{"status": text, "isKonductor": a.source.Runtime().Leads})
}
