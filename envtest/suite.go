package envtest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Main starts an environment, hands it to set, runs the tests of m, which is a *testing.M, and stops the environment. It
// returns the exit code for TestMain: that of the tests, or 1 when the environment can't be started or stopped, with the
// reason on stderr.
//
// SIGINT and SIGTERM stop the environment and then end the process as they would have without Main. A program that calls
// Start handles signals itself.
func Main(m interface{ Run() int }, opts Options, set func(*Environment)) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)

	var env *Environment
	started, finished := make(chan struct{}), make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-finished:
			signal.Stop(signals)
		case sig := <-signals:
			cancel()
			<-started
			if env != nil {
				report(env.Stop())
			}
			signal.Reset(sig)
			report(raise(sig))
		}
	})

	env, err := Start(ctx, opts)
	close(started)
	code := report(err)
	if err == nil {
		set(env)
		code = m.Run()
	}
	close(finished)
	watcher.Wait()
	if env != nil {
		code = max(code, report(env.Stop()))
	}
	return code
}

// report writes the error to stderr and returns the exit code for it.
func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "envtest:", err)
	return 1
}

// raise sends the signal to this process.
func raise(sig os.Signal) error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(sig)
}
