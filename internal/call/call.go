package call

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Call is one external call, compiled. It is immutable.
type Call struct {
	Name string
	// Place is where it stands, for people: onReconcile.external[0] weather.
	Place string
	// At is where it stands in the document.
	At *field.Path
	// Gate has the call made while it passes. Nil: always.
	Gate *conditions.Program
	// Texts are what is rendered of it.
	Texts *template.Of[Texts]
	// Base is the request without them.
	Base external.Request
	// ContinueOnError has those after it made when it fails, and whoever reads it go on.
	ContinueOnError bool
	// AdmissionOnly leaves it out of a cycle.
	AdmissionOnly bool
}

// Texts are the texts of a Call, by the keys of the Katalog.
type Texts struct {
	URL     orkv1.Template            `json:"url"`
	Query   orkv1.Template            `json:"query,omitempty"`
	Args    []orkv1.Template          `json:"args,omitempty"`
	Body    orkv1.Template            `json:"body,omitempty"`
	Headers map[string]orkv1.Template `json:"headers,omitempty"`
}

// request is the call rendered.
func (c *Call) request(facts template.Facts) (external.Request, error) {
	texts, err := c.Texts.Render(facts)
	if err != nil {
		return external.Request{}, err //nolint:wrapcheck // names the text
	}
	r := c.Base
	r.URL, r.Query, r.Body, r.Headers = string(texts.URL), string(texts.Query), string(texts.Body), make(map[string]string, len(texts.Headers))
	for _, value := range texts.Args {
		r.Args = append(r.Args, string(value))
	}
	for name, value := range texts.Headers {
		r.Headers[name] = string(value)
	}
	return r, nil
}

// List are calls that are made one after the other. An empty List makes none.
type List []*Call

// Names are those of the calls.
func (l List) Names() []string {
	names := make([]string, 0, len(l))
	for _, one := range l {
		names = append(names, one.Name)
	}
	return names
}

// References lists the paths that the calls read.
func (l List) References() [][]string {
	var all [][]string
	for _, one := range l {
		all = append(append(all, one.Gate.References()...), one.Texts.References()...)
	}
	return all
}

// Credentials are the Secrets that the calls name, an empty namespace standing for the operator's.
func (l List) Credentials() []orkv1.SecretKey {
	var all []orkv1.SecretKey
	for _, one := range l {
		if auth := one.Base.Auth; auth != nil && auth.SecretRef != nil {
			all = append(all, *auth.SecretRef)
		}
	}
	return all
}

// seconds are those of a duration, to the millisecond.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
