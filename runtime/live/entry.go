package live

import (
	"net/http"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/livehttp"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// view is an entry as it is told of. A replica that does not lead says nothing of cycles, which are another's.
type view struct {
	CRD
	leads bool
}

// views are those of all entries.
func (a *api) views() []view {
	leads := a.source.Runtime().Leads
	entries := a.source.CRDs()
	views := make([]view, 0, len(entries))
	for _, one := range entries {
		if !leads {
			one.Health = health.Snapshot{State: health.Pending}
			one.Sample = metrics.Sample{}
		}
		views = append(views, view{CRD: one, leads: leads})
	}
	return views
}

// ShowsHealth tells whether others may see how an entry is doing.
func ShowsHealth(declared *orkv1.CRD) bool { return shows(declared, healthSwitch) }

// endpoint is one of the switches of a CRD's endpoints.
type endpoint struct {
	name string
	on   func(*orkv1.Endpoints) *bool
}

var (
	enabled      = endpoint{"enabled", func(e *orkv1.Endpoints) *bool { return e.Enabled }}
	healthSwitch = endpoint{"health", func(e *orkv1.Endpoints) *bool { return e.Health }}
	info         = endpoint{"info", func(e *orkv1.Endpoints) *bool { return e.Info }}
)

// shows tells whether an entry has the endpoint. Health and info default to enabled, that to true.
func shows(declared *orkv1.CRD, one endpoint) bool {
	endpoints := declared.Endpoints
	if endpoints == nil {
		return true
	}
	for _, on := range []*bool{one.on(endpoints), endpoints.Enabled} {
		if on != nil {
			return *on
		}
	}
	return true
}

// of looks up the entry of the path, and whether it shows the endpoint.
func (a *api) of(shown endpoint, next func(http.ResponseWriter, *http.Request, view)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("crd")
		views := a.views()
		i := slices.IndexFunc(views, func(v view) bool { return v.Name == name })
		switch {
		case i < 0:
			names := make([]string, 0, len(views))
			for _, one := range views {
				names = append(names, one.Name)
			}
			livehttp.UnknownCRD(w, name, names)
		case !shows(views[i].Declared, shown):
			livehttp.Refuse(w, http.StatusNotFound, "EndpointDisabled",
				"the Katalog does not show this of CRD "+name+": endpoints."+shown.name+" is false")
		default:
			next(w, r, views[i])
		}
	}
}
