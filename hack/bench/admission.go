//nolint:tagliatelle // bench.json has names that are read elsewhere
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

//go:embed katalog/gated.yaml
var gatedFile []byte

const (
	// admissionRate is how many Websites are created in a second, whether the ones before are there or not.
	admissionRate = 100
	// gatedRules is how many rules the Katalog of the gateway has.
	gatedRules = 10
	// gatewayNamespace is the gateway's own.
	gatewayNamespace = "bench-gateway"
)

// admission is what a gateway adds to the creation of a Website.
type admission struct {
	Rules            int     `json:"rules"`
	CreatesPerSecond int     `json:"creates_per_second"`
	Seconds          float64 `json:"seconds"`
	// Without and With are the 99th percentiles of a creation, Added the difference of the two of a round, in milliseconds.
	WithoutP99MS spread `json:"without_p99_ms"`
	WithP99MS    spread `json:"with_p99_ms"`
	AddedP99MS   spread `json:"added_p99_ms"`
	AddedP50MS   spread `json:"added_p50_ms"`
}

func (a *admission) String() string {
	return fmt.Sprintf("admission by %d rules at %d creates/s: p99 %+.2f (%.2f to %.2f) ms, from %.2f to %.2f ms; p50 %+.2f ms",
		a.Rules, a.CreatesPerSecond, a.AddedP99MS.Median, a.AddedP99MS.Min, a.AddedP99MS.Max, a.WithoutP99MS.Median, a.WithP99MS.Median, a.AddedP50MS.Median)
}

// measureAdmission creates Websites at a steady rate for a time, in every round without any webhook and with those of a gateway. No operator runs.
func (b *bench) measureAdmission(ctx context.Context, config *rest.Config, o options) (*admission, error) {
	_, err := b.clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gatewayNamespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create the gateway's namespace: %w", err)
	}
	logf.SetLogger(logr.Discard())
	config = rest.CopyConfig(config)
	config.QPS = -1
	var without, with, added, addedMedian []float64
	for round := range o.rounds {
		var p99, p50 [2]time.Duration
		order := []bool{false, true}
		if round%2 == 1 { // neither is always the first one
			order = []bool{true, false}
		}
		for _, gated := range order {
			latencies, err := b.admit(ctx, config, gated, o.admission)
			if err != nil {
				return nil, err
			}
			at := 0
			if gated {
				at = 1
			}
			p99[at], p50[at] = percentile(latencies, 99), percentile(latencies, 50)
		}
		without, with = append(without, milliseconds(p99[0])), append(with, milliseconds(p99[1]))
		added, addedMedian = append(added, milliseconds(p99[1]-p99[0])), append(addedMedian, milliseconds(p50[1]-p50[0]))
		b.sayf("admission, round %d of %d: p99 %s without, %s with %d rules", round+1, o.rounds, p99[0].Round(10*time.Microsecond), p99[1].Round(10*time.Microsecond), gatedRules)
	}
	return &admission{
		Rules: gatedRules, CreatesPerSecond: admissionRate, Seconds: o.admission.Seconds(),
		WithoutP99MS: spreadOf(without), WithP99MS: spreadOf(with), AddedP99MS: spreadOf(added), AddedP50MS: spreadOf(addedMedian),
	}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// admit measures once, and leaves nothing behind.
func (b *bench) admit(ctx context.Context, config *rest.Config, gated bool, during time.Duration) (latencies []time.Duration, err error) {
	if gated {
		stop, err := b.startGateway(ctx, config)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	// Connections, caches and the compiler of the API server get a second that does not count.
	if _, err := b.createSteadily(ctx, admissionRate); err != nil {
		return nil, err
	}
	if err := b.removeAll(ctx); err != nil {
		return nil, err
	}
	if latencies, err = b.createSteadily(ctx, int(during.Seconds()*admissionRate)); err != nil {
		return nil, err
	}
	return latencies, b.removeAll(ctx)
}

// createSteadily creates n Websites at admissionRate, and returns how long each took. It does not wait for one before the next: a server that is late makes
// all that follow wait, and that counts.
func (c *cluster) createSteadily(ctx context.Context, n int) ([]time.Duration, error) {
	latencies, errs := make([]time.Duration, n), make([]error, n)
	var running sync.WaitGroup
	defer running.Wait()
	ticker := time.NewTicker(time.Second / admissionRate)
	defer ticker.Stop()
	for i := range n {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("create Websites: %w", ctx.Err())
		case <-ticker.C:
		}
		running.Go(func() {
			began := time.Now()
			_, errs[i] = c.objects.Resource(websites).Namespace(namespace).Create(ctx, website(i), metav1.CreateOptions{})
			latencies[i] = time.Since(began)
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("create Websites: %w", err)
	}
	return latencies, nil
}

// startGateway starts a gateway, and waits until the API server asks it. Stop has it take its webhooks along.
func (b *bench) startGateway(ctx context.Context, config *rest.Config) (stop func() error, err error) {
	loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "gated.yaml", gatedFile)
	if err != nil {
		return nil, fmt.Errorf("read the gateway's Katalog: %w", err)
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return nil, fmt.Errorf("make the gateway's manager: %w", err)
	}
	if _, err := server.New(mgr, server.Options{
		Katalogs: []*orkv1.Katalog{loaded.Documents[0].Katalog}, Namespace: gatewayNamespace, Host: "127.0.0.1", Port: port,
		URL: fmt.Sprintf("https://127.0.0.1:%d", port),
	}); err != nil {
		return nil, fmt.Errorf("make the gateway: %w", err)
	}
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	end := func() error {
		cancel()
		return <-ended
	}
	if err := b.awaitGateway(ctx, true); err != nil {
		return nil, errors.Join(err, end())
	}
	return func() error { return errors.Join(end(), b.awaitGateway(ctx, false)) }, nil
}

// awaitGateway waits until the API server asks a gateway about Websites, or does so no more.
func (c *cluster) awaitGateway(ctx context.Context, asks bool) error {
	return poll(ctx, "the API server does not ask the gateway, or does not cease to", func(ctx context.Context) (bool, error) {
		_, err := c.clients.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(ctx, registration.AdmissionValidation, metav1.GetOptions{})
		if !asks {
			return apierrors.IsNotFound(err), nil
		}
		wrong := website(0)
		wrong.Object["spec"].(map[string]any)["replicas"] = int64(99)
		_, err = c.objects.Resource(websites).Namespace(namespace).Create(ctx, wrong, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInvalid(err), nil
	})
}

func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
