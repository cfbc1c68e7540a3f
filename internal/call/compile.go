package call

import (
	"cmp"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Compiler compiles calls. It knows what a place sees, and after a list what the place behind it does.
type Compiler struct {
	// Language is what texts may use, and Known what is known of the roots.
	Language *template.Language
	Known    *roots.Known
	// Called are the places of the calls whose results are seen, by their names.
	Called map[string]*field.Path
	// Retry compiles the tries of a call. Nil: each is tried once.
	Retry func(declared *orkv1.RetryBackoff, at *field.Path) *external.Retry
	// Errors are what is wrong.
	Errors field.ErrorList
}

func (c *Compiler) wrong(errs ...*field.Error) { c.Errors = append(c.Errors, errs...) }

// see has what follows see these roots.
func (c *Compiler) see(known *roots.Known) { c.Known, c.Language = known, c.Language.Within(known) }

// Compile compiles the external calls of a list, each of which sees the results of those before it. From then on the Compiler sees them all.
// Above is where the list stands, for people, and at its place in the document. It is nil for an empty list.
func (c *Compiler) Compile(declared []orkv1.ExternalCall, above string, at *field.Path) List {
	list := make(List, 0, len(declared))
	c.Called = maps.Clone(c.Called)
	for i := range declared {
		one, here := &declared[i], at.Child("external").Index(i)
		list = append(list, c.call(one, fmt.Sprintf("%s.external[%d] %s", above, i, one.Name), i, at))
		if first, taken := c.Called[one.Name]; taken {
			c.wrong(field.Invalid(here.Child("name"), one.Name, fmt.Sprintf("is the name of %s already, whose result it would replace; choose another", first)))
		}
		if c.Called == nil {
			c.Called = map[string]*field.Path{}
		}
		c.Called[one.Name] = here
		c.see(resulting(c.Known, one))
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

func (c *Compiler) call(declared *orkv1.ExternalCall, place string, index int, at *field.Path) *Call {
	here := at.Child("external").Index(index)
	c.wrong(CheckURL(c.Language, declared.URL, declared.Protocol, here.Child("url"))...)
	if declared.Auth != nil {
		CheckCredential(c.Language, declared.URL, "url", here)
	}
	language := c.Language.Within(c.Known.InCall())
	texts, errs := template.CompileOf(language.Under(at), Texts{
		URL: declared.URL, Query: declared.Query, Args: declared.Args, Body: declared.Body, Headers: declared.Headers,
	}, field.NewPath("external").Index(index))
	c.wrong(errs...)
	gate, errs := conditions.Compile(language, declared.Conditions, here)
	c.wrong(errs...)
	base := external.Request{
		Name: declared.Name, Site: Site(declared.URL), Protocol: cmp.Or(declared.Protocol, orkv1.ProtocolHTTP), Method: declared.Method,
		Auth: declared.Auth, ExpectedStatus: int(declared.ExpectedStatus),
	}
	if c.Retry != nil {
		base.Retry = c.Retry(declared.RetryBackoff, here.Child("retryBackoff"))
	}
	if declared.Timeout != nil {
		base.Timeout = declared.Timeout.Duration
	}
	if declared.CacheFor != nil {
		base.CacheFor = declared.CacheFor.Duration
	}
	if declared.PoolSize != nil {
		base.PoolSize = int(*declared.PoolSize)
	}
	if declared.Sleep != nil {
		base.Sleep = declared.Sleep.Duration
	}
	return &Call{
		Name: declared.Name, Place: place, At: here, Gate: gate, Texts: texts, Base: base, ContinueOnError: declared.ContinueOnError,
		AdmissionOnly: declared.Fires != nil && declared.Fires.Reconcile != nil && !*declared.Fires.Reconcile,
	}
}
