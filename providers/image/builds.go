package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// Options of Builds.
type Options struct {
	// Workers is how many images are built at once. Defaults to 2.
	Workers int
	// Timeout is how long one may take. Defaults to 15m.
	Timeout time.Duration
	// Backoff is how long a build that failed is not tried again; each further failure doubles it, up to MaxBackoff. They default to 10s
	// and 10m.
	Backoff, MaxBackoff time.Duration
	// MaxContext bounds what is built from, in bytes. Defaults to 256 MiB.
	MaxContext int64
	// Dir is where the copies of what is built lie while they are built. Defaults to the system's folder for temporary files.
	Dir string
}

func (o *Options) setDefaults() {
	o.Workers = cmp.Or(max(0, o.Workers), 2)
	o.Timeout = cmp.Or(o.Timeout, 15*time.Minute)
	o.Backoff = cmp.Or(o.Backoff, 10*time.Second)
	o.MaxBackoff = cmp.Or(o.MaxBackoff, 10*time.Minute)
	o.MaxContext = cmp.Or(o.MaxContext, 256<<20)
}

const (
	// mostResults bounds how many builds that ended are remembered.
	mostResults = 1024
	// promised is how long a place is kept for the owner whose turn it is.
	promised = 5 * time.Second
)

// Recorder is told of builds.
type Recorder interface {
	// BuildBegan is called when a build begins, and BuildEnded when it ends: with success, error or canceled.
	BuildBegan()
	BuildEnded(took time.Duration, result string)
}

// Order is a build that somebody wants.
type Order struct {
	// Owner is who wants it. An owner has one build at a time.
	Owner string
	// Identity tells builds of an owner apart: one of another identity takes the place of the one before.
	Identity string
	// By builds it.
	By Builder
	// Source is what it is built from.
	Source Source
	// Request is what By is asked for. Folder and Credentials need not be set.
	Request Request
	// Credentials are read when the build begins. Nil: it has none.
	Credentials func(context.Context) (Credentials, error)
	// Wake is called when there is something new to ask for: the build has ended, or the owner's turn has come. It must not block. It may
	// be called for nothing.
	Wake func()
	// Recorder is told of the build. Nil: nobody is.
	Recorder Recorder
}

// Progress is where a build stands.
type Progress int

// Where a build stands.
const (
	// Queued waits until fewer others are built.
	Queued Progress = iota
	// Building is on its way.
	Building
	// Succeeded has a Result.
	Succeeded
	// Failed has an Err, and is tried again when somebody asks after Again.
	Failed
)

// State is what has become of an Order.
type State struct {
	Progress Progress
	Result   Result
	Err      error
	Again    time.Time
}

// Builds are the builds of an operator. It is safe for concurrent use.
type Builds struct {
	opts Options

	mu     sync.Mutex // guards the rest
	closed bool
	jobs   map[string]*job // by owner
	// running is how many builds are on their way, those included that are about to end because nobody wants them.
	running int
	// line are the owners that wait for a place, in the order in which they came, and turns those whose turn it is, until it is over.
	line  []*waiter
	turns map[string]*turn
	// ended are the owners of builds that ended, the oldest first.
	ended []string
	wg    sync.WaitGroup
}

// turn is a place that is kept for an owner until the timer ends it.
type turn struct{ timer *time.Timer }

type waiter struct {
	owner string
	wake  func()
}

// job is one build. The mutex of Builds guards what changes.
type job struct {
	order    Order
	state    State
	failures int
	cancel   context.CancelCauseFunc
	// unwanted tells that its owner wants another one, or none.
	unwanted bool
}

// NewBuilds returns Builds without any.
func NewBuilds(opts Options) *Builds {
	opts.setDefaults()
	return &Builds{opts: opts, jobs: map[string]*job{}, turns: map[string]*turn{}}
}

// Ask tells what has become of an order, and begins the build if there is none and there is a place for it. It reads the credential and
// copies what is built from, so that the owner may change it afterwards; it does not wait for the build.
func (b *Builds) Ask(ctx context.Context, o Order) State {
	begun, state := b.take(o)
	if begun == nil {
		return state
	}
	request, err := b.prepare(ctx, o)
	if err != nil {
		_ = os.RemoveAll(request.Folder)
		return b.end(begun, Result{}, failure(err, request.Credentials), false)
	}
	b.begin(begun, request)
	return State{Progress: Building}
}

// take returns a job that is to begin, or what has become of the one there is.
func (b *Builds) take(o Order) (*job, State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, State{Progress: Failed, Err: &Error{Message: errClosed.Error()}, Again: time.Now().Add(b.opts.Backoff)}
	}
	failures := 0
	if known := b.jobs[o.Owner]; known != nil {
		switch same := known.order.Identity == o.Identity && !known.unwanted; {
		case same && known.state.Progress == Building:
			known.order.Wake = o.Wake // of a controller that started anew
			return nil, known.state
		case same && known.state.Progress == Succeeded:
			return nil, known.state
		case same && time.Now().Before(known.state.Again):
			return nil, known.state
		case same:
			failures = known.failures
		case known.state.Progress == Building: // two of one owner must not be pushed at once: the later may end first
			known.order.Wake = o.Wake
			known.unwanted = true
			known.cancel(errUnwanted)
			return nil, State{Progress: Queued}
		}
	}
	if !b.placeLocked(o) {
		return nil, State{Progress: Queued}
	}
	b.forgetResultLocked(o.Owner)
	begun := &job{order: o, failures: failures, state: State{Progress: Building}, cancel: func(error) {}}
	b.jobs[o.Owner] = begun
	b.running++
	return begun, State{}
}

// placeLocked tells whether the owner may build now. If not, it is told when its turn comes.
func (b *Builds) placeLocked(o Order) bool {
	at := slices.IndexFunc(b.line, func(w *waiter) bool { return w.owner == o.Owner })
	place, mine := b.turns[o.Owner]
	if !mine && (len(b.line) > 0 || b.running+len(b.turns) >= b.opts.Workers) {
		if at >= 0 {
			b.line[at].wake = o.Wake
		} else {
			b.line = append(b.line, &waiter{owner: o.Owner, wake: o.Wake})
		}
		return false
	}
	if mine {
		place.timer.Stop()
		delete(b.turns, o.Owner)
	}
	return true
}

// callLocked gives the free places to those who wait longest, and returns how they are told.
func (b *Builds) callLocked() (wake []func()) {
	for !b.closed && len(b.line) > 0 && b.running+len(b.turns) < b.opts.Workers {
		next := b.line[0]
		b.line = b.line[1:]
		// One that does not come any more must not keep the others waiting.
		place := &turn{}
		place.timer = time.AfterFunc(promised, func() { b.endTurn(next.owner, place) })
		b.turns[next.owner] = place
		wake = append(wake, next.wake)
	}
	return wake
}

func (b *Builds) endTurn(owner string, over *turn) {
	b.mu.Lock()
	var wake []func()
	if b.turns[owner] == over {
		delete(b.turns, owner)
		wake = b.callLocked()
	}
	b.mu.Unlock()
	callAll(wake)
}

func callAll(wake []func()) {
	for _, call := range wake {
		if call != nil {
			call()
		}
	}
}

// prepare makes the request whole.
func (b *Builds) prepare(ctx context.Context, o Order) (r Request, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = panicError(recovered)
		}
	}()
	r = o.Request
	if o.Credentials != nil {
		if r.Credentials, err = o.Credentials(ctx); err != nil {
			return r, fmt.Errorf("pullSecret: %w", err)
		}
	}
	if r.Folder, err = os.MkdirTemp(b.opts.Dir, "orkestra-build-"); err != nil {
		return r, fmt.Errorf("make a folder for what is built from: %w", err)
	}
	return r, o.Source.copyTo(r.Folder, r.Dockerfile, b.opts.MaxContext)
}

// begin starts a build that has a place.
func (b *Builds) begin(j *job, r Request) {
	ctx, cancel := context.WithCancelCause(context.Background()) // it outlives the cycle that asks for it; Close ends it
	b.mu.Lock()
	defer b.mu.Unlock()
	j.cancel = cancel
	if b.closed { // nobody waits for it any more
		cancel(errClosed)
		_ = os.RemoveAll(r.Folder)
		return
	}
	if j.unwanted {
		cancel(errUnwanted)
	}
	b.wg.Go(func() {
		defer cancel(nil)
		b.run(ctx, j, r)
	})
}

func (b *Builds) run(ctx context.Context, j *job, r Request) {
	limited, stop := context.WithTimeoutCause(ctx, b.opts.Timeout, fmt.Errorf("it takes longer than %s (--build-timeout)", b.opts.Timeout))
	defer stop()
	start := time.Now()
	if j.order.Recorder != nil {
		j.order.Recorder.BuildBegan()
	}
	result, err := build(limited, j.order.By, r)
	if cause := context.Cause(limited); err != nil && cause != nil {
		err = cause
	}
	if j.order.Recorder != nil {
		j.order.Recorder.BuildEnded(time.Since(start), resultOf(err))
	}
	_ = os.RemoveAll(r.Folder) // what is left of it is found where temporary files are cleaned up
	if err != nil {
		err = failure(err, r.Credentials)
	}
	b.end(j, result, err, true)
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "success"
	case errors.Is(err, errUnwanted), errors.Is(err, errClosed):
		return "canceled"
	default:
		return "error"
	}
}

func build(ctx context.Context, by Builder, r Request) (result Result, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = panicError(recovered)
		}
	}()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return by.Build(ctx, r) //nolint:wrapcheck // whoever asked says what it was
}

// end notes what a build came to, and gives its place to the next. The owner is told of the end unless it knows.
func (b *Builds) end(j *job, result Result, err error, tell bool) State {
	b.mu.Lock()
	b.running--
	owner := j.order.Owner
	switch {
	case j.unwanted:
		if b.jobs[owner] == j {
			delete(b.jobs, owner)
		}
	case err != nil:
		wait := min(b.opts.MaxBackoff, b.opts.Backoff<<min(j.failures, 16))
		j.failures++
		j.state = State{Progress: Failed, Err: err, Again: time.Now().Add(wait)}
		b.rememberLocked(owner)
	default:
		j.state = State{Progress: Succeeded, Result: result}
		b.rememberLocked(owner)
	}
	state, wake := j.state, b.callLocked()
	if tell || j.unwanted {
		wake = append(wake, j.order.Wake)
	}
	b.mu.Unlock()
	callAll(wake)
	return state
}

// rememberLocked keeps what a build came to, in the place of the oldest where there are too many.
func (b *Builds) rememberLocked(owner string) {
	b.ended = append(b.ended, owner)
	for len(b.ended) > mostResults {
		b.dropLocked(b.ended[0])
		b.ended = b.ended[1:]
	}
}

func (b *Builds) dropLocked(owner string) {
	if known := b.jobs[owner]; known != nil && known.state.Progress != Building {
		delete(b.jobs, owner)
	}
}

// forgetResultLocked drops what the last build of an owner came to.
func (b *Builds) forgetResultLocked(owner string) {
	if at := slices.Index(b.ended, owner); at >= 0 {
		b.ended = slices.Delete(b.ended, at, at+1)
		b.dropLocked(owner)
	}
}

// Forget ends what an owner wants: its build is canceled, its place in the line is given up, and what its last build came to is forgotten.
func (b *Builds) Forget(owner string) {
	b.mu.Lock()
	b.line = slices.DeleteFunc(b.line, func(w *waiter) bool { return w.owner == owner })
	if place, mine := b.turns[owner]; mine {
		place.timer.Stop()
		delete(b.turns, owner)
	}
	b.forgetResultLocked(owner)
	if known := b.jobs[owner]; known != nil {
		known.unwanted = true
		known.order.Wake = nil
		known.cancel(errUnwanted)
	}
	wake := b.callLocked()
	b.mu.Unlock()
	callAll(wake)
}

// Close cancels all builds and waits for their ends. There are none afterwards.
func (b *Builds) Close() {
	b.mu.Lock()
	b.closed = true
	for _, one := range b.jobs {
		one.cancel(errClosed)
	}
	for owner, place := range b.turns {
		place.timer.Stop()
		delete(b.turns, owner)
	}
	b.line = nil
	b.mu.Unlock()
	b.wg.Wait()
}
