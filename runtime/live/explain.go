package live

import (
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/internal/livehttp"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
)

// explain tells what happened to a resource lately, also to one that is gone.
func (a *api) explain(w http.ResponseWriter, r *http.Request, v view) {
	name := types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
	records := a.source.Flight(v.Name, name)
	if records == nil {
		a.one(func(w http.ResponseWriter, _ *http.Request, v view, one Resource) {
			name.Namespace = one.Object.GetNamespace()
			told(w, a.source.Flight(v.Name, name))
		})(w, r, v)
		return
	}
	told(w, records)
}

func told(w http.ResponseWriter, records []flight.Record) {
	list := make([]flight.Record, 0, len(records))
	for _, one := range records {
		one.Message = hideIn(one.Message)
		list = append(list, one)
	}
	livehttp.Answer(w, http.StatusOK, map[string]any{"total": len(list), "items": list})
}
