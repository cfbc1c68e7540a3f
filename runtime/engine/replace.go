package engine

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// Replace takes other Katalogs in the place of those that the engine has. An entry that is as it was goes on undisturbed; one that
// changed starts anew; one that is gone ends: its controller, its informer and those of its children's kinds that nobody else needs.
// Replace returns when those have ended. What becomes of the resources and children of an entry that is gone, its onRemoval tells; that
// is done afterwards. When a Katalog is wrong, nothing changes.
func (e *Engine) Replace(katalogs ...*orkv1.Katalog) error {
	e.replacing.Lock()
	defer e.replacing.Unlock()
	next, err := e.compile(katalogs)
	if err != nil {
		return err
	}
	var gone []*entry
	for _, one := range e.all() {
		if successor, ok := next[one.set.Name]; ok && reflect.DeepEqual(successor.declared, one.declared) {
			successor.metrics.Remove()
			next[one.set.Name] = one
		} else {
			gone = append(gone, one)
		}
	}
	if err := e.construct(next); err != nil {
		for name, one := range next {
			if e.entry(name) != one {
				one.metrics.Remove()
			}
		}
		return err
	}
	// An entry that takes the place of one of its name must not start before that has ended.
	retire(gone)
	succeed(gone, next)
	e.call(rosterOf(katalogs))
	e.mu.Lock()
	e.entries, e.katalogs = next, katalogs
	e.mu.Unlock()
	for _, one := range gone {
		if next[one.set.Name] == nil {
			one.tellCrossed()
		}
	}
	e.removeSeries(gone)
	e.wakeUp(removedEntries, 0)
	for name := range next {
		e.wakeUp(name, 0)
	}
	return nil
}

// succeed has entries that take the place of others of the same kind show what those had, until they have started.
func succeed(gone []*entry, next map[string]*entry) {
	for _, one := range gone {
		successor := next[one.set.Name]
		if successor != nil && successor.set.GVK == one.set.GVK && successor.set.Watch == one.set.Watch {
			successor.former.Store(one.former.Load())
		}
		one.former.Store(nil)
	}
}

// declared is all that an entry is compiled from.
type declared struct {
	katalog    string
	finalizers []string
	notes      *orkv1.Notes
	profiles   *orkv1.Profiles
	security   *orkv1.Security
	// claims are those of the providers that the entry needs.
	claims []orkv1.ProviderClaim
	crd    orkv1.CRD
}

// alone is a Katalog of nothing but the entry.
func (d declared) alone(name string) *orkv1.Katalog {
	katalog := &orkv1.Katalog{Notes: d.notes, Profiles: d.profiles, Security: d.security, Providers: d.claims}
	katalog.Name = d.katalog
	katalog.Spec.Finalizers = d.finalizers
	katalog.Spec.CRDs = map[string]orkv1.CRD{name: d.crd}
	return katalog
}

// compile makes entries of Katalogs. Nothing of them runs yet.
func (e *Engine) compile(katalogs []*orkv1.Katalog) (map[string]*entry, error) {
	entries := map[string]*entry{}
	for _, katalog := range katalogs {
		sets, found := box.CompileKatalog(katalog, box.Options{Registry: e.opts.Registry, Providers: e.opts.Providers})
		if len(found.Errors) > 0 {
			return nil, fmt.Errorf("katalog %s: %w", katalog.Name, found.Errors.ToAggregate())
		}
		auth, err := e.checkProviders(katalog, sets)
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			if other, taken := entries[set.Name]; taken {
				return nil, fmt.Errorf("CRD %s is declared by katalog %s and by katalog %s", set.Name, other.set.Katalog, set.Katalog)
			}
			declaredCRD := katalog.Spec.CRDs[set.Name]
			entries[set.Name] = &entry{
				engine: e,
				set:    set,
				auth:   auth,
				declared: declared{
					katalog: katalog.Name, finalizers: katalog.Spec.Finalizers, crd: withCrossAccess(katalog, &declaredCRD),
					notes: katalog.Notes.DeepCopy(), profiles: katalog.Profiles.DeepCopy(), security: katalog.Security.DeepCopy(),
					claims: claimsOf(katalog, set),
				},
				health: health.New(set.FailureThreshold, health.Options{OnHealthy: func() { e.wakeDependents(set.Name) }}),
			}
		}
	}
	if err := errors.Join(e.checkCode(entries), e.checkCalls(entries), e.checkBuilders(entries)); err != nil {
		return nil, err
	}
	for name, one := range entries { // and not before it is certain that there will be entries
		one.metrics = e.series.CRD(name)
		if one.set.Autoscale != nil {
			one.metrics.Autoscaled(one.set.Workers)
		}
	}
	return entries, nil
}

// retire ends entries for good, all at once, and returns when they have ended.
func retire(entries []*entry) {
	var ending sync.WaitGroup
	for _, one := range entries {
		ending.Go(one.retire)
	}
	ending.Wait()
}
