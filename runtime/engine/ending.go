package engine

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// drain is how long cycles that have begun may go on.
type drain struct {
	limit time.Duration
	// until is when all of them are to be over, once the engine ends.
	until atomic.Pointer[time.Time]
}

// begin fixes the moment at which everything is over, however many entries end one after the other.
func (d *drain) begin() { d.until.Store(new(time.Now().Add(d.limit))) }

// left is how long a cycle may go on from now.
func (d *drain) left() time.Duration {
	if until := d.until.Load(); until != nil {
		return max(0, time.Until(*until))
	}
	return d.limit
}

// end ends all entries: first those on which no other depends, so that what an entry depends on is there until its last cycle.
func (e *Engine) end(ctx context.Context) {
	e.drain.begin()
	for _, tier := range endOrder(e.all()) {
		retire(tier)
	}
	if e.drain.left() == 0 && e.drain.limit > 0 {
		logf.FromContext(ctx).Info("cycles took longer than they may at the end, and were cancelled", "limit", e.drain.limit.String())
	}
}

// endOrder returns entries in groups: those of a group depend only on entries of later ones.
func endOrder(entries []*entry) [][]*entry {
	var tiers [][]*entry
	for len(entries) > 0 {
		needed := map[string]bool{}
		for _, one := range entries {
			for name := range one.set.DependsOn {
				needed[name] = true
			}
		}
		var tier, rest []*entry
		for _, one := range entries {
			if needed[one.set.Name] {
				rest = append(rest, one)
			} else {
				tier = append(tier, one)
			}
		}
		if len(tier) == 0 { // they depend on each other, which no Katalog may say
			tier, rest = rest, nil
		}
		tiers, entries = append(tiers, tier), slices.Clip(rest)
	}
	return tiers
}
