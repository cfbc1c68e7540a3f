package declared_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// answer is what a service says.
type answer struct{ error }

func (answer) Answered() {}

// shelf is a technology: it notes what it is asked for, and fails for the names that it is told.
type shelf struct {
	asked []string
	fails map[string]error
}

func (s *shelf) do(what string) func(context.Context, *declared.Thing) error {
	return func(_ context.Context, t *declared.Thing) error {
		name := t.Fields["name"]
		s.asked = append(s.asked, what+" "+name)
		return s.fails[name]
	}
}

func (s *shelf) kinds() declared.Kinds {
	return declared.Kinds{"box": {
		Identity: []string{"name", "room"}, Optional: []string{"size", "tags.*"},
		Named: func(d providers.Declaration) error {
			if d.Fields["name"] == "impossible" {
				return declared.Wrong(d, "name", "is impossible")
			}
			return nil
		},
		Check: func(d providers.Declaration) error {
			_, err := declared.Int(d, "size", 0, 9)
			return err
		},
		Ensure: s.do("ensure"), Remove: s.do("remove"),
	}}
}

// boxes are declarations with names and perhaps more: "a", "b size=1".
func boxes(all ...string) *providers.Request {
	r := &providers.Request{Owner: "Shop.example.com/apps/shop", OwnerNamespace: "apps", Auth: map[string]string{"url": "hidden-credential"}}
	for _, one := range all {
		words := strings.Fields(one)
		d := providers.Declaration{Kind: "box", Fields: map[string]string{"name": words[0]}}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			d.Fields[key] = value
		}
		r.Declarations = append(r.Declarations, d)
	}
	return r
}

func TestKinds(t *testing.T) {
	t.Parallel()
	type want struct {
		asked []string
		// says are texts of the error; none: there is no error.
		says []string
	}
	cases := map[string]struct {
		reason   string
		fails    map[string]error
		declared []string
		remove   bool
		want     want
	}{
		"InOrder": {
			reason: "what comes later may need what comes before", declared: []string{"a", "b"},
			want: want{asked: []string{"ensure a", "ensure b"}},
		},
		"Backwards": {
			reason: "what is needed goes last", declared: []string{"a", "b"}, remove: true,
			want: want{asked: []string{"remove b", "remove a"}},
		},
		"Refused": {
			reason: "one that belongs to somebody else does not hold up the others", declared: []string{"a", "b"},
			fails: map[string]error{"a": &declared.OwnerError{What: "box", Owner: "Other"}},
			want:  want{asked: []string{"ensure a", "ensure b"}, says: []string{"box", `"a"`, "Other"}},
		},
		"Answered": {
			reason: "a service that says no is there for the others", declared: []string{"a", "b"},
			fails: map[string]error{"a": fmt.Errorf("do: %w", answer{errors.New("no")}), "b": answer{errors.New("never")}},
			want:  want{asked: []string{"ensure a", "ensure b"}, says: []string{`"a": do: no`, `"b": never`}},
		},
		"Unreachable": {
			reason: "the others would wait for the service as well", declared: []string{"a", "b"},
			fails: map[string]error{"a": errors.New("dial hidden-credential: refused")},
			want:  want{asked: []string{"ensure a"}, says: []string{`"a": dial [redacted]: refused`}},
		},
		"UnreachableAtDeletion": {
			reason: "as above", declared: []string{"a", "b"}, remove: true, fails: map[string]error{"b": context.DeadlineExceeded},
			want: want{asked: []string{"remove b"}, says: []string{"deadline"}},
		},
		"Mistakes": {
			reason: "nothing is done while something is wrong, and all that is wrong is said", declared: []string{"a", "b size=10", "c colour=red", "impossible"},
			want: want{says: []string{"0 to 9", "colour", "valid: adopt", "impossible"}},
		},
		"Twice": {
			reason: "two declarations of one thing would undo each other", declared: []string{"a room=1", "a room=2", "a room=1"},
			want: want{says: []string{"twice"}},
		},
		"Below": {
			reason: "a field may stand for all below it", declared: []string{"a tags.x=1"}, want: want{asked: []string{"ensure a"}},
		},
		"DeletedWithMistakes": {
			reason: "a mistake that came later does not keep the thing, and what cannot have been made is not asked for", remove: true,
			declared: []string{"a size=10 colour=red", "impossible"},
			want:     want{asked: []string{"remove a"}},
		},
		"DeletedWithAnUnknownPolicy": {
			reason: "it might have meant to keep it", remove: true, declared: []string{"a deletionPolicy=keep"},
			want: want{says: []string{"Delete or Retain"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{fails: tc.fails}
			ask := s.kinds().Reconcile
			if tc.remove {
				ask = s.kinds().Delete
			}
			err := ask(t.Context(), boxes(tc.declared...))
			if diff := cmp.Diff(tc.want.asked, s.asked); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if (err != nil) != (len(tc.want.says) > 0) {
				t.Fatalf("\n%s\nerror: %v", tc.reason, err)
			}
			for _, text := range tc.want.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("\n%s\nwant %q in the error: %v", tc.reason, text, err)
				}
			}
			if shown := fmt.Sprintf("%+v %#v", err, err); strings.Contains(shown, "hidden-credential") {
				t.Errorf("the error tells a credential: %s", shown)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	want := map[string]providers.Kind{"box": {
		Required: []string{"name"}, Optional: []string{"room", "size", "tags.*", "adopt", "deletionPolicy", "authSecret.name", "authSecret.namespace"},
	}}
	if diff := cmp.Diff(want, (&shelf{}).kinds().Known()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		fields map[string]string
		want   []string
	}{
		"Text":     {fields: map[string]string{"roles": "b, a,,b"}, want: []string{"a", "b"}},
		"JSON":     {fields: map[string]string{"roles": ` ["b","a,c"]`}, want: []string{"a,c", "b"}},
		"Elements": {fields: map[string]string{"roles.0": "b", "roles.1": "a"}, want: []string{"a", "b"}},
		"None":     {fields: map[string]string{"rolesOf": "a"}, want: nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := declared.List(providers.Declaration{Fields: tc.fields}, "roles")
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("-want, +got: %v\n%s", err, diff)
			}
		})
	}
	if _, err := declared.List(providers.Declaration{Fields: map[string]string{"roles": `[{"role":"root"}]`}}, "roles"); err == nil {
		t.Error("a list of something else is none")
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	mark := func(owner string) string {
		return (&declared.Thing{Request: &providers.Request{Owner: owner}}).Mark()
	}
	long := "Shop.example.com/" + strings.Repeat("n", 300)
	if got := mark(long + "a"); len(got) > 256 || got == mark(long+"b") || !strings.HasPrefix(got, "Shop.example.com/") {
		t.Errorf("a long owner has a mark of its own that a tag can hold, got %s", got)
	}
	if got := mark("Shop.example.com/apps/shop"); got != "Shop.example.com/apps/shop" {
		t.Errorf("an owner is readable, got %s", got)
	}
}

func TestCause(t *testing.T) {
	t.Parallel()
	from, to := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 50000}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 5432}
	cases := map[string]struct {
		reason, want string
		err          error
	}{
		"Port": {
			reason: "the port on this side differs each time", want: "read 10.0.0.2:5432: connection reset by peer",
			err: fmt.Errorf("attempt 3: %w", &net.OpError{Op: "read", Net: "tcp", Source: from, Addr: to, Err: syscall.ECONNRESET}),
		},
		"Several": {reason: "the first of several will do", want: "first", err: fmt.Errorf("all: %w", errors.Join(errors.New("first"), errors.New("second")))},
		"Alone":   {reason: "one without a cause is its own", want: "alone", err: errors.New("alone")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := declared.Cause(tc.err).Error(); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
