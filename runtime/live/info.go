package live

import (
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/livehttp"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

type gvk struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type gvr struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

func gvkOf(of schema.GroupVersionKind) gvk { return gvk{of.Group, of.Version, of.Kind} }

// static is what the Katalog says of an entry.
type static struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Mode        orkv1.Mode        `json:"mode"`
	GVK         gvk               `json:"gvk"`
	GVR         gvr               `json:"gvr"`
	Namespaced  bool              `json:"namespaced"`
	Namespace   string            `json:"namespace"`
	CrossAccess bool              `json:"crossAccess"`
	DependsOn   map[string]string `json:"dependsOn"`
	Workers     int               `json:"workers"`
	// WorkersSource and ResyncSource tell where the numbers come from: default, configured or autoscaler.
	WorkersSource string `json:"workersSource"`
	Resync        string `json:"resync"`
	ResyncSource  string `json:"resyncSource"`
}

// figures are what an entry does at the moment.
type figures struct {
	State                    health.State `json:"state"`
	Healthy                  bool         `json:"healthy"`
	Started                  bool         `json:"started"`
	Pending                  bool         `json:"pending"`
	IsKonductor              bool         `json:"isKonductor"`
	Gated                    bool         `json:"gated"`
	GatedReason              string       `json:"gatedReason"`
	HasUnhealthyDependencies bool         `json:"hasUnhealthyDependencies"`
	WorkersActive            int          `json:"workersActive"`
	QueueDepth               int          `json:"queueDepth"`
	ResourceCount            int          `json:"resourceCount"`
	TotalReconciles          int64        `json:"totalReconciles"`
	// ErrorRate is in percent.
	ErrorRate float64 `json:"errorRate"`
}

// brief is an entry in the summary.
type brief struct {
	static
	figures
}

// detail is an entry alone.
type detail struct {
	static
	figures
	Target            string            `json:"target"`
	Aliases           []string          `json:"aliases"`
	WorkersIdle       int               `json:"workersIdle"`
	WorkersProcessing int               `json:"workersProcessing"`
	WorkerDetails     map[string]string `json:"workerDetails"`
	MaxDepth          int               `json:"maxDepth"`
	MaxDepthSource    string            `json:"maxDepthSource"`
	OperatorBox       operatorBox       `json:"operatorBox"`
	RBAC              string            `json:"rbac"`
	AutoscalerEnabled bool              `json:"autoscalerEnabled"`
	// AutoscalerWorkers is how many there are while the autoscaler overrides what is declared, else 0.
	AutoscalerWorkers int            `json:"autoscalerWorkers"`
	Metrics           map[string]any `json:"metrics"`
}

// operatorBox tells how the resources are operated.
type operatorBox struct {
	// Type is declarative, hybrid with hooks, or constructor.
	Type        string     `json:"type"`
	Finalizers  finalizers `json:"finalizers"`
	Hooks       code       `json:"hooks"`
	Constructor code       `json:"constructor"`
	// Templates are the children that each block declares, by their keys.
	Templates map[string]map[string]int `json:"templates"`
}

type finalizers struct {
	// Source is operatorBox, katalog or none.
	Source string   `json:"source"`
	Values []string `json:"values"`
}

// code is a Go function.
type code struct {
	Configured bool   `json:"configured"`
	Source     string `json:"source"`
	Location   string `json:"location"`
	Function   string `json:"function"`
}

func (a *api) brief(v view) brief {
	s := static{
		Name: v.Name, Description: v.Declared.Description, Mode: v.Declared.Mode, GVK: gvkOf(v.GVK),
		GVR:        gvr{v.Resource.Group, v.Resource.Version, v.Resource.Resource},
		Namespaced: v.Declared.Namespaced == nil || *v.Declared.Namespaced, Namespace: v.Declared.Namespace,
		CrossAccess: v.Declared.CrossAccess == nil || *v.Declared.CrossAccess, DependsOn: map[string]string{},
		Workers: v.Sample.Workers, WorkersSource: v.Capacity.Workers.From,
		Resync: v.Capacity.Resync.Value.String(), ResyncSource: v.Capacity.Resync.From,
	}
	for name, one := range v.Declared.DependsOn {
		s.DependsOn[name] = string(one.Condition)
	}
	return brief{s, figures{
		State: v.Health.State, Healthy: v.Health.State == health.Healthy, Started: v.Health.Started, Pending: v.Health.State == health.Pending,
		IsKonductor: v.leads, Gated: v.Health.GatedReason != "", GatedReason: v.Health.GatedReason,
		HasUnhealthyDependencies: v.Health.HasUnhealthyDeps, WorkersActive: v.Sample.Busy, QueueDepth: v.Sample.QueueDepth,
		ResourceCount: v.Resources, TotalReconciles: v.Health.Total, ErrorRate: v.Health.ErrorRatePercent(),
	}}
}

func reconcilerOf(crd *orkv1.CRD) orkv1.Reconciler {
	if crd.OperatorBox.Reconciler == nil {
		return orkv1.Reconciler{}
	}
	return *crd.OperatorBox.Reconciler
}

func (a *api) info(w http.ResponseWriter, _ *http.Request, v view) {
	short := a.brief(v)
	d := detail{
		static: short.static, figures: short.figures, Aliases: []string{},
		WorkersIdle: max(0, v.Sample.Workers-v.Sample.Busy), WorkersProcessing: v.Sample.Busy, WorkerDetails: map[string]string{},
		MaxDepth: v.Capacity.MaxDepth.Value, MaxDepthSource: v.Capacity.MaxDepth.From,
		OperatorBox: boxOf(v), RBAC: "ork validate --full prints the rights that are needed",
		AutoscalerEnabled: v.Declared.OperatorBox.Autoscale != nil, Metrics: v.Sample.Values(),
	}
	if v.Sample.Overridden {
		d.AutoscalerWorkers = v.Capacity.Workers.Value
	}
	if serve := v.Declared.Serve; serve != nil {
		d.Aliases = append(d.Aliases, sorted(serve.Target)...)
		if len(d.Aliases) == 1 {
			d.Target, d.Aliases = d.Aliases[0], []string{}
		}
	}
	// The workers are alike: the first ones are those that are busy.
	for i := range v.Sample.Workers {
		state := "idle"
		if i < v.Sample.Busy {
			state = "processing"
		}
		d.WorkerDetails[fmt.Sprintf("%s-%d", v.Name, i+1)] = state
	}
	livehttp.Answer(w, http.StatusOK, d)
}

func boxOf(v view) operatorBox {
	declared := v.Declared.OperatorBox
	box := operatorBox{Type: "declarative", Finalizers: finalizers{Source: "none", Values: []string{}}, Templates: map[string]map[string]int{}}
	switch {
	case len(declared.Finalizers) > 0:
		box.Finalizers = finalizers{Source: "operatorBox", Values: declared.Finalizers}
	case len(v.Katalog.Spec.Finalizers) > 0:
		box.Finalizers = finalizers{Source: "katalog", Values: v.Katalog.Spec.Finalizers}
	}
	r := reconcilerOf(v.Declared)
	if r.Hooks != nil {
		box.Type, box.Hooks = "hybrid", codeOf(r.Hooks.GoFunction)
	}
	if r.Constructor != nil {
		box.Type, box.Constructor = "constructor", codeOf(r.Constructor.GoFunction)
	}
	for name, block := range map[string]*orkv1.Block{"onCreate": declared.OnCreate, "onReconcile": declared.OnReconcile} {
		if block != nil {
			box.Templates[name] = counted(block)
		}
	}
	return box
}

func codeOf(f orkv1.GoFunction) code {
	return code{Configured: true, Source: "katalog", Location: f.Location, Function: f.Function}
}
