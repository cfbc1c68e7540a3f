package server

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
	"github.com/orkestra-runtime/orkestra/internal/livehttp"
)

// LiveAPI tells what the gateway does: /katalog everything in brief, and /katalog/{crd} of one entry what its webhooks did lately. With a token it asks for
// that as a bearer token, without one everybody may read. The probes /health, /livez, /ready and /startup ask for none.
func (g *Gateway) LiveAPI(token string) http.Handler {
	closed := http.NewServeMux()
	closed.HandleFunc("/katalog", func(w http.ResponseWriter, _ *http.Request) { livehttp.Answer(w, http.StatusOK, g.brief()) })
	closed.HandleFunc("/katalog/{crd}", g.detail)
	closed.HandleFunc("/", livehttp.Unknown)

	open := http.NewServeMux()
	for path, check := range map[string]func(*http.Request) error{
		"/health": alive, "/livez": alive, "/ready": g.ready, "/startup": g.ready,
	} {
		open.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { probe(w, check(r)) })
	}
	open.Handle("/", livehttp.Authorized(token, closed))
	return livehttp.OnlyReads(open)
}

// alive is true as long as somebody answers: what is fatal ends the process.
func alive(*http.Request) error { return nil }

// probe answers whether all is well.
func probe(w http.ResponseWriter, err error) {
	if err != nil {
		livehttp.Answer(w, http.StatusServiceUnavailable, map[string]any{"status": "unavailable", "reason": err.Error()})
		return
	}
	livehttp.Answer(w, http.StatusOK, map[string]any{"status": "ok"})
}

// brief is the gateway in brief.
type brief struct {
	// Source tells it from the operator's answer at the same path.
	Source   string   `json:"source"`
	Katalogs []string `json:"katalogs"`
	Ready    bool     `json:"ready"`
	// NotReady is why.
	NotReady     string `json:"notReady,omitempty"`
	ServeEnabled bool   `json:"serveEnabled"`
	Namespace    string `json:"namespace"`
	Service      string `json:"service"`
	// CertificateExpires is when the certificate ends that is served, in RFC 3339. Empty: there is none.
	CertificateExpires string     `json:"certificateExpires"`
	Total              int        `json:"total"`
	CRDs               []briefCRD `json:"crds"`
}

// briefCRD is an entry in brief.
type briefCRD struct {
	Name     string     `json:"name"`
	Katalog  string     `json:"katalog"`
	Resource string     `json:"resource"`
	Security capability `json:"security"`
	// Statistics are those of its webhooks, by resource with its version, as group/version/resource, and webhook.
	Statistics map[string]map[string]*statistics.Summary `json:"statistics"`
}

// capability is what the gateway does for an entry.
type capability struct {
	Validation          bool `json:"validation"`
	Mutation            bool `json:"mutation"`
	Conversion          bool `json:"conversion"`
	ProtectsDefinition  bool `json:"protectsDefinition"`
	ProtectsResources   bool `json:"protectsResources"`
	StrictMode          bool `json:"strictMode"`
	NamespaceProtection bool `json:"namespaceProtection"`
	Provenance          bool `json:"provenance"`
}

func (g *Gateway) brief() *brief {
	now := g.current.Load()
	out := &brief{
		Source: "gateway", Katalogs: []string{}, Ready: true, ServeEnabled: now.tokens != nil, Namespace: g.opts.Namespace, Service: g.opts.Service, Total: len(now.entries),
		CRDs: make([]briefCRD, 0, len(now.entries)),
	}
	for _, katalog := range now.opts.Katalogs {
		out.Katalogs = append(out.Katalogs, katalog.Name)
	}
	if err := g.ready(nil); err != nil {
		out.Ready, out.NotReady = false, err.Error()
	}
	if expires := g.keeper.Expires(); !expires.IsZero() {
		out.CertificateExpires = expires.UTC().Format(time.RFC3339)
	}
	for _, one := range now.entries {
		out.CRDs = append(out.CRDs, g.briefOf(one))
	}
	return out
}

func (g *Gateway) briefOf(one *entry.Entry) briefCRD {
	out := briefCRD{
		Name: one.Name, Katalog: one.Katalog, Resource: keyOf(one.Resource), Statistics: map[string]map[string]*statistics.Summary{},
		Security: capability{
			Validation: one.Validates, Mutation: one.Mutates, Conversion: one.Converts, ProtectsDefinition: one.ProtectsDefinition, ProtectsResources: one.ProtectsResources,
			StrictMode: one.Strict, NamespaceProtection: one.GuardsNamespaces, Provenance: one.GuardsProvenance,
		},
	}
	webhooks := asked(one)
	webhooks[webhookConvert] = one.Converts
	for webhook, wanted := range webhooks {
		if !wanted {
			continue
		}
		for version, summary := range g.statistics.Of(statistics.Key{Webhook: webhook, Resource: one.Resource.GroupResource()}) {
			key := keyOf(one.Resource.GroupResource().WithVersion(version))
			if out.Statistics[key] == nil {
				out.Statistics[key] = map[string]*statistics.Summary{}
			}
			out.Statistics[key][webhook] = summary
		}
	}
	return out
}

// keyOf is a resource with its version as one text.
func keyOf(of schema.GroupVersionResource) string {
	return of.Group + "/" + of.Version + "/" + of.Resource
}

// detail answers one entry.
func (g *Gateway) detail(w http.ResponseWriter, r *http.Request) {
	var known []string
	for _, one := range g.current.Load().entries {
		if one.Name == r.PathValue("crd") {
			livehttp.Answer(w, http.StatusOK, g.briefOf(one))
			return
		}
		known = append(known, one.Name)
	}
	livehttp.UnknownCRD(w, r.PathValue("crd"), known)
}
