package resilience_test

import (
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/gexec"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/envtest"
)

var _ = Describe("ork run, while Katalogs change", Ordered, func() {
	var binary string
	BeforeAll(func() {
		binary = buildOrk()
		DeferCleanup(gexec.CleanupBuildArtifacts)
	})

	It("runs files as they are now, and those that are wrong as they were", func(ctx SpecContext) {
		const first, second = "reloadfirst.example.com", "reloadsecond.example.com"
		install(ctx, widgets(first), widgets(second))
		space, folder := namespace(ctx), GinkgoT().TempDir()
		write := func(name, text string) {
			GinkgoHelper()
			Expect(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)).To(Succeed())
		}
		write("first.yaml", katalogText("first", entryText("first", first, "")))
		p := run(ctx, binary, "-f", folder, "--namespace", space)
		one, two := widget(first, space, "one", map[string]any{"size": "1"}), widget(second, space, "two", map[string]any{"size": "2"})
		create(ctx, one, two)
		Eventually(ready(ctx, one), 20*time.Second).Should(BeTrue())
		Expect(ready(ctx, two)()).To(BeFalse())
		metric := get(ctx, "http://"+p.metrics+"/metrics")
		Expect(metric()).To(And(
			ContainSubstring(`orkestra_katalog_reload_total{result="success"} 0`), ContainSubstring("orkestra_katalog_last_reload_successful 1")))

		By("taking another file of the folder, with what it names for a person's cluster")
		write("cr.yaml", "{apiVersion: reloadsecond.example.com/v1, kind: Widget, metadata: {name: three, namespace: "+space+"}, spec: {size: \"3\"}}")
		write("second.yaml", katalogText("second", entryText("second", second, "\n      crFiles: [cr.yaml]")))
		Eventually(ready(ctx, two), 10*time.Second).Should(BeTrue())
		Eventually(ready(ctx, widget(second, space, "three", nil)), 10*time.Second).Should(BeTrue())
		Eventually(metric, 5*time.Second).Should(ContainSubstring(`orkestra_katalog_reload_total{result="success"} 1`))

		raw := get(ctx, "http://"+p.metrics+"/katalog/raw")
		Expect(raw()).To(And(ContainSubstring(`"first"`), ContainSubstring(`"second"`)))

		By("running on when one is wrong")
		write("second.yaml", katalogText("second", entryText("second", second, "\n      colour: red")))
		Eventually(p.Err, 5*time.Second).Should(gbytes.Say(`second.yaml:\d+:\d+: spec.crds\[second\].colour: unknown key`))
		Eventually(metric, 5*time.Second).Should(And(
			ContainSubstring(`orkestra_katalog_reload_total{result="error"} 1`), ContainSubstring("orkestra_katalog_last_reload_successful 0")))
		Expect(edit(ctx, two, `{"size":"4"}`)).To(Succeed())
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 5*time.Second).Should(HaveKeyWithValue("two", "4"))

		By("taking it when it is right again")
		write("second.yaml", katalogText("second", entryText("second", second, "\n      labels: {again: \"yes\"}")))
		Eventually(func() map[string]string {
			_ = admin.Get(ctx, client.ObjectKeyFromObject(two), two)
			return two.GetLabels()
		}, 10*time.Second).Should(HaveKeyWithValue("again", "yes"))
		Eventually(metric, 5*time.Second).Should(ContainSubstring("orkestra_katalog_last_reload_successful 1"))
		Expect(raw()).To(MatchRegexp(`"labels": ?{\s*"again": ?"yes"`), "it shows what runs now")
	})

	It("runs Katalog objects of its namespace and tells in their status how they are", func(ctx SpecContext) {
		const first, second = "objectfirst.example.com", "objectsecond.example.com"
		definitions, err := envtest.ReadCRDs("../../../config/crd/bases")
		Expect(err).NotTo(HaveOccurred())
		install(ctx, append(definitions, widgets(first), widgets(second))...)
		space, elsewhere := namespace(ctx), namespace(ctx)
		p := run(ctx, binary, "--katalog-objects", "--namespace", space)
		object := func(name, in string, entries ...string) *unstructured.Unstructured {
			GinkgoHelper()
			one := &unstructured.Unstructured{}
			Expect(yaml.Unmarshal([]byte(katalogText(name, entries...)), &one.Object)).To(Succeed())
			one.SetNamespace(in)
			return one
		}
		condition := func(name, conditionType string) func() metav1.Condition {
			return func() metav1.Condition {
				one := &unstructured.Unstructured{}
				one.SetGroupVersionKind(orkv1.GroupVersion.WithKind("Katalog"))
				if err := admin.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, one); err != nil {
					return metav1.Condition{Message: err.Error()}
				}
				if found := status.Find(status.Conditions(one.Object), conditionType); found != nil {
					return *found
				}
				return metav1.Condition{}
			}
		}
		is := func(isStatus metav1.ConditionStatus, reason string) OmegaMatcher {
			return And(HaveField("Status", isStatus), HaveField("Reason", reason))
		}

		By("running one")
		create(ctx, object("one", space, entryText("first", first, "")))
		resource := widget(first, space, "resource", map[string]any{"size": "1"})
		create(ctx, resource)
		Eventually(ready(ctx, resource), 20*time.Second).Should(BeTrue())
		Eventually(condition("one", orkv1.ConditionAccepted), 5*time.Second).Should(is(metav1.ConditionTrue, "Accepted"))
		Eventually(condition("one", orkv1.ConditionRunning), 10*time.Second).Should(is(metav1.ConditionTrue, "Running"))
		Eventually(condition("one", orkv1.ConditionReady), 10*time.Second).Should(is(metav1.ConditionTrue, "Running"))
		Eventually(func() any {
			one := object("one", space)
			_ = admin.Get(ctx, client.ObjectKeyFromObject(one), one)
			crds, _, _ := unstructured.NestedSlice(one.Object, "status", "crds")
			return crds
		}, 10*time.Second).Should(Equal([]any{map[string]any{"name": "first", "state": "healthy", "resources": int64(1)}}))

		By("leaving alone those of other namespaces")
		create(ctx, object("elsewhere", elsewhere, entryText("second", second, "")))

		By("refusing a second one that declares the same")
		create(ctx, object("two", space, entryText("first", first, "")))
		Eventually(condition("two", orkv1.ConditionAccepted), 5*time.Second).Should(And(is(metav1.ConditionFalse, "Conflict"),
			HaveField("Message", ContainSubstring("CRD first is declared by Katalog object one already"))))
		Expect(condition("two", orkv1.ConditionRunning)()).To(is(metav1.ConditionFalse, "NotAccepted"))

		By("refusing what is wrong, and running on as before")
		one := object("one", space)
		Expect(admin.Patch(ctx, one, client.RawPatch("application/merge-patch+json",
			[]byte(`{"spec":{"crds":{"first":{"labels":{"a":"{{ nonsense }}"}}}}}`)))).To(Succeed())
		Eventually(condition("one", orkv1.ConditionAccepted), 5*time.Second).Should(And(is(metav1.ConditionFalse, "Invalid"),
			HaveField("Message", HavePrefix(`spec.crds[first].labels[a]: unknown function "nonsense"`)), HaveField("ObservedGeneration", BeEquivalentTo(2))))
		Expect(condition("one", orkv1.ConditionRunning)()).To(is(metav1.ConditionTrue, "EarlierGeneration"))
		Expect(edit(ctx, resource, `{"size":"2"}`)).To(Succeed())
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 5*time.Second).Should(HaveKeyWithValue("resource", "2"))

		By("giving what one leaves to the other")
		Expect(admin.Delete(ctx, one)).To(Succeed())
		Eventually(condition("two", orkv1.ConditionRunning), 15*time.Second).Should(is(metav1.ConditionTrue, "Running"))
		Expect(edit(ctx, resource, `{"size":"3"}`)).To(Succeed())
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 5*time.Second).Should(HaveKeyWithValue("resource", "3"))

		By("writing nothing once there is nothing new")
		two := object("two", space)
		version := func() string {
			_ = admin.Get(ctx, client.ObjectKeyFromObject(two), two)
			return two.GetResourceVersion()
		}
		Eventually(condition("two", orkv1.ConditionReady), 15*time.Second).Should(is(metav1.ConditionTrue, "Running"))
		var before string
		Eventually(func() bool { // two looks are further apart than two writes
			was := before
			before = version()
			return was == before
		}, 30*time.Second, 6*time.Second).Should(BeTrue())

		Expect(admin.Delete(ctx, two)).To(Succeed())
		Eventually(p.Err, 10*time.Second).Should(gbytes.Say("entry is gone from its Katalog"))
		Expect(p.log()).NotTo(ContainSubstring(`"level":"error"`))
	})
})
