package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// declared is a Katalog of one CRD, as far as specs differ.
type declared struct {
	// kind of the resources. Defaults to Widget.
	kind string
	// entry is YAML of the CRD's entry besides apiTypes, namespace and operatorBox.
	entry string
	// box is the YAML of operatorBox.
	box string
	// now is the clock. Defaults to the real one.
	now func() time.Time
}

// operator is an engine that operates the resources of one namespace.
type operator struct {
	*requests
	namespace string
	engine    *engine.Engine
	cancel    context.CancelFunc
	done      chan error
	before    float64
}

// operate starts an engine for the resources of the namespace and waits until it runs. An engine that starts in a namespace after
// another one has stopped takes over from it.
func operate(ctx context.Context, namespace string, d declared) *operator {
	GinkgoHelper()
	o := &operator{requests: &requests{}, namespace: namespace, done: make(chan error, 1)}
	o.before = o.total()
	cfg := env.Config()
	cfg.Wrap(o.wrap)
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	o.engine, err = engine.New(mgr, engine.Options{Katalogs: []*orkv1.Katalog{d.parse(namespace)}, Namespace: namespace, Now: d.now})
	Expect(err).NotTo(HaveOccurred())

	ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() { o.done <- mgr.Start(ctx) }()
	DeferCleanup(o.stop)
	Eventually(func() bool { return o.state().Running }).Should(BeTrue())
	o.settle() // a late event of the definition has it read once more
	return o
}

// stop ends the engine. A second call does nothing.
func (o *operator) stop() {
	GinkgoHelper()
	if o.cancel == nil {
		return
	}
	o.cancel()
	o.cancel = nil
	Eventually(o.done).WithTimeout(30 * time.Second).Should(Receive(BeNil()))
}

func (d declared) parse(namespace string) *orkv1.Katalog {
	GinkgoHelper()
	if d.kind == "" {
		d.kind = "Widget"
	}
	text := fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: pipeline}
spec:
  crds:
    %s:
      apiTypes: {group: test.example.com, version: v1, kind: %s, plural: %ss}
      namespace: %s
%s
      operatorBox:
%s
`, namespace, d.kind, strings.ToLower(d.kind), namespace, indent(d.entry, 6), indent(d.box, 8))
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	return result.Documents[0].Katalog
}

func indent(text string, by int) string {
	return strings.ReplaceAll("\n"+strings.Trim(text, "\n"), "\n", "\n"+strings.Repeat(" ", by))
}

func (o *operator) state() engine.State { return o.engine.States()[0] }

// total is how many cycles there were in the namespace, by the metrics.
func (o *operator) total() float64 {
	return max(0, series.Sum("controller_reconcile_total", map[string]string{"crd": o.namespace})) // before the engine starts there are none
}

// cycles is how many cycles this engine has run.
func (o *operator) cycles() int { return int(o.total() - o.before) }

// settle waits until nothing is queued, and no cycle has run and nothing was asked of the server for a while.
func (o *operator) settle() {
	GinkgoHelper()
	const rest = 250 * time.Millisecond
	type progress struct{ cycles, requests int }
	last, since := progress{-1, -1}, time.Now()
	Eventually(func() bool {
		if now := (progress{o.cycles(), len(o.seen())}); now != last || o.state().Busy > 0 {
			last, since = now, time.Now()
		}
		return time.Since(since) >= rest
	}).Should(BeTrue(), "the engine does not come to rest")
}

// cycle has one cycle run for a resource by an annotation that means nothing.
func (o *operator) cycle(ctx context.Context, kind, name string) {
	GinkgoHelper()
	before := o.cycles()
	patch(ctx, object(kind, o.namespace, name, ""), fmt.Sprintf(`{"metadata":{"annotations":{"test.example.com/touched":%q}}}`, time.Now().Format(time.RFC3339Nano)))
	Eventually(o.cycles).Should(BeNumerically(">", before))
	o.settle()
}

// expectConverged expects that a further cycle of the Widget w asks nothing of the server.
func (o *operator) expectConverged(ctx context.Context) {
	GinkgoHelper()
	o.settle()
	o.take()
	o.cycle(ctx, "Widget", "w")
	Expect(o.take()).To(BeEmpty(), "a converged resource costs no request")
}
