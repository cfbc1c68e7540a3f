package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Options of a Fetcher.
type Options struct {
	// Dialer makes all connections. Defaults to reach.Strict, which has no exceptions.
	Dialer *reach.Dialer
	// Dir is the folder below which working copies are kept; nothing else may be in it. Defaults to orkestra/git in the cache folder of the
	// user.
	Dir string
	// KnownHosts is a file with the keys of SSH servers, for credentials that have none. Defaults to none.
	KnownHosts string
	// Timeout bounds one Fetch. Defaults to 1m.
	Timeout time.Duration
	// MaxBytes is how much of a repository is fetched, unfolded and written, in bytes, and MaxFile how much one file may have. They default
	// to 256 MiB and 100 MiB.
	MaxBytes, MaxFile int64
	// MaxFiles is how many files and folders a repository may have. Defaults to 100000.
	MaxFiles int
	// MaxTotal is how many bytes all working copies may take, and MaxCopies how many there may be: those that are not used go first. They
	// default to 2 GiB and 500.
	MaxTotal  int64
	MaxCopies int
	// Share is for how long the answer which commit a branch is at serves all who ask. Defaults to 2s; negative has each ask.
	Share time.Duration
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() {
	o.Dialer = o.Dialer.OrStrict()
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Timeout, o.Share = cmp.Or(o.Timeout, time.Minute), cmp.Or(o.Share, 2*time.Second)
	o.MaxBytes, o.MaxFile, o.MaxTotal = cmp.Or(o.MaxBytes, 256<<20), cmp.Or(o.MaxFile, 100<<20), cmp.Or(o.MaxTotal, 2<<30)
	o.MaxFiles, o.MaxCopies = cmp.Or(o.MaxFiles, 100_000), cmp.Or(o.MaxCopies, 500)
}

// Fetcher keeps working copies of git repositories.
type Fetcher struct {
	opts       Options
	dialer     *reach.Dialer
	transport  *http.Transport
	knownHosts []byte
	heads      heads
	cache      *cache
}

var _ checkout.Fetcher = (*Fetcher)(nil)

// New returns a Fetcher. It touches no folder until something is fetched. An error names the option that is wrong.
func New(opts Options) (*Fetcher, error) {
	opts.setDefaults()
	f := &Fetcher{
		opts: opts, dialer: opts.Dialer, transport: newTransport(opts.Dialer),
		heads: heads{share: opts.Share, now: opts.Now, known: map[string]*listing{}},
		cache: &cache{opts: opts, now: opts.Now, copies: map[string]*workingCopy{}},
	}
	if opts.MaxBytes < 0 || opts.MaxFile < 0 || opts.MaxTotal < opts.MaxBytes || opts.Timeout < 0 {
		return nil, errors.New("the bounds of working copies must be positive, and all of them must have room for one")
	}
	if opts.KnownHosts != "" {
		var err error
		if f.knownHosts, err = os.ReadFile(filepath.Clean(opts.KnownHosts)); err != nil {
			return nil, fmt.Errorf("read the known hosts: %w", err)
		}
	}
	return f, nil
}

// Close closes the connections that nobody uses, and lets another process have the working copies.
func (f *Fetcher) Close() error {
	f.transport.CloseIdleConnections()
	return f.cache.close()
}

// Fetch asks the server which commit the branch is at, and brings the owner's working copy there. Nothing is transferred when it is there
// already.
func (f *Fetcher) Fetch(ctx context.Context, request checkout.Request) (checkout.Result, error) {
	r, path, err := parse(&request)
	if err != nil {
		return checkout.Result{}, err
	}
	if err := f.cache.open(); err != nil {
		return checkout.Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	w := f.cache.hold(request.Owner)
	defer f.cache.release(w)
	result, err := f.fetch(limited, w, &r, &request, path)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return checkout.Result{}, ctx.Err()
	}
	return checkout.Result{}, told(limited, &r, request.Auth, f.opts.Timeout, err)
}

// parse checks a request and fills in its defaults.
func parse(request *checkout.Request) (r checkout.Remote, path string, err error) {
	if r, err = checkout.ParseRemote(request.Repo); err != nil {
		return r, "", err
	}
	request.Branch = cmp.Or(request.Branch, "main")
	if err := checkBranch(request.Branch); err != nil {
		return r, "", err
	}
	path, err = checkout.CleanPath(request.Path)
	return r, path, err
}

func (f *Fetcher) fetch(ctx context.Context, w *workingCopy, r *checkout.Remote, request *checkout.Request, path string) (checkout.Result, error) {
	commit, err := f.head(ctx, r, request.Auth, request.Branch)
	if err != nil {
		return checkout.Result{}, err
	}
	if before := f.state(w); before.Commit != commit.String() || before.Repo != r.String() {
		if commit, err = f.update(ctx, w, r, request, before); err != nil {
			return checkout.Result{}, err
		}
	}
	changed, err := f.changed(ctx, w, r, request, path, commit)
	if err != nil {
		return checkout.Result{}, err
	}
	return f.result(w, request, commit, changed), nil
}

func (f *Fetcher) result(w *workingCopy, request *checkout.Request, commit plumbing.Hash, changed bool) checkout.Result {
	return checkout.Result{
		Commit: commit.String(), Branch: request.Branch, Folder: filepath.Join(f.folder(w), workFolder), Changed: changed,
	}
}

// Forget removes the working copy of an owner that is no more.
func (f *Fetcher) Forget(owner string) {
	if f.cache.open() == nil {
		f.cache.forget(owner)
	}
}
