package live

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/livehttp"
)

// item is one resource in a list.
type item struct {
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
	Phase      string `json:"phase"`
	Ready      bool   `json:"ready"`
	Age        string `json:"age"`
	Generation int64  `json:"generation"`
	// Value of the field that was asked for, null where a resource has none.
	Value *any `json:"value,omitempty"`
}

// items is a list of resources.
type items struct {
	CRD   string `json:"crd"`
	Total int    `json:"total"`
	Field string `json:"field,omitempty"`
	Items []item `json:"items"`
}

func (a *api) item(one Resource) item {
	phase, _, _ := unstructured.NestedString(one.Object.Object, "status", "phase")
	return item{
		Name: one.Object.GetName(), Namespace: one.Object.GetNamespace(), Phase: phase, Ready: one.Ready,
		Age: a.age(one.Object.GetCreationTimestamp().Time), Generation: one.Object.GetGeneration(),
	}
}

func (a *api) resources(w http.ResponseWriter, r *http.Request, v view) {
	text := r.URL.Query().Get("field")
	var path template.Path
	if r.URL.Query().Has("field") {
		var err error
		if path, err = rules.ParsePath(text); err != nil {
			livehttp.Refuse(w, http.StatusBadRequest, "BadField", "field: "+err.Error())
			return
		}
	}
	answered := items{CRD: v.Name, Field: strings.TrimPrefix(text, "."), Items: []item{}}
	for _, one := range a.source.Resources(v.Name) {
		next := a.item(one)
		if path != nil {
			value := fieldOf(one.Object, path)
			next.Value = &value
		}
		answered.Items = append(answered.Items, next)
	}
	answered.Total = len(answered.Items)
	livehttp.Answer(w, http.StatusOK, answered)
}

// fieldOf is the value at a path of the resource, without what is secret. It is nil where there is none.
func fieldOf(object *unstructured.Unstructured, path template.Path) any {
	var value any = shown(object)
	for _, key := range path {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	return value
}

// shown is a copy of the resource without what is secret.
func shown(object *unstructured.Unstructured) map[string]any {
	copied := runtime.DeepCopyJSON(object.Object)
	if metadata, ok := copied["metadata"].(map[string]any); ok {
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, "kubectl.kubernetes.io/last-applied-configuration") // the resource once more, as a text
		}
	}
	hidden, _ := hide(copied).(map[string]any)
	return hidden
}

// child is one child of a resource.
type child struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Ready     bool   `json:"ready"`
}

// resource is one resource alone.
type resource struct {
	item
	Spec           any                `json:"spec"`
	Status         any                `json:"status"`
	Children       map[string][]child `json:"children"`
	EventsEndpoint string             `json:"eventsEndpoint"`
}

// one looks up the resource of the path. Without a namespace the name must be that of one resource only.
func (a *api) one(next func(http.ResponseWriter, *http.Request, view, Resource)) func(http.ResponseWriter, *http.Request, view) {
	return func(w http.ResponseWriter, r *http.Request, v view) {
		namespace, name := r.PathValue("namespace"), r.PathValue("name")
		var found []Resource
		for _, one := range a.source.Resources(v.Name) {
			if one.Object.GetName() == name && (namespace == "" || one.Object.GetNamespace() == namespace) {
				found = append(found, one)
			}
		}
		switch len(found) {
		case 0:
			livehttp.Refuse(w, http.StatusNotFound, "NotFound", "CRD "+v.Name+" has no resource "+strings.TrimPrefix(namespace+"/"+name, "/"))
		case 1:
			next(w, r, v, found[0])
		default:
			livehttp.Refuse(w, http.StatusBadRequest, "Ambiguous", "there are several resources "+name+": ask for /katalog/"+v.Name+"/cr/<namespace>/"+name)
		}
	}
}

func (a *api) detail(w http.ResponseWriter, _ *http.Request, v view, one Resource) {
	object := shown(one.Object)
	answered := resource{item: a.item(one), Spec: object["spec"], Status: object["status"], Children: map[string][]child{}}
	name := types.NamespacedName{Namespace: one.Object.GetNamespace(), Name: one.Object.GetName()}
	answered.EventsEndpoint = "/katalog/" + v.Name + "/cr/" + strings.TrimPrefix(name.String(), "/") + "/events"
	for _, one := range a.source.Children(v.Name, name) {
		answered.Children[one.GetKind()] = append(answered.Children[one.GetKind()],
			child{Name: one.GetName(), Namespace: one.GetNamespace(), Ready: isReady(one)})
	}
	livehttp.Answer(w, http.StatusOK, answered)
}

// event is one Event of a resource.
type event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Age     string `json:"age"`
}

// eventsAtMost bounds how many are told.
const eventsAtMost = 100

func (a *api) events(w http.ResponseWriter, r *http.Request, _ view, one Resource) {
	found, err := a.source.Events(r.Context(), one.Object)
	if err != nil {
		livehttp.Refuse(w, http.StatusBadGateway, "EventsUnreadable", hideIn(err.Error()))
		return
	}
	slices.SortStableFunc(found, func(a, b Event) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	list := []event{}
	for _, one := range found[:min(len(found), eventsAtMost)] {
		list = append(list, event{Type: one.Type, Reason: one.Reason, Message: hideIn(one.Message), Age: a.age(one.Last)})
	}
	livehttp.Answer(w, http.StatusOK, map[string]any{"total": len(list), "items": list})
}
