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
		p := pool.New(func(key string) (int, error) {
			if key == "wrong" {
				return 0, errors.New("wrong")
			}
			opened++
			return opened, nil
		}, func(int) { closed++ })
		use := func(key string) (value int) {
			t.Helper()
			if err := p.Use(key, func(v int) error { value = v; return nil }); err != nil {
				t.Fatal(err)
			}
			return value
		}

		if a, again, b := use("a"), use("a"), use("b"); a != again || a == b {
			t.Errorf("a key has one client of its own, got %d, %d and %d", a, again, b)
		}
		time.Sleep(4 * time.Minute)
		use("a")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if p.Len() != 1 || closed != 1 {
			t.Errorf("a client that was not used for five minutes is closed, one that was is not: %d are left, %d closed", p.Len(), closed)
		}

		err := p.Use("a", func(int) error {
			p.Close()
			if closed != 1 {
				t.Error("a client was closed while it was used")
			}
			return nil
		})
		if err != nil || closed != 2 || p.Len() != 0 {
			t.Errorf("a client that was in use when the pool closed is closed when given back: %v, %d closed, %d left", err, closed, p.Len())
		}
		if err := p.Use("wrong", func(int) error { return nil }); err == nil || p.Len() != 0 {
			t.Errorf("what cannot be opened is not kept: %v, %d", err, p.Len())
		}
		p.Close()
	})
}
