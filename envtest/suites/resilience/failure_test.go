package resilience_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("An error that does not go away", func() {
	It("of one resource among a hundred backs off, and the rest converge", func(ctx SpecContext) {
		const group = "broken.example.com"
		install(ctx, widgets(group))
		o := start(katalogText("broken", `
    broken:
      apiTypes: {group: broken.example.com, version: v1, kind: Widget, plural: widgets}
      operatorBox:
        onReconcile:
          custom:
            - apiVersion: v1
              kind: ResourceQuota
              metadata: {name: "{{ .metadata.name }}", namespace: "{{ default .metadata.namespace .spec.in }}"}
              spec: {hard: {pods: "{{ .spec.size }}"}}
`))
		o.awaitRunning("broken")
		space := namespace(ctx)
		bad := widget(group, space, "bad", map[string]any{"size": "1", "in": "nowhere"})
		create(ctx, bad)
		createMany(ctx, 99, func(i int) client.Object {
			return widget(group, space, fmt.Sprintf("good-%02d", i), map[string]any{"size": fmt.Sprint(i)})
		})
		Eventually(func() (open int) {
			for _, resource := range o.state("broken").Resources {
				if !resource.Ready {
					open++
				}
			}
			return open
		}, 20*time.Second).Should(Equal(1))
		Eventually(condition(ctx, bad), 5*time.Second).Should(HavePrefix("False ReconcileError: custom[0]: create ResourceQuota nowhere/bad: "))

		By("growing the distance of its tries: the tenth is more than two seconds after the ninth")
		posts := func() int { return o.network.count("POST", "/resourcequotas") }
		Eventually(posts, 20*time.Second).Should(BeNumerically(">=", 99+9))
		before := posts()
		Consistently(posts, 2*time.Second).Should(BeNumerically("<=", before+1))
		snapshot := o.state("broken").Health
		Expect(snapshot.State).To(Equal(health.Degraded))
		Expect(snapshot.Failing).To(Equal(1))

		By("recovering when it is mended")
		Expect(edit(ctx, bad, `{"in":null}`)).To(Succeed())
		Eventually(ready(ctx, bad), 2*time.Second).Should(BeTrue(), condition(ctx, bad))
	})

	It("of a right that is missing is told by the resource, and other entries run", func(ctx SpecContext) {
		const group, other, unread = "forbidden.example.com", "allowed.example.com", "blind.example.com"
		install(ctx, widgets(group), widgets(other), widgets(unread))
		config, err := env.AddUser("few-rights")
		Expect(err).NotTo(HaveOccurred())
		allow := func(name string, rules ...rbacv1.PolicyRule) {
			create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
				&rbacv1.ClusterRoleBinding{
					ObjectMeta: metav1.ObjectMeta{Name: name},
					Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: "few-rights"}},
					RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
				})
		}
		rule := func(verbs []string, group string, resources ...string) rbacv1.PolicyRule {
			return rbacv1.PolicyRule{Verbs: verbs, APIGroups: []string{group}, Resources: resources}
		}
		everything := []string{"*"}
		allow("few-rights",
			rule(everything, "apiextensions.k8s.io", "customresourcedefinitions"),
			rule(everything, "events.k8s.io", "events"),
			rule(everything, group, "*"), rule(everything, other, "*"), rule(everything, unread, "*"),
			rule(everything, "", "configmaps"),
			rule([]string{"get", "list", "watch"}, "", "secrets"),
		)
		entryOf := func(name, group, key string) string {
			return fmt.Sprintf(`
    %s:
      apiTypes: {group: %s, version: v1, kind: Widget, plural: widgets}
      operatorBox:
        onReconcile:
          %s: [{name: "{{ .metadata.name }}"}]
`, name, group, key)
		}
		o := setup{config: config, engines: []engine.Options{{Katalogs: parse(katalogText("rights",
			entryOf("forbidden", group, "secrets"), entryOf("allowed", other, "configMaps")))}}}.start()
		o.awaitRunning("allowed", "forbidden")
		space := namespace(ctx)
		good, bad := widget(other, space, "good", nil), widget(group, space, "bad", nil)
		create(ctx, good, bad)
		Eventually(ready(ctx, good), 5*time.Second).Should(BeTrue(), condition(ctx, good))
		Eventually(condition(ctx, bad), 5*time.Second).Should(And(HavePrefix("False ReconcileError: secrets[0]: create Secret "), ContainSubstring("forbidden")))

		By("not holding up other entries with one whose children may not be listed")
		blind := setup{config: config, engines: []engine.Options{{Katalogs: parse(katalogText("blind",
			entryOf("a-blind", unread, "serviceAccounts"), entryOf("sighted", other, "configMaps")))}}}.start()
		blind.awaitRunning("sighted", "a-blind")
		unseen := widget(unread, space, "unseen", nil)
		create(ctx, unseen)
		Eventually(condition(ctx, unseen), 5*time.Second).Should(And(HavePrefix("False KindNotReadable: "), ContainSubstring("may not be listed")))
		Expect(blind.logbook.errors()).To(ContainElement(And(ContainSubstring("check the RBAC rules"), ContainSubstring("serviceaccounts"))))

		By("converging when the right is granted")
		allow("few-rights-more", rule(everything, "", "secrets"))
		Expect(edit(ctx, bad, `{"size":1}`)).To(Succeed())
		Eventually(ready(ctx, bad), 10*time.Second).Should(BeTrue(), condition(ctx, bad))
		allow("few-rights-most", rule(everything, "", "serviceaccounts"))
		Eventually(ready(ctx, unseen), 60*time.Second).Should(BeTrue(), condition(ctx, unseen))
	})
})
