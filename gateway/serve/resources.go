package serve

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
)

// pathList is the path of a list, and what the paths of single resources begin with.
const pathList = "/api/v1/resources/{kind}/{namespace}"

// everywhere stands in a path for all namespaces.
const everywhere = "*"

// place is what the path of a request names.
type place struct {
	*Surface
	namespace, name string
	// where it is.
	where somewhere
}

// placeOf finds what a path names, if the caller may do that there.
func (a *API) placeOf(c *call, operation orkv1.ServeOperation) (*place, error) {
	s, err := a.named(c, c.PathValue("kind"), onResources, operation)
	if err != nil {
		return nil, err
	}
	p := &place{Surface: s, namespace: c.PathValue("namespace"), name: c.PathValue("name")}
	switch {
	case !s.CRD.Namespaced && p.namespace != noNamespace:
		return nil, badRequest("%s is cluster-scoped: put - in place of the namespace", s.CRD.GVK.Kind)
	case !s.CRD.Namespaced, p.namespace == everywhere && operation == "list":
		p.namespace = ""
	}
	if s.CRD.Namespaced && p.namespace == "" {
		for _, tokens := range s.tokens {
			if granted, ok := tokens[c.caller.Name]; ok && len(granted.Namespaces) > 0 {
				return nil, &deniedError{"token " + c.caller.Name + " may not read all namespaces"}
			}
		}
	}
	if err := s.allows(c.caller.Name, onResources, operation, p.namespace); err != nil {
		return nil, err
	}
	if err := p.wellNamed(); err != nil {
		return nil, err
	}
	p.where, err = a.readFrom(c, s)
	return p, err
}

// wellNamed tells whether the namespace and the name are such as there may be: a cluster is not even asked about others.
func (p *place) wellNamed() error {
	if p.namespace != "" {
		if wrong := validation.IsDNS1123Label(p.namespace); len(wrong) > 0 {
			return badRequest("%s cannot be a namespace: %s", strconv.Quote(p.namespace), wrong[0])
		}
	}
	if p.name != "" {
		if wrong := validation.IsDNS1123Subdomain(p.name); len(wrong) > 0 {
			return badRequest("%s cannot be the name of a resource: %s", strconv.Quote(p.name), wrong[0])
		}
	}
	return nil
}

// read reads the resource that a path names, if the caller may do that to it.
func (p *place) read(c *call, operation orkv1.ServeOperation) (*unstructured.Unstructured, error) {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(p.CRD.GVK)
	if err := p.where.Get(c.Context(), client.ObjectKey{Namespace: p.namespace, Name: p.name}, found); err != nil {
		return nil, p.where.failed(err)
	}
	return found, p.mayTouch(c, found, operation)
}

// mayTouch tells whether a caller may do something to a resource that came by another surface than the one that the path names: that one's tokens are
// asked as well. What the caller may not even read there is as nothing.
func (p *place) mayTouch(c *call, found *unstructured.Unstructured, operation orkv1.ServeOperation) error {
	own := p.CRD.Surfaces[roots.Target(found)]
	if own == nil || own == p.Surface {
		return nil
	}
	err := own.allows(c.caller.Name, onResources, operation, found.GetNamespace())
	if err != nil && own.allows(c.caller.Name, onResources, "get", found.GetNamespace()) != nil {
		return apierrors.NewNotFound(p.CRD.Resource.GroupResource(), found.GetName())
	}
	return err
}

// of is the surface whose answers a resource has: the one that was asked for by an alias, else its own.
func (p *place) of(found *unstructured.Unstructured) *Surface {
	if p.Alias() != "" {
		return p.Surface
	}
	return cmp.Or(p.CRD.Surfaces[found.GetAnnotations()[orkv1.AnnotationServeAlias]], p.Surface)
}

// one is a field of a resource.
type one struct {
	Name  string `json:"name"`
	Field string `json:"field"`
	Value any    `json:"value"`
}

// get answers a resource, or a field of it.
func (a *API) get(c *call) (*answer, error) {
	p, err := a.placeOf(c, "get")
	if err != nil {
		return nil, err
	}
	asked, path, err := fieldAsked(c)
	if err != nil {
		return nil, err
	}
	found, err := p.read(c, "get")
	if err != nil {
		return nil, err
	}
	if path != nil {
		value, ok := p.of(found).fieldOf(found, asked, path)
		if !ok {
			return nil, &apiError{status: http.StatusNotFound, short: "field_not_found", detail: "the resource has no field " + strconv.Quote(asked)}
		}
		return &answer{status: http.StatusOK, body: one{Name: p.name, Field: asked, Value: value}}, nil
	}
	return &answer{status: http.StatusOK, body: p.of(found).show(found)}, nil
}

// show is what a surface answers of a resource.
func (s *Surface) show(found *unstructured.Unstructured) map[string]any {
	parts := s.parts(found)
	if s.response.bare {
		return parts.Payload
	}
	if parts.Object == nil { // it can't be told what of it is shown
		parts.Object = map[string]any{}
	}
	if parts.Payload != nil {
		parts.Object["payload"] = parts.Payload
	}
	return parts.Object
}

// shownParts are those of an answer: the resource, nil where it is not shown, and the payload, nil where there is none.
type shownParts struct {
	Object  map[string]any `json:"object,omitzero"`
	Payload map[string]any `json:"payload,omitzero"`
}

// parts are what a surface tells of a resource.
func (s *Surface) parts(found *unstructured.Unstructured) shownParts {
	found.SetManagedFields(nil)
	payload := s.response.payloadOf(found)
	switch {
	case !s.response.bare:
		return shownParts{Object: s.response.shown(found), Payload: payload}
	case payload == nil:
		payload = map[string]any{}
	}
	return shownParts{Payload: payload}
}

// fieldAsked is the path of the field that a request asks for alone, as it is written and as it is read. Nil: it asks for none.
func fieldAsked(c *call) (text string, path template.Path, err error) {
	if text = c.URL.Query().Get("field"); text == "" {
		return "", nil, nil
	}
	if path, err = rules.ParsePath(text); err != nil {
		return "", nil, badRequest("field: %s", err)
	}
	return text, path, nil
}

// fieldOf is a value at a path of what is answered of a resource. What that does not show is not there, but for the field that callers are sent to.
func (s *Surface) fieldOf(found *unstructured.Unstructured, asked string, path template.Path) (any, bool) {
	object := found.Object
	if asked != s.response.field {
		object = s.show(found)
	}
	value, ok, err := unstructured.NestedFieldNoCopy(object, path...)
	return value, ok && err == nil
}

// listed is the answer to a list.
type listed struct {
	Total    int    `json:"total"`
	Limit    int64  `json:"limit,omitempty"`
	Continue string `json:"continue,omitempty"`
	Items    []any  `json:"items"`
}

// mostListed bounds a list.
const mostListed = 500

// list answers resources.
func (a *API) list(c *call) (*answer, error) {
	p, err := a.placeOf(c, "list")
	if err != nil {
		return nil, err
	}
	asked, path, err := fieldAsked(c)
	if err != nil {
		return nil, err
	}
	query := c.URL.Query()
	limit := int64(100)
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.ParseInt(text, 10, 32); err != nil || limit < 1 || limit > mostListed {
			return nil, badRequest("limit must be a number from 1 to %d", mostListed)
		}
	}
	selector, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		return nil, badRequest("labelSelector: %s", err)
	}
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(p.CRD.GVK.GroupVersion().WithKind(p.CRD.GVK.Kind + "List"))
	if err := p.where.List(c.Context(), found, client.InNamespace(p.namespace), client.Limit(limit), client.Continue(query.Get("continue")),
		client.MatchingLabelsSelector{Selector: selector}); err != nil {
		if apierrors.IsBadRequest(err) && query.Get("continue") != "" { // all else of the request was looked at
			return nil, badRequest("continue is nothing that a list has answered")
		}
		return nil, p.where.failed(err)
	}
	found.Items = slices.DeleteFunc(found.Items, func(item unstructured.Unstructured) bool { return p.mayTouch(c, &item, "list") != nil })
	out := listed{Total: len(found.Items), Limit: limit, Continue: found.GetContinue(), Items: make([]any, 0, len(found.Items))}
	if left := found.GetRemainingItemCount(); left != nil {
		out.Total += int(*left)
	}
	for i := range found.Items {
		item := &found.Items[i]
		if path != nil {
			value, _ := p.of(item).fieldOf(item, asked, path)
			out.Items = append(out.Items, one{Name: item.GetName(), Field: asked, Value: value})
			continue
		}
		out.Items = append(out.Items, p.of(item).parts(item))
	}
	return &answer{status: http.StatusOK, body: out}, nil
}

// remove deletes a resource, unless it is protected. The webhook that denies it asks about the gateway's account, which may be one that it lets
// through, and not about the caller. What is deleted is what was looked at.
func (a *API) remove(c *call) (*answer, error) {
	p, err := a.placeOf(c, "delete")
	if err != nil {
		return nil, err
	}
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		found, err := p.read(c, "delete")
		if err != nil {
			return err
		}
		if protection.Protected(found) {
			return &deniedError{protection.Refusal(p.CRD.GVK.Kind, found)}
		}
		seen := client.Preconditions{UID: new(found.GetUID()), ResourceVersion: new(found.GetResourceVersion())}
		return p.where.Delete(c.Context(), found, seen) //nolint:wrapcheck // the API server's, told from others below
	})
	if err != nil {
		return nil, p.where.failed(err)
	}
	return &answer{status: http.StatusNoContent}, nil
}

// unnamed answers who wants to delete a resource, and does not say which.
func unnamed(*call) (*answer, error) {
	return nil, badRequest("which resource is to be deleted is not said: its name stands behind the namespace, %s/{name}", pathList)
}
