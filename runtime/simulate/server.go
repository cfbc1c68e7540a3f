package simulate

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

// server keeps objects in memory as an API server does, for one caller at a time. Who watches it sees a write before it returns.
type server struct {
	kinds   *kinds
	now     time.Time
	objects map[key]*unstructured.Unstructured
	// applied is what was last applied of an object, to know which fields another apply drops.
	applied  map[key]map[string]any
	watchers []watcher
	// writes counts the changes, and uids the objects that were given one. Resource versions and uids come from them.
	writes, uids int
}

// key is the identity of an object.
type key struct {
	schema.GroupResource
	types.NamespacedName
}

// watcher is the store of an informer.
type watcher struct {
	resource schema.GroupResource
	selector labels.Selector
	// namespace and name are empty where they do not matter.
	namespace, name string
	store           toolscache.Store
}

func newServer(kinds *kinds, now time.Time) *server {
	return &server{kinds: kinds, now: now, objects: map[key]*unstructured.Unstructured{}, applied: map[key]map[string]any{}}
}

// keyOf is the key of an object of any kind.
func (s *server) keyOf(object *unstructured.Unstructured) key {
	return key{
		s.kinds.mapping(object.GroupVersionKind()).Resource.GroupResource(),
		types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()},
	}
}

// watch returns an informer whose store holds what is selected, now and after every write.
func (s *server) watch(_ context.Context, opts informer.Options) (*informer.Informer, error) {
	selector, err := labels.Parse(opts.LabelSelector)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", opts.Resource.Resource, err)
	}
	name, named := strings.CutPrefix(opts.FieldSelector, "metadata.name=")
	if opts.FieldSelector != "" && !named {
		return nil, fmt.Errorf("watch %s: field selector %s", opts.Resource.Resource, opts.FieldSelector)
	}
	still, store := informer.Still(opts.Resource, opts.Indexers)
	w := watcher{resource: opts.Resource.GroupResource(), selector: selector, namespace: opts.Namespace, name: name, store: store}
	for at, object := range s.objects {
		if at.GroupResource == w.resource {
			if err := w.see(object); err != nil {
				return nil, err
			}
		}
	}
	s.watchers = append(s.watchers, w)
	return still, nil
}

func (w watcher) see(object *unstructured.Unstructured) error {
	switch {
	case w.namespace != "" && w.namespace != object.GetNamespace(), w.name != "" && w.name != object.GetName():
		return nil
	case w.selector.Matches(labels.Set(object.GetLabels())):
		return w.store.Add(object) //nolint:wrapcheck // no key function that fails
	}
	return w.store.Delete(object) //nolint:wrapcheck // as above
}

// seed puts an object there as it is, with what every object has. What it lacks is given to it.
func (s *server) seed(object *unstructured.Unstructured) error {
	object = object.DeepCopy()
	s.complete(object)
	_, err := s.store(s.keyOf(object), object)
	return err
}

// complete gives an object what the server gives to a new one.
func (s *server) complete(object *unstructured.Unstructured) {
	if object.GetUID() == "" {
		s.uids++
		object.SetUID(types.UID(fmt.Sprintf("00000000-0000-0000-0001-%012d", s.uids)))
	}
	if object.GetGeneration() == 0 {
		object.SetGeneration(1)
	}
	if created := object.GetCreationTimestamp(); created.IsZero() {
		object.SetCreationTimestamp(metav1.NewTime(s.now))
	}
}

// store keeps the object, which must not be changed any more, shows it to all who watch, and returns a copy.
func (s *server) store(at key, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	s.writes++
	object.SetResourceVersion(strconv.Itoa(s.writes))
	s.objects[at] = object
	for _, w := range s.watchers {
		if w.resource == at.GroupResource {
			if err := w.see(object); err != nil {
				return nil, err
			}
		}
	}
	return object.DeepCopy(), nil
}

func (s *server) remove(at key) error {
	object := s.objects[at]
	s.writes++
	delete(s.objects, at)
	delete(s.applied, at)
	for _, w := range s.watchers {
		if w.resource == at.GroupResource {
			if err := w.store.Delete(object); err != nil {
				return err //nolint:wrapcheck // no key function that fails
			}
		}
	}
	return nil
}

func (s *server) get(at key) (*unstructured.Unstructured, error) {
	object, ok := s.objects[at]
	if !ok {
		return nil, apierrors.NewNotFound(at.GroupResource, at.Name)
	}
	return object, nil
}

func (s *server) create(at key, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if _, there := s.objects[at]; there {
		return nil, apierrors.NewAlreadyExists(at.GroupResource, at.Name)
	}
	created := object.DeepCopy()
	if s.kinds.hasStatus(object.GroupVersionKind()) {
		delete(created.Object, "status")
	}
	if err := s.kinds.admit(created, nil, true); err != nil {
		return nil, err
	}
	s.complete(created)
	s.applied[at] = object.DeepCopy().Object
	return s.store(at, created)
}

// apply makes what is applied true, and takes out what was applied before and is no more.
func (s *server) apply(at key, applied *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	before, err := s.get(at)
	if apierrors.IsNotFound(err) {
		return s.create(at, applied)
	}
	if err != nil {
		return nil, err
	}
	if err := current(at, before, applied); err != nil {
		return nil, err
	}
	content := without(before.Object, s.applied[at], applied.Object)
	next := &unstructured.Unstructured{Object: overlay(content, applied.Object)}
	replaced, err := s.replace(at, before, next, true)
	if err == nil {
		s.applied[at] = applied.DeepCopy().Object
	}
	return replaced, err
}

// merge makes a merge patch true: a part of the status alone, or everything but the status where the kind's has its own endpoint.
func (s *server) merge(at key, patch map[string]any, status bool) (*unstructured.Unstructured, error) {
	before, err := s.get(at)
	if err != nil {
		return nil, err
	}
	if err := current(at, before, &unstructured.Unstructured{Object: patch}); err != nil {
		return nil, err
	}
	if status {
		patch = map[string]any{"status": patch["status"]}
	} else if s.kinds.hasStatus(before.GroupVersionKind()) {
		patch = maps.Clone(patch)
		delete(patch, "status")
	}
	return s.replace(at, before, &unstructured.Unstructured{Object: mergePatch(before.Object, patch)}, false)
}

// updateStatus takes the status of the object and nothing else of it.
func (s *server) updateStatus(at key, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	before, err := s.get(at)
	if err != nil {
		return nil, err
	}
	if err := current(at, before, object); err != nil {
		return nil, err
	}
	next := before.DeepCopy()
	next.Object["status"] = object.DeepCopy().Object["status"]
	return s.replace(at, before, next, false)
}

// replace stores the next state of an object, unless nothing changes. A write that takes the last finalizer of one that is on its way
// out is its end.
func (s *server) replace(at key, before, next *unstructured.Unstructured, strict bool) (*unstructured.Unstructured, error) {
	if err := s.kinds.admit(next, before, strict); err != nil {
		return nil, err
	}
	next.SetResourceVersion(before.GetResourceVersion())
	if reflect.DeepEqual(next.Object, before.Object) {
		return before.DeepCopy(), nil
	}
	if !reflect.DeepEqual(desired(next), desired(before)) {
		next.SetGeneration(before.GetGeneration() + 1)
	}
	if next.GetDeletionTimestamp() != nil && len(next.GetFinalizers()) == 0 {
		return next.DeepCopy(), s.remove(at)
	}
	return s.store(at, next)
}

// desired is what a change of makes another generation.
func desired(object *unstructured.Unstructured) map[string]any {
	content := maps.Clone(object.Object)
	delete(content, "metadata")
	delete(content, "status")
	return content
}

// deletes ends an object, or marks it as on its way out while it has finalizers.
func (s *server) deletes(at key, uid *types.UID) error {
	object, err := s.get(at)
	if err != nil {
		return err
	}
	if uid != nil && *uid != object.GetUID() {
		return apierrors.NewConflict(at.GroupResource, at.Name, fmt.Errorf("the uid is %s", object.GetUID()))
	}
	if len(object.GetFinalizers()) == 0 {
		return s.remove(at)
	}
	if object.GetDeletionTimestamp() != nil {
		return nil
	}
	object = object.DeepCopy()
	object.SetDeletionTimestamp(new(metav1.NewTime(s.now)))
	_, err = s.store(at, object)
	return err
}

// current is the error of a write that was made from another state than the object is in.
func current(at key, before, write *unstructured.Unstructured) error {
	if version := write.GetResourceVersion(); version != "" && version != before.GetResourceVersion() {
		return apierrors.NewConflict(at.GroupResource, at.Name, fmt.Errorf("resource version %s is not %s", version, before.GetResourceVersion()))
	}
	return nil
}
