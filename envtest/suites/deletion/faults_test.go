package deletion_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// life is one resource that is made and deleted, and the one request of it that fails.
type life struct {
	// deleteAt is the request before which somebody deletes the resource: 0 is at once, and never that it is ready before.
	deleteAt int
	// failAt is the request that fails, and answered tells how: the server does what it is asked and the answer is lost, or the server
	// refuses.
	failAt int
	lost   bool

	requests int
	failed   bool
}

const never = 1 << 20

func (l *life) String() string {
	return fmt.Sprintf("deleted at request %d, request %d of %d fails, answer lost: %t", l.deleteAt, l.failAt, l.requests, l.lost)
}

// faults fails requests on their way to the server.
type faults struct {
	delete func(name string)

	mu    sync.Mutex // guards lives and what is in them
	lives map[string]*life
}

var lifeName = regexp.MustCompile(`life-[0-9]+`)

var errLost = errors.New("connection reset by the test")

func (f *faults) through(cfg *rest.Config) {
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) { return f.send(request, next) })
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func (f *faults) send(request *http.Request, next http.RoundTripper) (*http.Response, error) {
	name, err := lifeOf(request)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	one := f.lives[name]
	if one == nil {
		f.mu.Unlock()
		return next.RoundTrip(request)
	}
	one.requests++
	dies, fails := one.requests == one.deleteAt, one.requests == one.failAt
	one.failed = one.failed || fails
	lost := one.lost
	f.mu.Unlock()
	if dies {
		f.delete(name)
	}
	switch {
	case fails && lost:
		answer, err := next.RoundTrip(request)
		if err == nil {
			_ = answer.Body.Close()
		}
		return nil, errLost
	case fails:
		body := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not now","reason":"InternalError","code":500}`
		return &http.Response{
			StatusCode: http.StatusInternalServerError, Status: "500", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
	return next.RoundTrip(request)
}

// lifeOf finds whom a request is about: by its address, or by what it sends.
func lifeOf(request *http.Request) (string, error) {
	if strings.Contains(request.URL.Path, "/events") {
		return "", nil
	}
	if name := lifeName.FindString(request.URL.Path); name != "" || request.Body == nil {
		return name, nil
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return "", err
	}
	_ = request.Body.Close()
	request.Body = io.NopCloser(bytes.NewReader(body))
	return lifeName.FindString(string(body)), nil
}

var _ = Describe("Whatever request fails", func() {
	It("nothing is left of a deleted resource, and no finalizer is stuck", func(ctx context.Context) {
		const mostRequests = 26
		space, away := newNamespace(ctx), newNamespace(ctx)
		f := &faults{lives: map[string]*life{}, delete: func(name string) {
			_ = client.IgnoreNotFound(cluster.Delete(ctx, widget(space, name, nil)))
		}}
		for _, deleteAt := range []int{0, 1, 3, 5, never} {
			for failAt := range mostRequests {
				for _, lost := range []bool{false, true} {
					f.lives[fmt.Sprintf("life-%03d", len(f.lives))] = &life{deleteAt: deleteAt, failAt: failAt + 1, lost: lost}
				}
			}
		}
		operate(ctx, space, fmt.Sprintf(`
      operatorBox:
        reconciler: {workers: 20}
        onReconcile:
          configMaps:
            - {name: "{{ .metadata.name }}"}
            - {name: "{{ .metadata.name }}", namespace: %s}
          custom:
            - {apiVersion: deletion.example.com/v1, kind: Zone, metadata: {name: "{{ .metadata.name }}"}}
            - {apiVersion: deletion.example.com/v1, kind: Part, metadata: {name: "{{ .metadata.name }}-a", namespace: %s, annotations: {orkestra.konductor.io/depth: "0"}}}
            - {apiVersion: deletion.example.com/v1, kind: Part, metadata: {name: "{{ .metadata.name }}-b", namespace: %s, annotations: {orkestra.konductor.io/depth: "1"}}}
`, away, away, away), f.through)
		names := slices.Sorted(maps.Keys(f.lives))
		for _, name := range names {
			create(ctx, widget(space, name, nil))
			if f.lives[name].deleteAt == 0 {
				f.delete(name)
			}
		}
		Eventually(func() (unready []string) {
			for _, name := range names {
				w := widget(space, name, nil)
				if f.lives[name].deleteAt == never && ready(ctx, w)() != isReady {
					unready = append(unready, name+" "+ready(ctx, w)())
				}
			}
			return unready
		}, 3*time.Minute, time.Second).Should(BeEmpty())
		for _, name := range names { // also those that converged in fewer requests than they were to be deleted at
			f.delete(name)
		}

		left := func(kind schema.GroupVersionKind, namespace string) []string {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kind)
			if err := cluster.List(ctx, list, client.InNamespace(namespace)); err != nil {
				return []string{err.Error()}
			}
			var lines []string
			f.mu.Lock()
			defer f.mu.Unlock()
			for i := range list.Items {
				if one := f.lives[lifeName.FindString(list.Items[i].GetName())]; one != nil {
					lines = append(lines, fmt.Sprintf("%s %s (%s)", kind.Kind, list.Items[i].GetName(), one))
				}
			}
			return lines
		}
		own := func(kind string) schema.GroupVersionKind { return object(kind, "", "").GroupVersionKind() }
		Eventually(left, 4*time.Minute, time.Second).WithArguments(own("Widget"), space).Should(BeEmpty(), "resources that don't go")
		Expect(left(own("Part"), away)).To(BeEmpty())
		Expect(left(own("Zone"), "")).To(BeEmpty())
		configMaps := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
		Expect(left(configMaps, away)).To(BeEmpty())
		Eventually(left, 4*time.Minute, time.Second).WithArguments(configMaps, space).Should(BeEmpty(), "children that garbage collection takes")

		f.mu.Lock()
		defer f.mu.Unlock()
		points := map[int]bool{}
		for _, one := range f.lives {
			Expect(one.failAt < mostRequests || !one.failed).To(BeTrue(), "there are requests behind the last that fails: %s", one)
			points[one.deleteAt] = points[one.deleteAt] || one.failed
		}
		Expect(points).To(Equal(map[int]bool{0: points[0], 1: true, 3: true, 5: true, never: true}))
	})
})
