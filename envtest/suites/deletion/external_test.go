package deletion_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// registry is a service outside of the cluster that is told what goes.
type registry struct {
	*httptest.Server
	mu   sync.Mutex // guards the rest
	down bool
	seen []string
}

func newRegistry() *registry {
	r := &registry{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, request.Method+" "+request.URL.Path)
		if r.down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"job":"drain"}`))
	}))
	DeferCleanup(r.Close)
	return r
}

func (r *registry) fail(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = down
}

func (r *registry) calls(call string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(r.seen), func(one string) bool { return one != call }))
}

// callsThisMachine lets calls reach the machine that the suite runs on.
func callsThisMachine(o *engine.Options) {
	GinkgoHelper()
	dialer, err := reach.New(reach.Options{Allow: []string{"127.0.0.1"}})
	Expect(err).NotTo(HaveOccurred())
	o.External = external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)}
}

var _ = Describe("an external call of onDelete", func() {
	It("is made before the jobs, which read its result, and holds the resource until it succeeds", func(ctx context.Context) {
		space, r := newNamespace(ctx), newRegistry()
		operate(ctx, space, strings.ReplaceAll(`
      operatorBox:
        onReconcile: {configMaps: [{name: first}]}
        onDelete:
          ordered: true
          groups:
            - {name: tell, external: [{name: farewell, method: DELETE, url: "URL/{{ .metadata.name }}"}], jobs: [{name: "{{ .external.farewell.job }}", image: busybox}]}
            - {name: rest, external: [{name: after, url: "URL/after"}], configMaps: [{name: first}]}
`, "URL", r.URL), nil, callsThisMachine)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		Expect(r.calls("DELETE /w")).To(BeZero(), "a resource that lives makes none of them")

		r.fail(true)
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(Equal("False DeleteError: onDelete: stage 1 of 2 (tell): external calls: farewell: status 503, want 2xx"))
		Eventually(func() int { return r.calls("DELETE /w") }).Should(BeNumerically(">=", 3), "it is tried again")
		Expect(exists(ctx, configMap(space, "first"))()).To(BeTrue())

		patch(ctx, configMap(space, "first"), `{"metadata":{"finalizers":["example.com/held"]}}`)
		r.fail(false)
		Eventually(ready(ctx, w)).Should(Equal("False Deleting: stage 2 of 2 (rest): waits for ConfigMap first"))
		told := r.calls("DELETE /w")
		patch(ctx, configMap(space, "first"), `{"metadata":{"finalizers":null}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(r.calls("DELETE /w")).To(Equal(told), "its stage was over")
		Expect(r.calls("GET /after")).To(BeNumerically(">=", 2), "this one waited")
	})

	It("does not hold the resource with continueOnError", func(ctx context.Context) {
		space, r := newNamespace(ctx), newRegistry()
		r.fail(true)
		operate(ctx, space, strings.ReplaceAll(`
      operatorBox:
        onReconcile: {configMaps: [{name: first}]}
        onDelete: {external: [{name: farewell, url: "URL/bye", continueOnError: true}], configMaps: [{name: first}]}
`, "URL", r.URL), nil, callsThisMachine)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(r.calls("GET /bye")).NotTo(BeZero())
	})

	It("is made when onRollback is applied, and not before", func(ctx context.Context) {
		space, r := newNamespace(ctx), newRegistry()
		operate(ctx, space, strings.ReplaceAll(`
      operatorBox:
        onReconcile: {configMaps: [{name: "{{ .spec.name }}"}]}
        rollback: {onRollback: {external: [{name: alarm, url: "URL/{{ .previous.spec.name }}"}], configMaps: [{name: notice, data: {job: "{{ .external.alarm.job }}"}}]}}
`, "URL", r.URL), nil, callsThisMachine)
		w := widget(space, "w", map[string]any{"name": "good"})
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		Expect(r.calls("GET /good")).To(BeZero())
		patch(ctx, w, `{"spec":{"name":"NO NAME"}}`)
		notice := configMap(space, "notice")
		Eventually(exists(ctx, notice)).Should(BeTrue())
		Expect(notice.Data).To(HaveKeyWithValue("job", "drain"))
		Expect(r.calls("GET /good")).NotTo(BeZero())
	})
})
