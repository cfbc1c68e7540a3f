package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// want is what is asked for: a branch, or a commit when it is not zero.
type want struct {
	branch string
	commit plumbing.Hash
	// have is a commit that is there already, as far as its tree goes. Zero: nothing is.
	have plumbing.Hash
}

// receive fetches one commit and its tree into a store and returns which one it is.
func (f *Fetcher) receive(ctx context.Context, r *checkout.Remote, auth checkout.Auth, w want, into storer.PackfileWriter) (plumbing.Hash, error) {
	session, err := f.open(ctx, r, auth, mostListed+f.opts.MaxBytes)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer func() { _ = session.Close() }()
	refs, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return plumbing.ZeroHash, err //nolint:wrapcheck // told says where it was
	}
	commit := w.commit
	if commit.IsZero() {
		all, own := branches(refs)
		if commit = all[w.branch]; commit.IsZero() {
			return plumbing.ZeroHash, noBranch(w.branch, own)
		}
	}
	if commit == w.have {
		return commit, nil
	}
	request, err := requestOf(refs, commit, w.have)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	answer, err := session.UploadPack(ctx, request)
	if err != nil {
		return plumbing.ZeroHash, err //nolint:wrapcheck // told says where it was
	}
	defer func() { _ = answer.Close() }()
	return commit, f.store(unpacked(request, answer), into)
}

// requestOf asks for a commit without its history.
func requestOf(refs *packp.AdvRefs, commit, have plumbing.Hash) (*packp.UploadPackRequest, error) {
	request := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	if !refs.Capabilities.Supports(capability.Shallow) {
		return nil, wrong("the server can't send a commit without its history (shallow)")
	}
	if refs.Capabilities.Supports(capability.NoProgress) {
		_ = request.Capabilities.Set(capability.NoProgress) // it takes no argument that could be wrong
	}
	_ = request.Capabilities.Set(capability.Shallow)
	request.Depth, request.Wants = packp.DepthCommits(1), []plumbing.Hash{commit}
	if !have.IsZero() {
		request.Haves, request.Shallows = []plumbing.Hash{have}, []plumbing.Hash{have}
	}
	return request, nil
}

// unpacked is the pack alone, without what else the server says meanwhile.
func unpacked(request *packp.UploadPackRequest, answer io.Reader) io.Reader {
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, answer)
	case request.Capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, answer)
	}
	return answer
}

// store puts a pack into a store. It goes to a file first: what it unfolds to is looked at before anybody unfolds it in memory.
func (f *Fetcher) store(pack io.Reader, into storer.PackfileWriter) (err error) {
	file, err := os.CreateTemp(f.cache.dir, temporary+"*")
	if err != nil {
		return fmt.Errorf("write what is fetched: %w", err)
	}
	defer func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) }()
	size, err := io.Copy(file, pack)
	switch {
	case err != nil:
		return fmt.Errorf("read the pack: %w", err)
	case size == 0:
		return errors.New("the server sent no pack")
	case size > f.opts.MaxBytes:
		return tooBig(f.opts.MaxBytes)
	}
	if err := f.measure(file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read what is fetched: %w", err)
	}
	writer, err := into.PackfileWriter()
	if err != nil {
		return &brokenError{err}
	}
	_, err = io.Copy(writer, file)
	if err = errors.Join(err, writer.Close()); err != nil {
		return &brokenError{err}
	}
	return nil
}

// measure adds up what the objects of a pack unfold to: a pack of a few bytes can be one of a great many.
func (f *Fetcher) measure(pack io.ReadSeeker) error {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read what is fetched: %w", err)
	}
	scanner := packfile.NewScanner(pack)
	_, count, err := scanner.Header()
	if err != nil {
		return fmt.Errorf("read the pack: %w", err)
	}
	if int64(count) > int64(f.opts.MaxFiles) {
		return tooMany(f.opts.MaxFiles)
	}
	all := newMeter(f.opts.MaxBytes)
	for range count {
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return fmt.Errorf("read the pack: %w", err)
		}
		size := header.Length
		if header.Type.IsDelta() {
			var first beginning
			if _, _, err := scanner.NextObject(&first); err != nil {
				return fmt.Errorf("read the pack: %w", err)
			}
			size = first.target()
		}
		switch {
		case size < 0 || size > f.opts.MaxFile:
			return &LimitError{Problem: fmt.Sprintf("the repository holds a file of more than %s, which is the most that a file may have", megabytes(f.opts.MaxFile))}
		case all.take(int(size)) != nil:
			return tooBig(f.opts.MaxBytes)
		}
	}
	return nil
}

func tooMany(most int) error {
	return &LimitError{Problem: fmt.Sprintf("the repository holds more than %d files and folders, which is the most it may have", most)}
}

// beginning keeps the first bytes of what is written.
type beginning struct {
	bytes [20]byte
	have  int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.have += copy(b.bytes[b.have:], p)
	return len(p), nil
}

// target is how big a delta makes its object: the second of the two numbers that it begins with. Negative: it tells none.
func (b *beginning) target() int64 {
	at := 0
	number := func() int64 {
		var value int64
		for shift := 0; at < b.have && shift < 56; shift += 7 {
			one := b.bytes[at]
			at++
			value |= int64(one&0x7f) << shift
			if one&0x80 == 0 {
				return value
			}
		}
		return -1
	}
	if number() < 0 {
		return -1
	}
	return number()
}

// megabytes is a number of bytes for people.
func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
