package resilience_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gexec"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("Replicas", Ordered, func() {
	const lease = 4 * time.Second
	var binary string
	BeforeAll(func() {
		binary = buildOrk()
		DeferCleanup(gexec.CleanupBuildArtifacts)
	})
	// replica starts one of a Katalog whose Widgets have a Deployment each, with its Lease in the namespace.
	replica := func(ctx SpecContext, group, space string, flags ...string) *process {
		GinkgoHelper()
		file := filepath.Join(GinkgoT().TempDir(), "katalog.yaml")
		Expect(os.WriteFile(file, []byte(katalogText("replicas", fmt.Sprintf(`
    widget:
      apiTypes: {group: %s, version: v1, kind: Widget, plural: widgets}
      operatorBox:
        onReconcile:
          deployments:
            - {name: "{{ .metadata.name }}", image: nginx, replicas: "1"}
`, group))), 0o600)).To(Succeed())
		return run(ctx, binary, append([]string{
			"-f", file, "--namespace", space, "--leader-elect", "--lease-duration", lease.String(), "--renew-deadline=3s", "--retry-period=500ms",
		}, flags...)...)
	}
	leaseOf := func(ctx SpecContext, space string) func() *coordinationv1.Lease {
		return func() *coordinationv1.Lease {
			found := &coordinationv1.Lease{}
			if err := admin.Get(ctx, client.ObjectKey{Namespace: space, Name: "orkestra-konductor"}, found); err != nil || found.Spec.HolderIdentity == nil {
				return nil
			}
			return found
		}
	}
	deployments := func(ctx SpecContext, space string) func() ([]appsv1.Deployment, error) {
		return func() ([]appsv1.Deployment, error) {
			var list appsv1.DeploymentList
			err := admin.List(ctx, &list, client.InNamespace(space))
			return list.Items, err
		}
	}

	// Row 122.
	It("take over from a leader that is killed under load, and nothing is lost or done twice", func(ctx SpecContext) {
		const group, count = "killed.example.com", 200
		install(ctx, widgets(group))
		space := namespace(ctx)
		first := replica(ctx, group, space)
		Eventually(leaseOf(ctx, space), 20*time.Second).ShouldNot(BeNil())
		holder := *leaseOf(ctx, space)().Spec.HolderIdentity
		second := replica(ctx, group, space)
		Eventually(get(ctx, "http://"+second.probes+"/readyz"), 20*time.Second).Should(Equal("ok"))

		By("Defect78: being ready while they follow")
		Expect(get(ctx, "http://"+second.probes+"/readyz")()).To(Equal("ok"))

		created := make(chan struct{})
		go func() {
			defer GinkgoRecover()
			defer close(created)
			createMany(ctx, count, func(i int) client.Object {
				return widget(group, space, fmt.Sprintf("one-%03d", i), map[string]any{"size": "1"})
			})
		}()
		Eventually(deployments(ctx, space), 20*time.Second, 5*time.Millisecond).ShouldNot(BeEmpty())
		first.Kill()
		killed := time.Now()
		Eventually(func() string {
			if found := leaseOf(ctx, space)(); found != nil {
				return *found.Spec.HolderIdentity
			}
			return holder
		}, lease+2*time.Second, 20*time.Millisecond).ShouldNot(Equal(holder))
		GinkgoWriter.Println("taken over after", time.Since(killed))

		Eventually(deployments(ctx, space), 20*time.Second, 100*time.Millisecond).Should(HaveLen(count))
		<-created
		for i := range count {
			Eventually(ready(ctx, widget(group, space, fmt.Sprintf("one-%03d", i), nil)), 10*time.Second).Should(BeTrue())
		}
		found, err := deployments(ctx, space)()
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(HaveLen(count))
		for _, one := range found {
			Expect(one.Generation).To(BeEquivalentTo(1), one.Name)
		}
		Expect(second.log()).NotTo(ContainSubstring(`"level":"error"`))
	})

	// Row 122.
	It("Defect76: tell over HTTP who leads, to those who have the token", func(ctx SpecContext) {
		const group = "told.example.com"
		install(ctx, widgets(group))
		space := namespace(ctx)
		token := filepath.Join(GinkgoT().TempDir(), "token")
		Expect(os.WriteFile(token, []byte("open-sesame\n"), 0o600)).To(Succeed())
		leader := replica(ctx, group, space, "--api-token-file", token)
		Eventually(leaseOf(ctx, space), 20*time.Second).ShouldNot(BeNil())
		follower := replica(ctx, group, space, "--api-token-file", token)
		one := widget(group, space, "one", map[string]any{"size": "1"})
		create(ctx, one)
		Eventually(ready(ctx, one), 20*time.Second).Should(BeTrue())

		ask := func(of *process, path, token string) (code int, body map[string]any) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+of.metrics+path, http.NoBody)
			Expect(err).NotTo(HaveOccurred())
			if token != "" {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return 0, nil
			}
			defer func() { _ = response.Body.Close() }()
			_ = json.NewDecoder(response.Body).Decode(&body)
			return response.StatusCode, body
		}
		const state = "/katalog/widget/health"
		healthOf := func(of *process) func() map[string]any {
			return func() map[string]any {
				code, body := ask(of, state, "open-sesame")
				return map[string]any{"code": code, "state": body["state"], "isKonductor": body["isKonductor"], "resourceCount": body["resourceCount"]}
			}
		}
		Eventually(healthOf(leader), 20*time.Second).Should(Equal(map[string]any{"code": 200, "state": "healthy", "isKonductor": true, "resourceCount": 1.0}))
		Eventually(healthOf(follower), 20*time.Second).Should(Equal(map[string]any{"code": 200, "state": "pending", "isKonductor": false, "resourceCount": 1.0}))
		_, info := ask(follower, "/katalog/widget", "open-sesame")
		Expect(info).To(And(HaveKeyWithValue("workersActive", 0.0), HaveKeyWithValue("pending", true)))
		_, detail := ask(follower, "/katalog/widget/cr/"+space+"/one", "open-sesame")
		Expect(detail).To(HaveKeyWithValue("ready", true), "what it has in memory is told")
		for _, wrong := range []string{"", "shut"} {
			for _, of := range []*process{leader, follower} {
				code, body := ask(of, state, wrong)
				Expect(code).To(Equal(http.StatusUnauthorized))
				Expect(body).To(HaveKeyWithValue("reason", "Unauthorized"))
			}
		}

		By("the follower leads")
		leader.Kill()
		Eventually(healthOf(follower), 20*time.Second, 100*time.Millisecond).Should(And(HaveKeyWithValue("state", "healthy"), HaveKeyWithValue("isKonductor", true)))
	})

	It("Defect74: end when somebody else has the lease", func(ctx SpecContext) {
		const group = "ousted.example.com"
		install(ctx, widgets(group))
		space := namespace(ctx)
		only := replica(ctx, group, space)
		Eventually(leaseOf(ctx, space), 20*time.Second).ShouldNot(BeNil())
		Eventually(func() error {
			taken := leaseOf(ctx, space)()
			taken.Spec.HolderIdentity, taken.Spec.LeaseDurationSeconds = new("somebody"), new(int32(600))
			taken.Spec.RenewTime = new(metav1.NowMicro())
			return admin.Update(ctx, taken)
		}, 5*time.Second, 50*time.Millisecond).Should(Succeed())
		Eventually(only, 10*time.Second).Should(gexec.Exit(1))
		Expect(only.log()).To(ContainSubstring("leader election lost"))
	})

	// Row 122.
	It("Defect76: that follow are pending, know the resources, and list nothing when they take over", func(ctx SpecContext) {
		const group = "follower.example.com"
		install(ctx, widgets(group))
		member := func() *operator {
			GinkgoHelper()
			return setup{
				manager: ctrl.Options{
					LeaderElection: true, LeaderElectionID: "follower", LeaderElectionNamespace: "default", LeaderElectionReleaseOnCancel: true,
					LeaseDuration: new(3 * time.Second), RenewDeadline: new(2 * time.Second), RetryPeriod: new(200 * time.Millisecond),
				},
				engines: []engine.Options{{Katalogs: parse(katalogText("follower", entryText("follower", group, "")))}},
			}.start()
		}
		first := member()
		first.awaitRunning("follower")
		second := member()
		one := widget(group, namespace(ctx), "one", map[string]any{"size": "1"})
		create(ctx, one)
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue())
		Eventually(func() engine.Overview { return second.engines[0].Overviews()[0] }, 10*time.Second).Should(And(
			HaveField("Running", false), HaveField("Resources", 1), HaveField("Health.State", health.Pending),
			HaveField("Health.Waiting", "another replica leads")))
		Expect(second.engines[0].Leads()).To(BeFalse())
		lists := func() int {
			return second.network.count(http.MethodGet, "/apis/"+group+"/v1/widgets") + second.network.count(http.MethodGet, "/configmaps?")
		}
		before := lists()

		first.stop()
		second.awaitRunning("follower")
		Expect(edit(ctx, one, `{"size":"2"}`)).To(Succeed())
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue())
		Expect(second.engines[0].Leads()).To(BeTrue())
		Expect(lists()).To(Equal(before))
	})
})
