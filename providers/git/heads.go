package git

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// mostListed is how many bytes the list of a repository's references may have.
const mostListed = 32 << 20

// heads remembers for a moment what servers answered, so that many resources that follow one repository ask once.
type heads struct {
	share time.Duration
	now   func() time.Time

	mu    sync.Mutex // guards the rest
	known map[string]*listing
	// bytes is how much the answers take that are kept.
	bytes int
}

// listing is one answer, on its way until done is closed.
type listing struct {
	done chan struct{}
	at   time.Time
	refs map[string]plumbing.Hash
	main string
	err  error
	// answered tells that it is there, and bytes how much of memory it takes, about. The mutex of heads guards both.
	answered bool
	bytes    int
	// gaveUp tells that whoever asked did not wait for the answer.
	gaveUp bool
}

// mostListings bounds how many answers are remembered, and mostRemembered how many bytes they may take together: an answer is for a moment, and
// one that alone is larger serves those who wait for it.
const (
	mostListings   = 256
	mostRemembered = 64 << 20
)

// head asks the server which commit a branch is at.
func (f *Fetcher) head(ctx context.Context, r *checkout.Remote, auth checkout.Auth, branch string) (plumbing.Hash, error) {
	list, err := f.heads.list(ctx, r.Key()+"\n"+identity(auth), func() *listing {
		var l listing
		l.refs, l.main, l.err = f.ask(ctx, r, auth)
		l.gaveUp = ctx.Err() != nil
		return &l
	})
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return list.head(branch)
}

// ask lists the branches of a repository, and which of them it calls its own.
func (f *Fetcher) ask(ctx context.Context, r *checkout.Remote, auth checkout.Auth) (refs map[string]plumbing.Hash, own string, err error) {
	session, err := f.open(ctx, r, auth, mostListed)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = session.Close() }()
	answer, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return nil, "", err //nolint:wrapcheck // told says where it was
	}
	refs, own = branches(answer)
	return refs, own, nil
}

// branches are those of an answer.
func branches(answer *packp.AdvRefs) (refs map[string]plumbing.Hash, own string) {
	refs = map[string]plumbing.Hash{}
	for name, hash := range answer.References {
		if name := plumbing.ReferenceName(name); name.IsBranch() {
			refs[name.Short()] = hash
		}
	}
	if all, err := answer.AllReferences(); err == nil {
		if head, err := all.Reference(plumbing.HEAD); err == nil && head.Type() == plumbing.SymbolicReference {
			own = head.Target().Short()
		}
	}
	return refs, own
}

func (l *listing) head(branch string) (plumbing.Hash, error) {
	if hash, ok := l.refs[branch]; ok {
		return hash, nil
	}
	return plumbing.ZeroHash, noBranch(branch, l.main)
}

func noBranch(branch, own string) error {
	if own == "" {
		return wrong("there is no branch %s", branch)
	}
	return wrong("there is no branch %s; the one that the repository itself names is %s", branch, own)
}

// list returns an answer that is no older than share, waits for one that is on its way, or asks. A failure is told to
// those who wait for it and not remembered, and one of somebody who gave up is no answer for those who did not.
func (h *heads) list(ctx context.Context, key string, ask func() *listing) (*listing, error) {
	for {
		h.mu.Lock()
		l, ok := h.known[key]
		if !ok {
			l = &listing{done: make(chan struct{})}
			h.known[key] = l
			h.makeRoomLocked()
			h.mu.Unlock()
			h.answer(key, l, ask)
			return l, l.err
		}
		h.mu.Unlock()
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if l.err != nil && !l.gaveUp || l.err == nil && h.now().Sub(l.at) < h.share {
			return l, l.err
		}
		h.mu.Lock()
		h.dropLocked(key, l)
		h.mu.Unlock()
	}
}

// answer asks, and lets those know who wait.
func (h *heads) answer(key string, l *listing, ask func() *listing) {
	defer close(l.done)
	answered := ask()
	h.mu.Lock()
	defer h.mu.Unlock()
	l.at, l.refs, l.main, l.err, l.gaveUp = h.now(), answered.refs, answered.main, answered.err, answered.gaveUp
	l.answered, l.bytes = true, bytesOf(l.refs)
	if h.known[key] != l {
		return
	}
	if h.bytes += l.bytes; l.err != nil {
		h.dropLocked(key, l)
	}
	h.makeRoomLocked()
}

// entry is how much a branch takes in memory besides its name, in bytes.
const entry = 64

func bytesOf(refs map[string]plumbing.Hash) int {
	bytes := 0
	for name := range refs {
		bytes += len(name) + entry
	}
	return bytes
}

// dropLocked forgets an answer, unless another one has taken its place.
func (h *heads) dropLocked(key string, l *listing) {
	if h.known[key] == l {
		delete(h.known, key)
		h.bytes -= l.bytes
	}
}

// makeRoomLocked forgets answers where there are too many or too large ones: first those that are too old for anybody, then the oldest.
func (h *heads) makeRoomLocked() {
	if len(h.known) <= mostListings && h.bytes <= mostRemembered {
		return
	}
	var answered []string
	for key, l := range h.known {
		if l.answered {
			answered = append(answered, key)
		}
	}
	slices.SortFunc(answered, func(a, b string) int { return h.known[a].at.Compare(h.known[b].at) })
	for _, key := range answered {
		l := h.known[key]
		if len(h.known) <= mostListings && h.bytes <= mostRemembered && h.now().Sub(l.at) < h.share {
			return
		}
		h.dropLocked(key, l)
	}
}
