package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// figures are what one operator came to in one round at one size.
type figures struct {
	// converge is from the first request to create a Website until the last child was seen.
	converge time.Duration
	// latencies are, for each Website, from the request to create it until both children were seen.
	latencies []time.Duration
	// requests came from before the first Website until the operator was quiet.
	requests counts
	// usage of the process from its start until then.
	usage usage
	// repair is from the request to delete a Deployment until the new one was seen.
	repair time.Duration
	// idle are the requests while there was nothing to do. Nil when it was not measured.
	idle counts
	// restart are the requests after the operator was stopped and started again. Nil when it was not measured.
	restart counts
}

// brief sums the figures up for the progress.
func (f figures) brief(size int) string {
	text := fmt.Sprintf("converge %6.2f s, CPU %5.2f s, peak RSS %3d MB, %.2f requests per Website", f.converge.Seconds(), f.usage.cpu.Seconds(),
		f.usage.peakRSS>>20, float64(f.requests.of(read, write).total())/float64(size))
	if f.idle.total() > 0 {
		text += "; idle: " + f.idle.String()
	}
	if f.restart.total() > 0 {
		text += "; after the restart: " + f.restart.String()
	}
	return text
}

// extras are the parts of a measurement that not every round has.
type extras struct {
	idle    time.Duration
	restart bool
}

// bench measures operators in one control plane.
type bench struct {
	*cluster
	logs     string
	progress io.Writer
}

func (b *bench) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, time.Now().Format(time.TimeOnly)+"  "+format+"\n", args...)
}

// measure runs the operator alone with n Websites and leaves nothing behind.
func (b *bench) measure(ctx context.Context, op operator, n int, extra extras) (figures, error) {
	var f figures
	err := b.running(ctx, op, func(ctx context.Context, p *process) error { return b.work(ctx, p, n, extra.idle, &f) })
	if err == nil && extra.restart {
		f.restart, err = b.restart(ctx, op)
	}
	if err != nil {
		return f, err
	}
	return f, b.removeAll(ctx)
}

// work is what an operator is measured at while it runs. Without idle, that is left out.
func (b *bench) work(ctx context.Context, p *process, n int, idle time.Duration, f *figures) (err error) {
	if err := b.converge(ctx, p, n, f); err != nil {
		return err
	}
	if err := b.verify(ctx, websiteName(0)); err != nil {
		return err
	}
	if f.repair, err = b.repair(ctx, websiteName(n/2)); err != nil {
		return err
	}
	if idle > 0 {
		f.idle, err = b.idle(ctx, idle)
	}
	return err
}

// running starts the operator, calls f once it is ready and quiet, and stops it.
func (b *bench) running(ctx context.Context, op operator, f func(context.Context, *process) error) (err error) {
	before, err := b.awaitQuiet(ctx)
	if err != nil {
		return err
	}
	p, err := startProcess(op, b.logs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	return p.during(ctx, func(ctx context.Context) error {
		if err := b.awaitWatches(ctx, before); err != nil {
			return err
		}
		if _, err := b.awaitQuiet(ctx); err != nil {
			return err
		}
		return f(ctx, p)
	})
}

// converge creates n Websites and follows what becomes of them.
func (b *bench) converge(ctx context.Context, p *process, n int, f *figures) error {
	children, err := b.watchChildren(ctx)
	if err != nil {
		return err
	}
	defer children.stop()
	before, err := b.snapshot(ctx)
	if err != nil {
		return err
	}

	// Arrivals are received while Websites are still being created.
	var created, complete map[string]time.Time
	both, bothCtx := errgroup.WithContext(ctx)
	begin := time.Now()
	both.Go(func() (err error) { created, err = b.createWebsites(bothCtx, n); return err })
	both.Go(func() (err error) { complete, err = children.await(bothCtx, n); return err })
	if err := both.Wait(); err != nil {
		return err
	}
	for name, at := range complete {
		f.converge = max(f.converge, at.Sub(begin))
		f.latencies = append(f.latencies, at.Sub(created[name]))
	}

	after, err := b.awaitQuiet(ctx)
	if err != nil {
		return err
	}
	if f.usage, err = p.usage(); err != nil {
		return err
	}
	reported, err := b.repairEvents(ctx)
	f.requests = after.since(before).without(counts{postWebsite: n}).without(reported)
	return err
}

// repair deletes a Deployment and waits until it is there again.
func (b *bench) repair(ctx context.Context, name string) (time.Duration, error) {
	children, err := b.watchChildren(ctx)
	if err != nil {
		return 0, err
	}
	defer children.stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begin := time.Now()
	if err := b.objects.Resource(deployments).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return 0, fmt.Errorf("delete Deployment %s: %w", name, err)
	}
	again, err := children.next(ctx)
	if err != nil {
		return 0, fmt.Errorf("deleted Deployment %s does not come back: %w", name, err)
	}
	return again.at.Sub(begin), nil
}

// idle counts the requests for objects while nothing happens.
func (b *bench) idle(ctx context.Context, length time.Duration) (counts, error) {
	before, err := b.awaitQuiet(ctx)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(length):
	case <-ctx.Done():
		return nil, fmt.Errorf("idle: %w", context.Cause(ctx))
	}
	after, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return after.since(before).of(read, write), nil
}

// restart starts the operator anew and returns what it requests until it is quiet.
func (b *bench) restart(ctx context.Context, op operator) (counts, error) {
	before, err := b.awaitQuiet(ctx)
	if err != nil {
		return nil, err
	}
	var requests counts
	err = b.running(ctx, op, func(ctx context.Context, _ *process) error {
		after, err := b.snapshot(ctx)
		requests = after.since(before).of(read, write)
		return err
	})
	return requests, err
}
