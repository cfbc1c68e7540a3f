package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// runWaker runs the waker with two workers until the returned function is called.
func runWaker(ctx context.Context, w waker, do func(context.Context, string) error) (stop func()) {
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() { w.run(ctx, do) })
	}
	return func() { w.stop(); workers.Wait() }
}

func TestWakerBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var calls []time.Duration
		w := newWaker()
		stop := runWaker(t.Context(), w, func(context.Context, string) error {
			calls = append(calls, time.Since(begin))
			if len(calls) < 5 {
				return errors.New("no luck")
			}
			return nil
		})
		w.add("a")
		<-time.After(time.Hour)
		stop()
		want := []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 700 * time.Millisecond, 1500 * time.Millisecond}
		if diff := cmp.Diff(want, calls); diff != "" {
			t.Errorf("calls: -want, +got:\n%s", diff)
		}
	})
}

func TestWakerBackOffIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last time.Time
		var longest time.Duration
		w := newWaker()
		stop := runWaker(t.Context(), w, func(context.Context, string) error {
			if !last.IsZero() {
				longest = max(longest, time.Since(last))
			}
			last = time.Now()
			return errors.New("no luck")
		})
		w.add("a")
		<-time.After(time.Hour)
		stop()
		if longest != time.Minute {
			t.Errorf("the longest pause is %s, want 1m0s", longest)
		}
	})
}

// A name that is added while it is being worked on is worked on once more, and never twice at a time.
func TestWakerOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		busy, most, calls := 0, 0, 0
		w := newWaker()
		stop := runWaker(t.Context(), w, func(context.Context, string) error {
			mu.Lock()
			busy++
			calls++
			most = max(most, busy)
			mu.Unlock()
			<-time.After(time.Second)
			mu.Lock()
			busy--
			mu.Unlock()
			return nil
		})
		w.add("a")
		synctest.Wait()
		for range 5 {
			w.add("a")
		}
		<-time.After(time.Minute)
		stop()
		if most != 1 || calls != 2 {
			t.Errorf("%d at a time and %d calls, want 1 and 2", most, calls)
		}
	})
}

// After the end of the context an error is not the waker's to repeat.
func TestWakerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		w := newWaker()
		stop := runWaker(ctx, w, func(ctx context.Context, _ string) error {
			calls++
			<-ctx.Done()
			return ctx.Err()
		})
		w.add("a")
		synctest.Wait()
		cancel()
		<-time.After(time.Minute)
		stop()
		if calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
	})
}
