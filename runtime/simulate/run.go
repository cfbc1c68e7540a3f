package simulate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
)

// Run simulates the resources in the order in which they are given, and those of their children that a Katalog operates. Each finds what
// the others made. An error tells what is wrong with the scene; what goes wrong with a resource is in the result.
func Run(ctx context.Context, opts Options) (*Result, error) {
	if err := opts.setDefaults(); err != nil {
		return nil, err
	}
	entries, err := compile(opts.Katalogs, opts.Registry)
	if err != nil {
		return nil, err
	}
	others, stubs, err := answersOf(opts.Roots, entries)
	if err != nil {
		return nil, err
	}
	var git map[string]any
	opts.Roots, git = gitOf(others, entries)
	s := &simulation{
		git: git, stubs: stubs, opts: opts, entries: entries, kinds: newKinds(opts.Define), observed: map[key]*unstructured.Unstructured{}, chance: chance(),
	}
	s.server = newServer(s.kinds, opts.Now)
	s.store = children.NewStoreOf(s.server.watch, s.kinds)
	s.sources = sources.NewStoreOf(s.server.watch, s.kinds)
	s.applier = apply.New(client{s.server}, s.store)
	defer func() {
		for _, one := range entries {
			s.store.Release(one.name)
		}
		for _, one := range s.actors {
			one.sources.Close()
		}
	}()

	result := &Result{}
	if result.Warnings, err = s.addKinds(); err != nil {
		return nil, err
	}
	resources, err := s.populate()
	if err != nil {
		return nil, err
	}
	for _, one := range resources {
		if err := s.enter(ctx, one); err != nil {
			return nil, err
		}
	}
	if err := s.play(ctx); err != nil {
		return nil, err
	}
	for _, one := range s.actors {
		one.take()
		result.Resources = append(result.Resources, one.outcome)
	}
	return result, nil
}

// play runs the cycles of all resources until nothing changes, and then, if that is asked for, their ends.
func (s *simulation) play(ctx context.Context) error {
	for before := -1; s.server.writes != before; { // there are only so many cycles that change something
		before = s.server.writes
		for i := 0; i < len(s.actors); i++ { //nolint:intrange // their number grows
			s.actors[i].settle(ctx)
			if err := s.enterChildren(ctx); err != nil {
				return err
			}
		}
	}
	for _, one := range s.actors {
		if err := one.end(ctx); err != nil {
			return err
		}
	}
	return nil
}

// enterChildren has those children that a Katalog operates be resources as well, in the order of their names.
func (s *simulation) enterChildren(ctx context.Context) error {
	var born []*resource
	for _, object := range s.server.objects {
		operator := s.entryOf(object)
		if operator == nil || metav1.GetControllerOf(object) == nil || object.GroupVersionKind() != operator.set.GVK {
			continue
		}
		known := slices.ContainsFunc(s.actors, func(a *actor) bool { return a.is(object) })
		if _, selected := operator.selects(object); selected && !known {
			born = append(born, &resource{entry: operator, object: object, child: true})
		}
	}
	slices.SortFunc(born, func(a, b *resource) int { return strings.Compare(a.String(), b.String()) })
	for _, one := range born {
		if err := s.enter(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// simulation is a scene in which resources are simulated.
type simulation struct {
	opts    Options
	entries []*entry
	kinds   *kinds
	server  *server
	store   *children.Store
	applier *apply.Applier
	// stubs answer external calls.
	stubs answers
	// git is what a repository is at. Nil: none is fetched.
	git map[string]any
	// observed are the children that are given, as they are given.
	observed map[key]*unstructured.Unstructured
	sources  *sources.Store
	// chance is what random functions draw from.
	chance func([]byte)
	// actors are all resources, those given first.
	actors []*actor
}

// addKinds makes the kinds known that the scene has.
func (s *simulation) addKinds() (guesses []string, err error) {
	for _, one := range s.entries {
		if one.files.CRD == nil {
			continue
		}
		if err := s.kinds.add(one.files.CRD); err != nil {
			return nil, err
		}
	}
	lists := [][]*unstructured.Unstructured{s.opts.Objects, s.opts.Children}
	for _, one := range s.entries {
		lists = append(lists, one.files.Setup)
	}
	for _, list := range lists {
		for _, object := range list {
			if err := s.kinds.addObject(object); err != nil {
				return nil, err
			}
		}
	}
	for _, one := range s.entries {
		guesses = append(guesses, one.addKinds(s.kinds)...)
	}
	return guesses, nil
}

// entryOf returns the entry that operates the object's kind, or nil.
func (s *simulation) entryOf(object *unstructured.Unstructured) *entry {
	for _, one := range s.entries {
		if one.operates(object) {
			return one
		}
	}
	return nil
}

// placed returns a copy of the object with its namespace: the one given, unless it names one or its kind has none.
func (s *simulation) placed(object *unstructured.Unstructured, namespace string) *unstructured.Unstructured {
	object = object.DeepCopy()
	switch {
	case !s.kinds.namespaced(object.GroupVersionKind()):
		object.SetNamespace("")
	case object.GetNamespace() == "":
		object.SetNamespace(namespace)
	}
	return object
}

// resource is one that is simulated.
type resource struct {
	*entry
	object *unstructured.Unstructured
	// old is the resource as it was before the last change. Nil: it is new.
	old *unstructured.Unstructured
	// notes are warnings of the server, and refused is why it would not take the resource.
	notes   []string
	refused error
	// child tells that another resource made it.
	child bool
}

func (r *resource) String() string { return qualified(r.object, r.object.GetKind()) }

func duplicate(r *resource) error {
	return fmt.Errorf("%s is there twice; leave one of them out", r)
}
