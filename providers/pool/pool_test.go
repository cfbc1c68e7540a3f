package pool_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orkestra-runtime/orkestra/providers/pool"
)

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, closed := 0, 0
		p := pool.New[string](func(int) { closed++ })
		open := func(key string) (int, error) {
			if key == "wrong" {
				return 0, errors.New("wrong")
			}
			opened++
			return opened, nil
		}
		use := func(key string) (value int) {
			t.Helper()
			if err := p.Use(key, open, func(v int) error { value = v; return nil }); err != nil {
				t.Fatal(err)
			}
			return value
		}

		if a, again, b := use("a"), use("a"), use("b"); a != again || a == b {
			t.Errorf("a key has one client of its own, got %d, %d and %d", a, again, b)
		}
		<-time.After(4 * time.Minute)
		use("a")
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if p.Len() != 1 || closed != 1 {
			t.Errorf("a client that was not used for five minutes is closed, one that was is not: %d are left, %d closed", p.Len(), closed)
		}

		err := p.Use("a", open, func(int) error {
			p.Close()
			if closed != 1 {
				t.Error("a client was closed while it was used")
			}
			return nil
		})
		if err != nil || closed != 2 || p.Len() != 0 {
			t.Errorf("a client that was in use when the pool closed is closed when given back: %v, %d closed, %d left", err, closed, p.Len())
		}
		if err := p.Use("wrong", open, func(int) error { return nil }); err == nil || p.Len() != 0 || closed != 2 {
			t.Errorf("what cannot be opened is neither kept nor closed: %v, %d, %d closed", err, p.Len(), closed)
		}
		p.Close()
	})
}

func TestPoolBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := map[int]bool{}
		p := pool.New[int](func(one int) { closed[one] = true })
		open := func(key int) (int, error) { return key, nil }
		held, _, err := p.Take(-1, open)
		if err != nil {
			t.Fatal(err)
		}
		for key := range 100 {
			if err := p.Use(key, open, func(int) error { return nil }); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Millisecond)
		}
		if p.Len() != 65 || closed[-1] || !closed[0] || closed[99] {
			t.Errorf("%d are kept, want the 64 that were used last and the one that is used; closed are %v", p.Len(), closed)
		}
		p.Give(held)
		p.Close()
		if len(closed) != 101 {
			t.Errorf("%d are closed in the end, want all", len(closed))
		}
	})
}

// A server that does not answer holds up those who want it, and nobody else.
func TestPoolOpensBeside(t *testing.T) {
	p := pool.New[string](func(int) {})
	opening, answer, got := make(chan struct{}), make(chan int), make(chan int, 2)
	opened := 0
	slow := func(string) (int, error) {
		opened++
		close(opening)
		return <-answer, nil
	}
	use := func() { _ = p.Use("slow", slow, func(one int) error { got <- one; return nil }) }
	go use()
	<-opening
	go use()
	if err := p.Use("fast", func(string) (int, error) { return 1, nil }, func(int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	answer <- 2
	if a, b := <-got, <-got; a != 2 || b != 2 || opened != 1 {
		t.Errorf("got %d and %d, opened %d times, want one client for both", a, b, opened)
	}
	p.Close()
}

func TestPoolPanic(t *testing.T) {
	p := pool.New[string](func(int) { t.Error("what was never opened is closed") })
	func() {
		defer func() { _ = recover() }()
		_ = p.Use("a", func(string) (int, error) { panic("no") }, func(int) error { return nil })
	}()
	if p.Len() != 0 {
		t.Error("what panicked is kept")
	}
}
