package resilience_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// load is a number of resources that are created, and then edited until their spec says last.
const (
	loaded = 200
	last   = "5"
)

var _ = Describe("An API server", func() {
	It("that restarts under load loses nothing", func(ctx SpecContext) {
		const group = "restart.example.com"
		install(ctx, widgets(group))
		o := start(katalogText("restart", entryText("restart", group, "")))
		o.awaitRunning("restart")
		space := namespace(ctx)
		create(ctx, widget(group, space, "first", map[string]any{"size": last}))

		var users sync.WaitGroup
		users.Go(func() {
			defer GinkgoRecover()
			createAndEdit(ctx, group, space)
		})
		Eventually(func() int { return len(o.state("restart").Resources) }, 10*time.Second).Should(BeNumerically(">", loaded/4))
		Expect(env.RestartAPIServer(ctx)).To(Succeed())
		users.Wait()
		expectConverged(ctx, o, "restart", space, loaded+1)
	})

	It("that cannot be reached for ten seconds is found again, and what happened meanwhile is made up for", func(ctx SpecContext) {
		const group = "away.example.com"
		install(ctx, widgets(group))
		o := start(katalogText("away", entryText("away", group, "")))
		o.awaitRunning("away")
		space := namespace(ctx)
		create(ctx, widget(group, space, "first", map[string]any{"size": last}))
		doomed := widget(group, space, "doomed", map[string]any{"size": "1"})
		create(ctx, doomed)
		Eventually(ready(ctx, doomed), 5*time.Second).Should(BeTrue())

		o.network.disconnect()
		away := time.Now()
		createAndEdit(ctx, group, space)
		Expect(admin.Delete(ctx, doomed)).To(Succeed())
		Eventually(func() time.Duration { return time.Since(away) }, 15*time.Second).Should(BeNumerically(">", 10*time.Second))
		found, err := sizes(ctx, space)
		Expect(err).NotTo(HaveOccurred())
		Expect(len(found)).To(BeNumerically("<", loaded), "the operator was away")
		o.network.connect()
		expectConverged(ctx, o, "away", space, loaded+2) // the ConfigMap of the deleted one is left to garbage collection
		Expect(o.state("away").Resources).To(HaveLen(loaded + 1))
		Expect(len(o.logbook.errors())).To(BeNumerically("<", 20), "a server that is away is not told again and again")
	})
})

// createAndEdit is what users do: each resource is created, and edited until its size is the last. Users try again until the server
// answers.
func createAndEdit(ctx context.Context, group, space string) {
	insist := func(do func() error) {
		Eventually(do, 30*time.Second, 100*time.Millisecond).Should(Succeed())
	}
	inParallel(loaded, func(i int) {
		one := widget(group, space, fmt.Sprintf("load-%03d", i), map[string]any{"size": "0"})
		insist(func() error { return client.IgnoreAlreadyExists(admin.Create(ctx, one.DeepCopy())) })
		for size := 1; strconv.Itoa(size-1) != last; size++ {
			insist(func() error { return edit(ctx, one.DeepCopy(), fmt.Sprintf(`{"size":"%d"}`, size)) })
		}
	})
}

// expectConverged waits until there is one ConfigMap for each resource, with the last size, and every resource says so.
func expectConverged(ctx context.Context, o *operator, entry, space string, count int) {
	GinkgoHelper()
	var found map[string]string
	Eventually(func() (stale []string, err error) {
		if found, err = sizes(ctx, space); err != nil {
			return nil, err
		}
		for name, size := range found {
			if size != last && name != "doomed" {
				stale = append(stale, name)
			}
		}
		if len(found) != count {
			stale = append(stale, fmt.Sprintf("%d ConfigMaps", len(found)))
		}
		return stale, nil
	}, 40*time.Second, 200*time.Millisecond).Should(BeEmpty())
	Eventually(func() (open []string) {
		for _, resource := range o.state(entry).Resources {
			if !resource.Ready || len(resource.Children) != 1 {
				open = append(open, nameOf(resource.Object)+": "+resource.Reason)
			}
		}
		return open
	}, 10*time.Second, 200*time.Millisecond).Should(BeEmpty())
	Eventually(func() health.State { return o.state(entry).Health.State }).Should(Equal(health.Healthy))

	By("coming to rest")
	Eventually(func() int { return o.state(entry).Busy }).Should(BeZero())
	writes := len(o.network.writes())
	Consistently(func() int { return len(o.network.writes()) }, time.Second).Should(Equal(writes))
}

func nameOf(object *unstructured.Unstructured) string {
	return object.GetNamespace() + "/" + object.GetName()
}
