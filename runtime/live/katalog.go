package live

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/livehttp"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// summary is the whole runtime.
type summary struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Author      string `json:"author"`
	Description string `json:"description"`
	License     string `json:"license"`
	// Katalogs are the names of all, of which the fields above describe the first.
	Katalogs           []string `json:"katalogs"`
	RuntimeVersion     string   `json:"runtimeVersion"`
	ClusterName        string   `json:"clusterName"`
	GatewayEndpoint    string   `json:"gatewayEndpoint"`
	DeletionProtection bool     `json:"deletionProtection"`
	IsKonductor        bool     `json:"isKonductor"`
	OrkReady           bool     `json:"OrkReady"` //nolint:tagliatelle // the API has always called it so
	// Healthy and Status, 200 or 503, always agree. DegradedReason tells why not.
	Healthy        bool                      `json:"healthy"`
	Status         int                       `json:"status"`
	DegradedReason string                    `json:"degradedReason"`
	Total          int                       `json:"total"`
	TotalEnabled   int                       `json:"totalEnabled"`
	TotalDegraded  int                       `json:"totalDegraded"`
	StatusCounts   statusCounts              `json:"statusCounts"`
	Namespaces     map[string]*namespaceInfo `json:"namespaces"`
	CRDs           []any                     `json:"crds"`
}

// statusCounts count entries. One that has started is counted besides as what it is.
type statusCounts struct {
	Healthy  int `json:"healthy"`
	Degraded int `json:"degraded"`
	Started  int `json:"started"`
	Pending  int `json:"pending"`
}

func (c *statusCounts) add(h health.Snapshot) {
	switch h.State {
	case health.Healthy:
		c.Healthy++
	case health.Degraded:
		c.Degraded++
	case health.Pending:
		c.Pending++
	default:
	}
	if h.Started {
		c.Started++
	}
}

// namespaceInfo sums up the entries of the Katalogs of a namespace.
type namespaceInfo struct {
	CRDs         []string     `json:"crds"`
	StatusCounts statusCounts `json:"statusCounts"`
	Healthy      bool         `json:"healthy"`
	Description  string       `json:"description"`
	Version      string       `json:"version"`
	Workers      int          `json:"workers"`
	Resources    int          `json:"resources"`
}

// hidden stands for an entry of which the Katalog shows nothing. It has no figures: they would look like zeros.
type hidden struct {
	Name      string   `json:"name"`
	GVK       gvk      `json:"gvk"`
	Endpoints disabled `json:"endpoints"`
}

type disabled struct {
	Enabled bool `json:"enabled"`
}

func (a *api) katalog(w http.ResponseWriter, _ *http.Request) {
	runtime, views := a.source.Runtime(), a.views()
	s := summary{
		RuntimeVersion: a.Version, ClusterName: a.ClusterName, GatewayEndpoint: a.GatewayEndpoint,
		IsKonductor: runtime.Leads, OrkReady: runtime.Started && !runtime.Stopping, Status: http.StatusOK,
		Total: len(views), TotalEnabled: len(views), Namespaces: map[string]*namespaceInfo{}, Katalogs: []string{}, CRDs: []any{},
	}
	for i, one := range runtime.Katalogs {
		s.Katalogs = append(s.Katalogs, one.Name)
		s.Total += len(one.Spec.CRDs) - enabledIn(one)
		if about := one.About; i == 0 {
			s.Name = one.Name
			if about != nil {
				s.Version, s.Author, s.Description, s.License = about.Version, about.Author, about.Description, about.License
			}
		}
	}
	var reasons []string
	for _, one := range views {
		s.StatusCounts.add(one.Health)
		s.namespace(one)
		if one.Health.State == health.Degraded {
			s.TotalDegraded++
		}
		if !one.Health.Well() {
			reasons = append(reasons, one.Name+" is "+string(one.Health.State)+because(cmp.Or(one.Health.Waiting, one.Health.LastError)))
		}
		if shows(one.Declared, info) {
			s.CRDs = append(s.CRDs, a.brief(one))
		} else {
			s.CRDs = append(s.CRDs, hidden{Name: one.Name, GVK: gvkOf(one.GVK)})
		}
	}
	if s.Healthy = len(reasons) == 0; !s.Healthy {
		s.Status, s.DegradedReason = http.StatusServiceUnavailable, strings.Join(reasons, "; ")
	}
	// The answer is there, whatever it says: its own code is 200.
	livehttp.Answer(w, http.StatusOK, s)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + hideIn(reason)
}

func enabledIn(katalog *orkv1.Katalog) (count int) {
	for _, crd := range katalog.Spec.CRDs {
		if crd.Enabled == nil || *crd.Enabled {
			count++
		}
	}
	return count
}

func (s *summary) namespace(v view) {
	name := v.space()
	n := s.Namespaces[name]
	if n == nil {
		n = &namespaceInfo{Healthy: true}
		if about := v.Katalog.About; about != nil {
			n.Description, n.Version = about.Description, about.Version
		}
		n.Description, n.Version = cmp.Or(v.Declared.KatalogDescription, n.Description), cmp.Or(v.Declared.KatalogVersion, n.Version)
		s.Namespaces[name] = n
	}
	n.CRDs = append(n.CRDs, v.Name)
	n.StatusCounts.add(v.Health)
	n.Healthy = n.Healthy && v.Health.Well()
	n.Workers += v.Sample.Workers
	n.Resources += v.Resources
}

// space is the namespace of the entry's Katalog.
func (v view) space() string {
	return cmp.Or(v.Declared.KatalogNamespace, v.Katalog.Namespace, "default")
}

// raw is the Katalog as its file has it, enriched the same with all defaults.
func (a *api) raw(w http.ResponseWriter, _ *http.Request) {
	running := a.source.Runtime().Katalogs
	all := make([]*orkv1.Katalog, 0, len(running))
	for _, one := range running {
		all = append(all, a.Written(one))
	}
	katalogs(w, all)
}

func (a *api) enriched(w http.ResponseWriter, _ *http.Request) {
	katalogs(w, a.source.Runtime().Katalogs)
}

// katalogs answers with the one that there is, or with a list.
func katalogs(w http.ResponseWriter, all []*orkv1.Katalog) {
	documents := make([]any, 0, len(all))
	for _, one := range all {
		document, err := redacted(one)
		if err != nil {
			livehttp.Refuse(w, http.StatusInternalServerError, "InternalError", err.Error())
			return
		}
		documents = append(documents, document)
	}
	if len(documents) == 1 {
		livehttp.Answer(w, http.StatusOK, documents[0])
		return
	}
	livehttp.Answer(w, http.StatusOK, map[string]any{"apiVersion": orkv1.Group + "/" + orkv1.Version, "kind": "KatalogList", "items": documents})
}

func (a *api) rawCRD(w http.ResponseWriter, _ *http.Request, v view)      { entry(w, a.written(v)) }
func (a *api) enrichedCRD(w http.ResponseWriter, _ *http.Request, v view) { entry(w, v.Declared) }

func entry(w http.ResponseWriter, declared *orkv1.CRD) {
	document, err := redacted(declared)
	if err != nil {
		livehttp.Refuse(w, http.StatusInternalServerError, "InternalError", err.Error())
		return
	}
	livehttp.Answer(w, http.StatusOK, document)
}

// written is the entry as its file has it.
func (a *api) written(v view) *orkv1.CRD {
	if crd, ok := a.Written(v.Katalog).Spec.CRDs[v.Name]; ok {
		return &crd
	}
	return v.Declared
}

// redacted returns a value as JSON without what is nobody's business.
func redacted(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err //nolint:wrapcheck // says what is no JSON
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err //nolint:wrapcheck // what was just written is read
	}
	if top, ok := document.(map[string]any); ok && len(top) > 0 {
		delete(top, "status") // it is told elsewhere
	}
	return hide(document), nil
}

// sorted are the keys of a map in their order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
