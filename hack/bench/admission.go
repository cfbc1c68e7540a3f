//nolint:tagliatelle // bench.json has names that are read elsewhere
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
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

// The webhooks that are measured, by who serves them.
const (
	// webhooksNone are none.
	webhooksNone = "none"
	// webhooksHandwritten are those of hack/bench/handwritten/webhook.
	webhooksHandwritten = "handwritten"
	// webhooksOurs are those of a gateway with the Katalog of gated.yaml.
	webhooksOurs = "ours"
)

// admission is what webhooks with the same rules add to the creation of a Website, in milliseconds.
type admission struct {
	Rules            int     `json:"rules"`
	CreatesPerSecond int     `json:"creates_per_second"`
	Seconds          float64 `json:"seconds"`
	// P99MS and P50MS are percentiles of a creation by who serves the webhooks: none, handwritten or ours.
	P99MS map[string]spread `json:"p99_ms"`
	P50MS map[string]spread `json:"p50_ms"`
	// AddedP99MS and AddedP50MS are the differences to the creations of the same round without any webhook.
	AddedP99MS map[string]spread `json:"added_p99_ms"`
	AddedP50MS map[string]spread `json:"added_p50_ms"`
}

func (a *admission) String() string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "admission by %d rules at %d creates/s, without webhooks p99 %.2f ms, p50 %.2f ms",
		a.Rules, a.CreatesPerSecond, a.P99MS[webhooksNone].Median, a.P50MS[webhooksNone].Median)
	for _, by := range []string{webhooksHandwritten, webhooksOurs} {
		p99, p50 := a.AddedP99MS[by], a.AddedP50MS[by]
		fmt.Fprintf(text, "; %s p99 %+.2f (%.2f to %.2f) ms, p50 %+.2f (%.2f to %.2f) ms", by, p99.Median, p99.Min, p99.Max, p50.Median, p50.Min, p50.Max)
	}
	return text.String()
}

// measureAdmission creates Websites at a steady rate for a time, in every round without any webhook, with those of a gateway and with hand-written
// ones. No operator runs.
func (b *bench) measureAdmission(ctx context.Context, config *rest.Config, o options) (*admission, error) {
	_, err := b.clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gatewayNamespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create the gateway's namespace: %w", err)
	}
	logf.SetLogger(logr.Discard())
	config = rest.CopyConfig(config)
	config.QPS = -1
	legs := []leg{{name: webhooksNone}, {webhooksHandwritten, b.startHandwritten}, {webhooksOurs, b.startGateway}}
	p99, p50, added99, added50 := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for round := range o.rounds {
		for i := range legs {
			one := legs[(round+i)%len(legs)] // none is always the first one
			latencies, err := b.admit(ctx, config, one, o.admission)
			if err != nil {
				return nil, fmt.Errorf("webhooks of %s: %w", one.name, err)
			}
			p99[one.name] = append(p99[one.name], milliseconds(percentile(latencies, 99)))
			p50[one.name] = append(p50[one.name], milliseconds(percentile(latencies, 50)))
		}
		said := &strings.Builder{}
		for _, one := range legs {
			fmt.Fprintf(said, ", %s p99 %.2f ms", one.name, p99[one.name][round])
			added99[one.name] = append(added99[one.name], p99[one.name][round]-p99[webhooksNone][round])
			added50[one.name] = append(added50[one.name], p50[one.name][round]-p50[webhooksNone][round])
		}
		b.sayf("admission, round %d of %d%s", round+1, o.rounds, said)
	}
	delete(added99, webhooksNone)
	delete(added50, webhooksNone)
	return &admission{
		Rules: gatedRules, CreatesPerSecond: admissionRate, Seconds: o.admission.Seconds(),
		P99MS: spreads(p99), P50MS: spreads(p50), AddedP99MS: spreads(added99), AddedP50MS: spreads(added50),
	}, nil
}

func spreads(all map[string][]float64) map[string]spread {
	by := map[string]spread{}
	for name, values := range all {
		by[name] = spreadOf(values)
	}
	return by
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// leg is one way to serve webhooks. Start returns when the API server asks them, and stop when it does so no more; nil serves none.
type leg struct {
	name  string
	start func(context.Context, *rest.Config) (stop func() error, err error)
}

// admit measures once, and leaves nothing behind.
func (b *bench) admit(ctx context.Context, config *rest.Config, one leg, during time.Duration) (latencies []time.Duration, err error) {
	if one.start != nil {
		stop, err := one.start(ctx, config)
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
