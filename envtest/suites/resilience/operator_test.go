package resilience_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// operator is a Manager with one or more engines that runs in this process.
type operator struct {
	network *network
	logbook *logbook
	engines []*engine.Engine
	cancel  context.CancelFunc
	ended   chan error
}

// setup is what an operator is made of.
type setup struct {
	config  *rest.Config
	manager ctrl.Options
	// engines to make; of an empty list, one with the Katalogs.
	engines []engine.Options
}

// start runs the Katalogs, and has them stopped at the end of the spec.
func start(katalogs ...string) *operator {
	GinkgoHelper()
	return setup{engines: []engine.Options{{Katalogs: parse(katalogs...)}}}.start()
}

func (s setup) start() *operator {
	GinkgoHelper()
	if s.config == nil {
		s.config = env.Config()
	}
	o := &operator{network: &network{}, logbook: &logbook{}, ended: make(chan error, 1)}
	s.manager.Logger = o.logbook.logger()
	s.manager.Metrics = metricsserver.Options{BindAddress: "0"}
	mgr, err := ctrl.NewManager(o.network.through(s.config), s.manager)
	Expect(err).NotTo(HaveOccurred())
	for _, opts := range s.engines {
		e, err := engine.New(mgr, opts)
		Expect(err).NotTo(HaveOccurred())
		o.engines = append(o.engines, e)
	}
	o.run(mgr)
	DeferCleanup(o.stop)
	return o
}

func (o *operator) run(mgr manager.Manager) {
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	go func() {
		defer GinkgoRecover()
		o.ended <- mgr.Start(ctx)
		close(o.ended)
	}()
}

// stop ends the operator and its connections. A second stop does nothing.
func (o *operator) stop() {
	GinkgoHelper()
	o.cancel()
	Eventually(o.ended, 40*time.Second).Should(Or(Receive(BeNil()), BeClosed()))
	o.network.disconnect()
}

// state is that of one entry of the first engine that has it.
func (o *operator) state(entry string) engine.State {
	for _, e := range o.engines {
		for _, state := range e.States() {
			if state.Name == entry {
				return state
			}
		}
	}
	return engine.State{}
}

func (o *operator) running(entry string) func() bool {
	return func() bool { return o.state(entry).Running }
}

// awaitRunning waits until the entries run.
func (o *operator) awaitRunning(entries ...string) {
	GinkgoHelper()
	for _, entry := range entries {
		Eventually(o.running(entry), 15*time.Second, 20*time.Millisecond).Should(BeTrue(), func() string {
			return fmt.Sprintf("entry %s: %+v", entry, o.state(entry).Health)
		})
	}
}

func parse(katalogs ...string) []*orkv1.Katalog {
	GinkgoHelper()
	list := make([]*orkv1.Katalog, 0, len(katalogs))
	for _, text := range katalogs {
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		for _, document := range result.Documents {
			list = append(list, document.Katalog)
		}
	}
	return list
}

// logbook keeps the lines that an operator logs as errors.
type logbook struct {
	mu   sync.Mutex // guards errs
	errs []string
}

func (l *logbook) logger() logr.Logger {
	return funcr.New(func(prefix, args string) {
		_, _ = fmt.Fprintln(GinkgoWriter, prefix, args)
		if strings.Contains(args, `"error"=`) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.errs = append(l.errs, prefix+" "+args)
		}
	}, funcr.Options{LogTimestamp: true})
}

func (l *logbook) errors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.errs...)
}
