package box

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// Cross is one declared read of other resources.
type Cross struct {
	// As is its name below .cross.
	As    string
	Entry cross.Entry
	// All asks for a list of all resources.
	All bool
	// Feedback tells whether anything reads the health or the metrics of the entry.
	Feedback bool
	// Source is where to ask when the resources are not here. Nil: nowhere.
	Source *CrossSource

	// name and namespace are nil where they are the reading resource's own; any, that the name does not count.
	name, namespace *template.Program
	any             bool
	labels          map[string]*template.Program
}

// CrossSource is another operator.
type CrossSource struct {
	base                      cross.Ask
	crd                       string
	endpoint, host, namespace *template.Program
	// clusterScoped tells that the resources have no namespace, where that is known.
	clusterScoped bool
}

// cross compiles the reads of a box, which all see the same, and returns a compiler of texts that see what they come to.
func (c *compiler) cross(b *Box, declared []orkv1.CrossRead, at *field.Path) *compiler {
	reads := map[string]*roots.Props{}
	in := c.seeing(c.known.InCross()).steady("it would ask for another resource each time")
	for i := range declared {
		one := in.crossRead(&declared[i], at.Index(i))
		b.Cross = append(b.Cross, one)
		reads[one.As] = roots.Crossed(c.schemas[declared[i].CRD], one.Source != nil, one.All)
	}
	return c.seeing(c.known.WithCross(reads))
}

func (c *compiler) crossRead(declared *orkv1.CrossRead, at *field.Path) *Cross {
	read := &Cross{As: declared.As, Entry: cross.Named(declared.CRD), All: declared.Strategy == orkv1.CrossAll}
	if read.As == "" {
		read.As = declared.CRD
	}
	if declared.CRD == "" {
		read.Entry, read.any = cross.Labelled(declared.LabelSelector), true
	}
	if s := declared.Selector; s != nil {
		here := at.Child("selector")
		read.name = c.optional(s.Name, here.Child("name"))
		read.namespace = c.optional(s.Namespace, here.Child("namespace"))
		read.labels = c.templates(s.MatchLabels, here.Child("matchLabels"))
		read.any = read.any || len(s.MatchLabels) > 0
	}
	read.Source = c.crossSource(declared, read, at.Child("source"))
	if other, here := c.katalog.Spec.CRDs[declared.CRD]; here && !crossAccess(c.katalog, &other) {
		c.language.Warn(field.Invalid(at.Child("crd"), declared.CRD, "lets no other CRD read its resources (crossAccess: false), so nothing is found"))
	}
	return read
}

// optional compiles a text that need not be there.
func (c *compiler) optional(text orkv1.Template, at *field.Path) *template.Program {
	if text == "" {
		return nil
	}
	return c.template(text, at)
}

// crossAccess is the entry's own word, else the Katalog's, else true.
func crossAccess(katalog *orkv1.Katalog, entry *orkv1.CRD) bool {
	for _, allowed := range []*bool{entry.CrossAccess, katalog.CrossAccess} {
		if allowed != nil {
			return *allowed
		}
	}
	return true
}

func (c *compiler) crossSource(declared *orkv1.CrossRead, read *Cross, at *field.Path) *CrossSource {
	s := declared.Source
	if s == nil {
		return nil
	}
	source := &CrossSource{base: askOf(s, read.As), crd: declared.CRD, namespace: c.optional(s.Namespace, at.Child("namespace"))}
	if entry, here := c.katalog.Spec.CRDs[declared.CRD]; here && entry.Namespaced != nil {
		source.clusterScoped = !*entry.Namespaced
	}
	if s.Endpoint != "" {
		c.url(s.Endpoint, orkv1.ProtocolHTTP, at.Child("endpoint"))
		if s.Auth != nil {
			call.CheckCredential(c.language, s.Endpoint, "endpoint", at)
		}
		source.endpoint = c.template(s.Endpoint, at.Child("endpoint"))
		return source
	}
	c.url(s.Host, orkv1.ProtocolHTTP, at.Child("host"))
	if s.Auth != nil {
		call.CheckCredential(c.language, s.Host, "host", at)
	}
	source.host = c.template(s.Host, at.Child("host"))
	one := source.base.Protocol == orkv1.CrossProtocolCR || source.base.Protocol == orkv1.CrossProtocolEvents
	switch {
	case declared.CRD == "":
		c.report(field.Required(at.Child("endpoint"), "labelSelector names no CRD, which the path below host needs"))
	case one && read.any && read.name == nil:
		c.report(field.Required(at.Child("endpoint"), "another operator is asked by name, which selector has not; set selector.name, or write the whole URL here"))
	}
	return source
}

// askOf is what is asked without the URL.
func askOf(s *orkv1.CrossSource, as string) cross.Ask {
	ask := cross.Ask{As: as, Site: call.Site(s.Host), Protocol: orkv1.CrossProtocolCR}
	if s.Endpoint != "" {
		ask.Site = call.Site(s.Endpoint)
	}
	if s.Protocol != "" {
		ask.Protocol = s.Protocol
	}
	if s.CacheFor != nil {
		ask.CacheFor = s.CacheFor.Duration
	}
	ask.Authenticate(s.Auth)
	return ask
}

// errNoName is a text that selects nothing.
var errNoName = errors.New("is empty")

// Query renders what the read asks for on behalf of a resource.
func (x *Cross) Query(facts template.Facts, resource types.NamespacedName) (cross.Query, error) {
	query := cross.Query{Entry: x.Entry, Namespace: resource.Namespace, All: x.All, Feedback: x.Feedback}
	if !x.any {
		query.Name = resource.Name
	}
	for _, text := range []struct {
		key     string
		program *template.Program
		into    *string
		needed  bool
	}{{"namespace", x.namespace, &query.Namespace, false}, {"name", x.name, &query.Name, true}} {
		if text.program == nil {
			continue
		}
		value, err := text.program.Text(facts)
		value = strings.TrimSpace(value)
		if err == nil && value == "" && text.needed {
			query.Name, err = "", errNoName
		}
		if err != nil {
			return query, fmt.Errorf("selector.%s: %w", text.key, err)
		}
		if value != "" {
			*text.into = value
		}
	}
	if len(x.labels) > 0 {
		query.Labels = make(map[string]string, len(x.labels))
	}
	for key, program := range x.labels {
		value, err := program.Text(facts)
		if err != nil {
			return query, fmt.Errorf("selector.matchLabels[%s]: %w", key, err)
		}
		query.Labels[key] = strings.TrimSpace(value)
	}
	return query, nil
}

// Ask renders what is asked of another operator where nothing is here.
func (s *CrossSource) Ask(facts template.Facts, query *cross.Query) (*cross.Ask, error) {
	ask := s.base
	if s.endpoint != nil {
		text, err := s.endpoint.Text(facts)
		if err != nil {
			return nil, fmt.Errorf("source.endpoint: %w", err)
		}
		ask.URL = strings.TrimSpace(text)
		return &ask, nil
	}
	host, err := s.host.Text(facts)
	if err != nil {
		return nil, fmt.Errorf("source.host: %w", err)
	}
	namespace := query.Namespace
	if s.clusterScoped {
		namespace = ""
	}
	if s.namespace != nil {
		if namespace, err = s.namespace.Text(facts); err != nil {
			return nil, fmt.Errorf("source.namespace: %w", err)
		}
	}
	if ask.URL, err = cross.At(host, ask.Protocol, s.crd, strings.TrimSpace(namespace), query.Name); err != nil {
		return nil, fmt.Errorf("selector: %w", err)
	}
	return &ask, nil
}

// references lists the paths that the read looks at.
func (x *Cross) references() [][]string {
	programs := slices.Collect(maps.Values(x.labels))
	programs = append(programs, x.name, x.namespace)
	if s := x.Source; s != nil {
		programs = append(programs, s.endpoint, s.host, s.namespace)
	}
	var all [][]string
	for _, program := range programs {
		if program != nil {
			all = append(all, program.References()...)
		}
	}
	return all
}

// noteCross finds out whether a reference is to the health or the metrics of an entry that is read.
func (b *Box) noteCross(reference []string) {
	if len(reference) > 0 && reference[0] != cross.Root {
		return
	}
	for _, one := range b.Cross {
		switch {
		case len(reference) <= 2 && (len(reference) < 2 || reference[1] == one.As):
			one.Feedback = true
		case len(reference) > 2 && reference[1] == one.As:
			rest := reference[2:]
			if one.All { // the first key is that of an element
				rest = rest[1:]
			}
			one.Feedback = one.Feedback || roots.IsFeedback(rest)
		}
	}
}

// Unread is what texts see of other resources in a cycle that ends before they are read.
func (b *Box) Unread() map[string]any {
	unread := make(map[string]any, len(b.Cross))
	for _, one := range b.Cross {
		unread[one.As] = one.NotFound(&cross.Query{})
	}
	return unread
}

// NotFound is what texts see where nothing is found.
func (x *Cross) NotFound(query *cross.Query) any {
	if x.All {
		return []any{}
	}
	return cross.NotFound(query.Namespace, query.Name)
}

// crossCredentials are the Secrets that asking other operators needs, an empty namespace standing for the operator's.
func (s *Set) crossCredentials() []orkv1.SecretKey {
	var all []orkv1.SecretKey
	note := func(ask *cross.Ask) {
		if ask.Auth != nil && ask.Auth.SecretRef != nil {
			all = append(all, *ask.Auth.SecretRef)
		}
	}
	for _, b := range s.Boxes() {
		for _, one := range b.Cross {
			if one.Source != nil {
				note(&one.Source.base)
			}
		}
	}
	if s.Autoscale != nil {
		for _, one := range s.Autoscale.Cross {
			if one.Ask != nil {
				note(one.Ask)
			}
		}
	}
	return all
}

// CrossEntries are what others may call the entry: by its name, and by the labels that it selects its resources by.
func (s *Set) CrossEntries() []cross.Entry {
	entries := []cross.Entry{cross.Named(s.Name)}
	if s.Watch.LabelSelector != "" {
		entries = append(entries, cross.Entry{Labels: s.Watch.LabelSelector})
	}
	return entries
}
