package external_test

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// opened notes which clients are open.
type opened struct {
	mu     sync.Mutex // guards the rest
	number int
	open   map[int]bool
}

func (o *opened) connections() *external.Connections[int] {
	o.open = map[int]bool{}
	return external.NewConnections(func(*external.Request) (int, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.number++
		o.open[o.number] = true
		return o.number, nil
	}, func(one int) {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.open, one)
	})
}

func (o *opened) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

func (o *opened) has(client int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[client]
}

func TestConnections(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	cases := map[string]struct {
		reason string
		fails  func(client, call int) error
		calls  int // of the second use
		open   int
		err    string
	}{
		"Kept":    {"a client is kept for the next call", func(int, int) error { return nil }, 1, 1, ""},
		"Dead":    {"one that is dead is not, and the call is made again", func(client, call int) error { return map[int]error{2: errors.New("EOF")}[call] }, 2, 1, ""},
		"Down":    {"but not for ever", func(_, call int) error { return map[bool]error{true: errors.New("EOF")}[call > 1] }, 2, 0, "EOF"},
		"Refused": {"a server that is not there has no dead connection", func(_, call int) error { return map[bool]error{true: dial}[call > 1] }, 1, 1, "dial: connection refused"},
		"Said":    {"nor has one that answers", func(_, call int) error { return map[bool]error{true: &external.ServerError{Text: "no"}}[call > 1] }, 1, 1, "no"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &opened{}
				c := o.connections()
				call := 0
				use := func() error {
					_, err := c.Use(t.Context(), &external.Request{URL: "x://a"}, func(client int) (external.Answer, error) {
						call++
						if !o.has(client) {
							t.Errorf("\n%s\nclient %d is shut and used", tc.reason, client)
						}
						return external.Answer{}, tc.fails(client, call)
					})
					return err
				}
				if err := use(); err != nil {
					t.Fatal(err)
				}
				if err := use(); textOf(err) != tc.err || call-1 != tc.calls || o.count() != tc.open {
					t.Errorf("\n%s\n%v after %d calls, %d open; want %q, %d, %d", tc.reason, err, call-1, o.count(), tc.err, tc.calls, tc.open)
				}
				c.Close()
				if o.count() != 0 {
					t.Errorf("\n%s\n%d are open in the end", tc.reason, o.count())
				}
			})
		})
	}
}

func TestConnectionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opened{}
		c := o.connections()
		use := func(url string, size int) {
			t.Helper()
			_, err := c.Use(t.Context(), &external.Request{URL: url, PoolSize: size}, func(int) (external.Answer, error) { return external.Answer{}, nil })
			if err != nil {
				t.Error(err)
			}
		}
		use("x://a", 0)
		use("x://a", external.DefaultPoolSize)
		use("x://a", 3)
		if o.count() != 2 {
			t.Errorf("%d are open, want one for each size", o.count())
		}
		time.Sleep(4 * time.Minute) //nolint:forbidigo // inside of a synctest bubble
		use("x://a", 0)
		time.Sleep(2 * time.Minute) //nolint:forbidigo // inside of a synctest bubble
		synctest.Wait()
		if o.count() != 1 || !o.has(1) {
			t.Errorf("%d are open, want the one that was used", o.count())
		}
		time.Sleep(5 * time.Minute) //nolint:forbidigo // inside of a synctest bubble
		synctest.Wait()
		if o.count() != 0 {
			t.Errorf("%d are open, and nobody uses them", o.count())
		}
		for i := range 200 {
			use(fmt.Sprintf("x://%d", i), 0)
		}
		if o.count() != 64 {
			t.Errorf("%d are kept, want 64", o.count())
		}
		c.Close()
	})
}

// A client that cannot cope with an answer fails the call and nothing else.
func TestConnectionsPanic(t *testing.T) {
	o := &opened{}
	c := o.connections()
	_, err := c.Use(t.Context(), &external.Request{URL: "x://a"}, func(int) (external.Answer, error) { panic("makeslice") })
	if textOf(err) != "the answer makes no sense" || o.count() != 0 {
		t.Errorf("%v, %d open", err, o.count())
	}
}

func TestPlain(t *testing.T) {
	r := &external.Request{URL: "redis://u:p%40ss@h,h2/0"}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"Password": {errors.New(`bad url redis://u:p%40ss@h: p@ss`), "bad url redis://u:[redacted]@h: [redacted]"},
		"Dial":     {fmt.Errorf("connect as u with p@ss: %w", &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}), "dial tcp: refused"},
		"Lines":    {errors.New("a\n\tb"), "a b"},
	} {
		if got := textOf(r.Plain(tc.err)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
