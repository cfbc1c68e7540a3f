package observe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// staged is a path of an entry whose enqueue gate makes a call, which names the resource and its generation.
func staged(t *testing.T, calls external.Caller, policy string, room int) *Path {
	t.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	var crd orkv1.CRD
	if err := yaml.UnmarshalStrict([]byte(`operatorBox:
  preReconcile:
    sentinels: [generationChanged, labelsChanged]
    external: [{name: shared, url: "http://a/{{ .metadata.name }}/{{ .metadata.generation }}"}]
    enqueueGate: {failPolicy: `+policy+`, when: [{field: external.shared.body, notEquals: closed}]}
    reconcileGate: {eventAware: true}
`), &crd); err != nil {
		t.Fatal(err)
	}
	crd.APITypes = orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Shop"}
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"shop": crd}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[queue.Item](time.Second, time.Second)
	q := queue.New("shop", limiter, queue.Options{})
	t.Cleanup(q.ShutDown)
	return &Path{Set: sets[0], Queue: q, Stage: newStage(calls, room)}
}

func shop(name string, generation int64, labels map[string]string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"})
	o.SetNamespace("default")
	o.SetName(name)
	o.SetGeneration(generation)
	o.SetLabels(labels)
	return o
}

func (p *Path) change(before, after *unstructured.Unstructured) {
	p.Offer(Occurrence{
		Resource: types.NamespacedName{Namespace: "default", Name: after.GetName()}, Source: queue.SourcePrimary, Before: before, After: after,
	})
}

// asked is a caller that notes who asks, and answers when it is let.
type asked struct {
	mu   sync.Mutex // guards urls
	urls []string
	let  chan struct{}
}

func (a *asked) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	a.mu.Lock()
	a.urls = append(a.urls, r.URL)
	a.mu.Unlock()
	select {
	case <-a.let:
	case <-ctx.Done():
	}
	return external.Answer{StatusCode: 200, Text: "open"}, nil
}

func (a *asked) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.urls)
}

// An informer never waits for an answer; one resource that waits does not hold up another one; and its events keep their order.
func TestStageOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := &asked{let: make(chan struct{})}
		p := staged(t, caller, "open", 100)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { p.Stage.Run(ctx, p) })
		for generation := range int64(3) {
			p.change(shop("one", generation, nil), shop("one", generation+1, nil))
		}
		p.change(shop("two", 1, nil), shop("two", 2, nil))
		synctest.Wait()
		if got := caller.seen(); len(got) != 2 {
			t.Errorf("asked %v, want one question for each resource", got)
		}
		if depth := p.Queue.Depth(); depth != 0 {
			t.Errorf("%d items are queued before a gate has decided", depth)
		}
		close(caller.let)
		synctest.Wait()
		ofOne := slices.DeleteFunc(caller.seen(), func(url string) bool { return url == "http://a/two/2" })
		if diff := cmp.Diff([]string{"http://a/one/1", "http://a/one/2", "http://a/one/3"}, ofOne); diff != "" {
			t.Errorf("the events of a resource keep their order: -want, +got:\n%s", diff)
		}
		if depth, left := p.Queue.Depth(), p.Stage.Len(); depth != 4 || left != 0 {
			t.Errorf("%d items are queued and %d events left, want 4 and 0", depth, left)
		}
		cancel()
		running.Wait()
	})
}

// A stage that is full loses nothing: events of one resource become one, whose sentinels are true if they were for one of them.
func TestStageFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller := &asked{let: make(chan struct{})}
		p := staged(t, caller, "open", 2)
		p.change(shop("one", 1, nil), shop("one", 2, nil))
		p.change(shop("two", 1, nil), shop("two", 2, nil))
		for i := range 50 { // the stage is full
			p.change(shop("one", 2, map[string]string{"n": fmt.Sprint(i)}), shop("one", 2, map[string]string{"n": fmt.Sprint(i + 1)}))
		}
		p.change(shop("three", 1, nil), shop("three", 2, nil))
		if got := p.Stage.Len(); got != 3 {
			t.Errorf("%d events wait, want one for each resource", got)
		}
		merged := p.Stage.waiting[types.NamespacedName{Namespace: "default", Name: "one"}][0]
		if want := map[string]bool{"generationChanged": true, "labelsChanged": true}; !cmp.Equal(merged.scene.Sentinels, want) {
			t.Errorf("merged sentinels are %v, want %v", merged.scene.Sentinels, want)
		}
		if got := merged.object.GetLabels()["n"]; got != "50" {
			t.Errorf("the merged event shows label %s, want the newest, 50", got)
		}
		close(caller.let)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { p.Stage.Run(ctx, p) })
		synctest.Wait()
		if depth := p.Queue.Depth(); depth != 3 {
			t.Errorf("%d items are queued, want 3", depth)
		}
		cancel()
		running.Wait()
	})
}

// A resource that is on its way out waits for no answer.
func TestStageDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := staged(t, &asked{let: make(chan struct{})}, "closed", 100)
		p.Offer(Occurrence{Resource: types.NamespacedName{Namespace: "default", Name: "one"}, Source: queue.SourcePrimary, Before: shop("one", 1, nil)})
		if depth, left := p.Queue.Depth(), p.Stage.Len(); depth != 1 || left != 0 {
			t.Errorf("%d items are queued and %d events wait, want 1 and 0", depth, left)
		}
	})
}

// Defect 4: the policy of a gate holds for the shared calls as well.
func TestDefect04FailPolicy(t *testing.T) {
	cases := map[string]struct {
		reason, policy string
		answer         external.Answer
		err            error
		queued         int
	}{
		"Open":           {"open passes when a call fails", "open", external.Answer{}, &external.StatusError{Code: 503}, 1},
		"Closed":         {"closed does not", "closed", external.Answer{}, &external.StatusError{Code: 503}, 0},
		"ClosedAnswered": {"and passes when the answer says so", "closed", external.Answer{StatusCode: 200, Text: "open"}, nil, 1},
		"OpenAnswered":   {"open does not pass what the answer forbids", "open", external.Answer{StatusCode: 200, Text: "closed"}, nil, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := staged(t, external.CallerFunc(func(context.Context, external.Request) (external.Answer, error) { return tc.answer, tc.err }), tc.policy, 100)
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() { p.Stage.Run(ctx, p) })
				p.change(shop("one", 1, nil), shop("one", 2, nil))
				synctest.Wait()
				if depth := p.Queue.Depth(); depth != tc.queued {
					t.Errorf("\n%s\n%d items are queued, want %d", tc.reason, depth, tc.queued)
				}
				cancel()
				running.Wait()
			})
		})
	}
}
