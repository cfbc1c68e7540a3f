package katalogs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Engine runs Katalogs.
type Engine interface {
	// Replace takes other Katalogs in the place of all that run.
	Replace(katalogs ...*orkv1.Katalog) error
}

// Collection is the union of the Katalogs of all sources. It may be used concurrently.
type Collection struct {
	engine Engine

	mu      sync.Mutex // guards the rest; held while the engine replaces, so that two changes come one after the other
	files   *source
	objects map[string]*source // by name
}

// New returns the Collection of an engine that runs the Katalogs of the files already.
func New(engine Engine, files []*orkv1.Katalog) *Collection {
	return &Collection{
		engine:  engine,
		files:   &source{name: "the files", wanted: files, running: files},
		objects: map[string]*source{},
	}
}

// source is where Katalogs come from: all files together, or one object.
type source struct {
	name string // in messages
	// wanted is what it says now, nil when that is wrong. Running is what the engine runs of it.
	wanted, running []*orkv1.Katalog
	// age orders objects: the older one first.
	age string
	// generation is that of wanted, and runs that of running.
	generation, runs int64
}

// ConflictError says that another source declares the same.
type ConflictError struct {
	// What both declare, and Other who has it.
	What, Other string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s is declared by %s already; remove it there first, or here", e.What, e.Other)
}

// SetFiles takes other files. With an error everything goes on as it was.
func (c *Collection) SetFiles(katalogs []*orkv1.Katalog) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files.wanted = katalogs
	lost, err := c.settleLocked()
	if conflict := lost[c.files]; conflict != nil {
		err = errors.Join(conflict, err)
	}
	if err != nil {
		c.files.wanted = c.files.running
	}
	return err
}

// Object is one Katalog object.
type Object struct {
	Name string
	// Age orders objects: among two that are new, the one whose age sorts first has precedence.
	Age        string
	Generation int64
	// Katalog is what it says, nil when that is wrong.
	Katalog *orkv1.Katalog
}

// Verdict is what became of an object.
type Verdict struct {
	// Conflict tells that the object as it is now does not run, because another source declares the same.
	Conflict *ConflictError
	// Runs is the generation that runs, 0 for none.
	Runs int64
	// Running is what runs of the object, nil for nothing.
	Running *orkv1.Katalog
}

// SetObjects takes other objects in the place of all there were, and tells by name what became of each. An object that is wrong, or in
// conflict, runs as it did when it was right last.
func (c *Collection) SetObjects(objects []Object) (map[string]Verdict, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[string]*source{}
	for _, object := range objects {
		one := c.objects[object.Name]
		if one == nil || one.age != object.Age { // another object of that name is not the one that ran
			one = &source{name: "Katalog object " + object.Name, age: object.Age}
		}
		one.generation, one.wanted = object.Generation, nil
		if object.Katalog != nil {
			one.wanted = []*orkv1.Katalog{object.Katalog}
		}
		next[object.Name] = one
	}
	c.objects = next
	lost, err := c.settleLocked()
	verdicts := make(map[string]Verdict, len(next))
	for name, one := range next {
		verdict := Verdict{Conflict: lost[one], Runs: one.runs}
		if len(one.running) > 0 {
			verdict.Running = one.running[0]
		}
		verdicts[name] = verdict
	}
	return verdicts, err
}

// settleLocked has the engine run what the sources say, and returns those that are in conflict with others.
func (c *Collection) settleLocked() (map[*source]*ConflictError, error) {
	sources := c.sourcesLocked()
	lost := conflicts(sources)
	all := make([]*orkv1.Katalog, 0, len(sources))
	for _, one := range sources {
		all = append(all, one.chosen(lost)...)
	}
	if err := c.engine.Replace(all...); err != nil {
		return lost, err //nolint:wrapcheck // names the Katalog
	}
	for _, one := range sources {
		if one.wanted != nil && lost[one] == nil {
			one.runs = one.generation
		}
		one.running = one.chosen(lost)
	}
	return lost, nil
}

// sourcesLocked are all, the earlier ones first.
func (c *Collection) sourcesLocked() []*source {
	sources := make([]*source, 0, 1+len(c.objects))
	sources = append(sources, c.files)
	for _, one := range c.objects {
		sources = append(sources, one)
	}
	slices.SortFunc(sources[1:], func(a, b *source) int {
		return cmp.Or(cmp.Compare(a.age, b.age), cmp.Compare(a.name, b.name))
	})
	return sources
}
