package box

import (
	"errors"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// EventSelection selects all Kubernetes Events: one informer serves every declaration.
var EventSelection = informer.Selection{GroupVersionKind: eventsv1.SchemeGroupVersion.WithKind("Event")}

// EventWatch observes Kubernetes Events. All that is set must match.
type EventWatch struct {
	// Name under which conditions see the Event.
	Name string
	// Texts are what fields of the Event must be, by their names. Reason and type, for two.
	Texts map[string]string
	// Namespace and EventName are those of the Event itself. Empty: any.
	Namespace, EventName string
	// Regarding and Related are nil for any.
	Regarding, Related *Reference
	On                 Changes
	KeyFrom            *KeyFrom
	Gate               *gate.Gate
}

// PerResource tells whether the Events that match differ from resource to resource.
func (e *EventWatch) PerResource() bool { return e.Regarding.perResource() || e.Related.perResource() }

// Steady tells whether those of a resource change with the resource alone, not through time.
func (e *EventWatch) Steady() bool { return !e.Regarding.flows() && !e.Related.flows() }

// Reference is a selector of the object that an Event is about.
type Reference struct {
	// Group and Kind of the object. A nil Group, and an empty Kind, are any.
	Group *string
	Kind  string
	// Name and Namespace are nil for any. A template that renders to nothing matches nothing.
	Name, Namespace *template.Program
}

func (r *Reference) programs() []*template.Program {
	if r == nil {
		return nil
	}
	var all []*template.Program
	for _, program := range []*template.Program{r.Name, r.Namespace} {
		if program != nil {
			all = append(all, program)
		}
	}
	return all
}

func (r *Reference) perResource() bool {
	for _, program := range r.programs() {
		if !program.Static() {
			return true
		}
	}
	return false
}

func (r *Reference) flows() bool {
	for _, program := range r.programs() {
		if program.Flows() {
			return true
		}
	}
	return false
}

// Wanted is a Reference with its texts rendered. It is comparable.
type Wanted struct {
	name, namespace       string
	anyName, anyNamespace bool
}

// errNothing says that a text rendered to nothing.
var errNothing = errors.New("renders to nothing")

// Render renders what a resource wants. An error means that nothing matches.
func (r *Reference) Render(facts template.Facts) (w Wanted, err error) {
	w.anyName, w.anyNamespace = r == nil || r.Name == nil, r == nil || r.Namespace == nil
	if !w.anyName {
		w.name, err = rendered(r.Name, facts)
	}
	if err == nil && !w.anyNamespace {
		w.namespace, err = rendered(r.Namespace, facts)
	}
	return w, err
}

func rendered(program *template.Program, facts template.Facts) (string, error) {
	text, err := program.Text(facts)
	if text = strings.TrimSpace(text); err == nil && text == "" {
		err = errNothing
	}
	return text, err //nolint:wrapcheck // names the expression
}

// Matches tells whether an object reference of an Event, by its keys, names what is wanted.
func (w Wanted) Matches(reference map[string]any) bool {
	name, _ := reference["name"].(string)
	namespace, _ := reference["namespace"].(string)
	return (w.anyName || w.name == name) && (w.anyNamespace || w.namespace == namespace)
}

// MatchesKind tells whether an object reference of an Event is of the group and kind. Any version of them will do.
func (r *Reference) MatchesKind(reference map[string]any) bool {
	if r == nil {
		return true
	}
	apiVersion, _ := reference["apiVersion"].(string)
	kind, _ := reference["kind"].(string)
	gv, err := schema.ParseGroupVersion(apiVersion)
	return (r.Group == nil || err == nil && *r.Group == gv.Group) && (r.Kind == "" || r.Kind == kind)
}

// ObservesEvents tells whether any box observes Events.
func (s *Set) ObservesEvents() bool {
	for _, b := range s.Boxes() {
		if len(b.EventWatches) > 0 {
			return true
		}
	}
	return false
}

// EventObservation is an event watch of one of the boxes of a Set.
type EventObservation struct {
	Box   *Box
	Watch *EventWatch
}

// EventObservations lists the event watches of all boxes.
func (s *Set) EventObservations() []EventObservation {
	var all []EventObservation
	for _, b := range s.Boxes() {
		for _, watch := range b.EventWatches {
			all = append(all, EventObservation{Box: b, Watch: watch})
		}
	}
	return all
}

func (c *compiler) eventWatch(name string, declared *orkv1.EventWatch, at *field.Path) *EventWatch {
	e := &EventWatch{
		Name: name, Texts: map[string]string{}, Namespace: declared.Namespace, EventName: declared.Name,
		Regarding: c.reference(declared.Regarding, at.Child("regarding")),
		Related:   c.reference(declared.Related, at.Child("related")),
		On:        changes(declared.On),
		KeyFrom:   c.keyFrom(declared.KeyFrom, "events", at.Child("keyFrom")),
	}
	for key, value := range map[string]string{
		"reason": declared.Reason, "action": declared.Action, "type": string(declared.Type),
		"reportingController": declared.ReportingController, "reportingInstance": declared.ReportingInstance,
	} {
		if value != "" {
			e.Texts[key] = value
		}
	}
	e.Gate = c.observedGate(declared.EnqueueGate, at.Child("enqueueGate"))
	return e
}

func (c *compiler) reference(declared *orkv1.ObjectSelector, at *field.Path) *Reference {
	if declared == nil {
		return nil
	}
	r := &Reference{Kind: declared.Kind}
	if declared.APIVersion != "" {
		gv, err := schema.ParseGroupVersion(declared.APIVersion)
		if err != nil || gv.Version == "" {
			c.report(field.Invalid(at.Child("apiVersion"), declared.APIVersion, "want a version such as v1, or a group and a version such as apps/v1"))
		}
		r.Group = &gv.Group
	}
	if declared.Name != "" {
		r.Name = c.selecting(declared.Name, "", at.Child("name"))
	}
	if declared.Namespace != "" {
		r.Namespace = c.selecting(declared.Namespace, "", at.Child("namespace"))
	}
	return r
}

// dotted lists roots as texts name them.
func dotted(roots []string) string { return "." + strings.Join(roots, ", .") }
