package live

import (
	"cmp"
	"net/http"
	"time"

	"github.com/orkestra-runtime/orkestra/internal/livehttp"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// healthAnswer is how an entry is doing.
type healthAnswer struct {
	Name string `json:"name"`
	// State and Status are the same text; StatusCode is that of the answer.
	State       health.State `json:"state"`
	Status      health.State `json:"status"`
	StatusCode  int          `json:"statusCode"`
	IsKonductor bool         `json:"isKonductor"`
	Healthy     bool         `json:"healthy"`
	Started     bool         `json:"started"`
	Pending     bool         `json:"pending"`
	Degraded    bool         `json:"degraded"`
	StartedAt   string       `json:"startedAt"`
	Uptime      string       `json:"uptime"`
	QueueDepth  int          `json:"queueDepth"`
	// ErrorRate is in percent.
	ErrorRate        float64 `json:"errorRate"`
	ErrorRatePercent float64 `json:"errorRatePercent"`
	ConsecutiveFails int     `json:"consecutiveFails"`
	TotalReconciles  int64   `json:"totalReconciles"`
	FailedReconciles int64   `json:"failedReconciles"`
	ResourceCount    int     `json:"resourceCount"`
	ReadyCount       int     `json:"readyCount"`
	TotalCount       int     `json:"totalCount"`
	LastError        string  `json:"lastError"`
	LastReconcile    string  `json:"lastReconcile"`
	RollbackActive   bool    `json:"rollbackActive"`
	RollbackTotal    int64   `json:"rollbackTotal"`
	// Waiting is what the start waits for.
	Waiting                  string                      `json:"waiting,omitempty"`
	HasUnhealthyDependencies bool                        `json:"hasUnhealthyDependencies"`
	Dependencies             map[string]dependencyAnswer `json:"dependencies"`
	Missing                  bool                        `json:"missing"`
	Gated                    bool                        `json:"gated"`
	GatedReason              string                      `json:"gatedReason"`
	// PendingObservation says of each declared observation that does not run yet why not.
	PendingObservation []string `json:"pendingObservation,omitempty"`
}

// dependencyAnswer is what an entry depends on.
type dependencyAnswer struct {
	Name  string       `json:"name"`
	State health.State `json:"state"`
	// Condition is what the other has reached: started, healthy or none.
	Condition           string `json:"condition"`
	AcceptableCondition string `json:"acceptableCondition"`
	Satisfied           bool   `json:"satisfied"`
	LastCheck           string `json:"lastCheck"`
}

// The words in place of a time that there is not.
const (
	notStarted   = "not started"
	noReconciles = "no reconciles yet"
)

func (a *api) health(w http.ResponseWriter, _ *http.Request, v view) {
	h := v.Health
	livehttp.Answer(w, h.StatusCode(), healthAnswer{
		Name: v.Name, State: h.State, Status: h.State, StatusCode: h.StatusCode(), IsKonductor: v.leads,
		Healthy: h.State == health.Healthy, Started: h.Started, Pending: h.State == health.Pending, Degraded: h.State == health.Degraded,
		StartedAt: v.time(h.StartedAt), Uptime: v.uptime(a.Now()), LastReconcile: v.lastReconcile(),
		QueueDepth: v.Sample.QueueDepth, ErrorRate: h.ErrorRatePercent(), ErrorRatePercent: h.ErrorRatePercent(),
		ConsecutiveFails: h.ConsecutiveFails, TotalReconciles: h.Total, FailedReconciles: h.Failed,
		ResourceCount: v.Resources, ReadyCount: h.Ready, TotalCount: h.Resources, LastError: hideIn(h.LastError),
		RollbackActive: h.RolledBack > 0, RollbackTotal: h.Rollbacks, Waiting: h.Waiting,
		HasUnhealthyDependencies: h.HasUnhealthyDeps, Dependencies: a.dependencies(v), Missing: h.Missing,
		Gated: h.GatedReason != "", GatedReason: h.GatedReason, PendingObservation: h.PendingObservation,
	})
}

func (a *api) dependencies(v view) map[string]dependencyAnswer {
	all := make(map[string]dependencyAnswer, len(v.Dependencies))
	for _, one := range v.Dependencies {
		all[one.Name] = dependencyAnswer{
			Name: one.Name, State: one.State, Condition: cmp.Or(string(one.Reached), "none"), AcceptableCondition: string(one.Acceptable),
			Satisfied: one.Satisfied, LastCheck: health.Moment(a.Now()),
		}
	}
	return all
}

func (v view) time(t time.Time) string {
	if !v.Health.Started {
		return notStarted
	}
	return health.Moment(t)
}

func (v view) uptime(now time.Time) string {
	if !v.Health.Started {
		return notStarted
	}
	return v.Health.Uptime(now).String()
}

func (v view) lastReconcile() string {
	switch {
	case !v.Health.LastCycle.IsZero():
		return health.Moment(v.Health.LastCycle)
	case !v.Health.Started:
		return notStarted
	default:
		return noReconciles
	}
}
