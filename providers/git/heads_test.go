package git

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// What is remembered of servers' answers is bounded in number and in bytes, and what is forgotten is asked for again.
func TestHeadsAreBounded(t *testing.T) {
	branches := func(n int) map[string]plumbing.Hash {
		refs := make(map[string]plumbing.Hash, n)
		for i := range n {
			refs[fmt.Sprintf("branch-%0100d", i)] = plumbing.ZeroHash
		}
		return refs
	}
	small, large := branches(1), branches(100_000) // of about 16 MiB
	cases := map[string]struct {
		reason string
		refs   map[string]plumbing.Hash
		keys   int
		// most is how many are remembered in the end.
		most int
		err  error
	}{
		"Few":   {reason: "what is small is remembered", refs: small, keys: 10, most: 10},
		"Many":  {reason: "up to a number", refs: small, keys: 1000, most: mostListings},
		"Large": {reason: "and to a size of all together", refs: large, keys: 12, most: mostRemembered / bytesOf(large)},
		"Wrong": {reason: "a failure is not", refs: small, keys: 10, err: errors.New("down")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(0, 0)
			h := &heads{share: time.Hour, now: func() time.Time { return now }, known: map[string]*listing{}}
			asked := 0
			ask := func() *listing {
				asked++
				return &listing{refs: tc.refs, err: tc.err}
			}
			for i := range tc.keys {
				now = now.Add(time.Second)
				if _, err := h.list(t.Context(), fmt.Sprint(i), ask); !errors.Is(err, tc.err) {
					t.Fatal(err)
				}
			}
			total := 0
			for _, l := range h.known {
				total += l.bytes
			}
			if len(h.known) != tc.most || h.bytes != total || total > mostRemembered {
				t.Errorf("\n%s\n%d are remembered with %d bytes, and %d are counted; want %d", tc.reason, len(h.known), total, h.bytes, tc.most)
			}
			asked = 0
			_, _ = h.list(t.Context(), fmt.Sprint(tc.keys-1), ask)
			if again := asked > 0; again != (tc.err != nil) {
				t.Errorf("\n%s\nthe last one is asked for again: %t", tc.reason, again)
			}
			now = now.Add(2 * time.Hour)
			_, _ = h.list(t.Context(), fmt.Sprint(tc.keys-1), ask)
			if tc.err == nil && (asked != 1 || len(h.known) != tc.most) {
				t.Errorf("\n%s\nwhat is too old is asked for %d times, and %d are remembered", tc.reason, asked, len(h.known))
			}
		})
	}
}
