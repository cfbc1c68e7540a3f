package informer

import (
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Selection is what one informer of a Pool lists and watches.
type Selection struct {
	schema.GroupVersionKind
	// Namespace, Name and LabelSelector restrict it, on the server. Empty ones do not.
	Namespace, Name, LabelSelector string
	// ManagedFields are kept in memory.
	ManagedFields bool
}

// String is the kind with its group, and what restricts the selection.
func (s Selection) String() string {
	text := s.GroupKind().String()
	switch {
	case s.Namespace != "" && s.Name != "":
		text += " " + s.Namespace + "/" + s.Name
	case s.Name != "":
		text += " " + s.Name
	case s.Namespace != "":
		text += " of " + s.Namespace
	}
	if s.LabelSelector != "" {
		text += " with " + s.LabelSelector
	}
	return text
}

// Pool runs one informer for each selection that somebody holds. Its methods may be called concurrently.
type Pool struct {
	start  Starter
	mapper meta.RESTMapper

	mu     sync.RWMutex // guards shared, and the holders in it
	shared map[Selection]*pooled
}

// pooled is an informer while somebody holds it.
type pooled struct {
	*Informer
	holders map[string]struct{}
}

// NewPool returns an empty Pool whose informers come from start.
func NewPool(start Starter, mapper meta.RESTMapper) *Pool {
	return &Pool{start: start, mapper: mapper, shared: map[Selection]*pooled{}}
}

// Hold starts the informer of a selection unless it runs, and keeps it running until holder releases it. It does not wait for the first
// list. A kind that is not installed is a *MissingKindError.
func (p *Pool) Hold(ctx context.Context, holder string, s Selection) (*Informer, error) {
	if running := p.join(holder, s); running != nil {
		return running, nil
	}
	mapping, err := Lookup(p.mapper, s.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	opts := Options{
		Resource: mapping.Resource, Namespace: s.Namespace, LabelSelector: s.LabelSelector, KeepManagedFields: s.ManagedFields,
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		opts.Namespace = ""
	}
	if s.Name != "" {
		opts.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.Name).String()
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if held, ok := p.shared[s]; ok { // since it was looked up
		held.holders[holder] = struct{}{}
		return held.Informer, nil
	}
	// The informer outlives the call: it ends when the last holder releases it.
	running, err := p.start(context.WithoutCancel(ctx), opts)
	if err != nil {
		return nil, err
	}
	p.shared[s] = &pooled{Informer: running, holders: map[string]struct{}{holder: {}}}
	return running, nil
}

func (p *Pool) join(holder string, s Selection) *Informer {
	p.mu.Lock()
	defer p.mu.Unlock()
	held, ok := p.shared[s]
	if !ok {
		return nil
	}
	held.holders[holder] = struct{}{}
	return held.Informer
}

// Get returns the informer of a selection that somebody holds, or nil.
func (p *Pool) Get(s Selection) *Informer {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if held, ok := p.shared[s]; ok {
		return held.Informer
	}
	return nil
}

// Selections lists what somebody holds, in no order.
func (p *Pool) Selections() []Selection {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Collect(maps.Keys(p.shared))
}

// Release ends the holder's interest in all selections, and returns when the informers that nobody else holds have ended.
func (p *Pool) Release(holder string) {
	for _, one := range p.drop(holder) {
		one.Stop()
	}
}

func (p *Pool) drop(holder string) []*Informer {
	p.mu.Lock()
	defer p.mu.Unlock()
	var idle []*Informer
	for selection, held := range p.shared {
		if _, ok := held.holders[holder]; !ok {
			continue
		}
		delete(held.holders, holder)
		if len(held.holders) == 0 {
			delete(p.shared, selection)
			idle = append(idle, held.Informer)
		}
	}
	return idle
}
