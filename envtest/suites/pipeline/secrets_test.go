package pipeline_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func secret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// clock is one that a spec sets.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) advance(by time.Duration) { c.ahead.Add(int64(by)) }

var _ = Describe("Secrets", func() {
	It("Defect43: a rotation is one change of the Secret, which is never gone", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		watcher, err := client.NewWithWatch(env.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		changes, err := watcher.Watch(ctx, &corev1.SecretList{}, client.InNamespace(namespace))
		Expect(err).NotTo(HaveOccurred())
		defer changes.Stop()
		next := func() watch.Event {
			GinkgoHelper()
			var event watch.Event
			Eventually(changes.ResultChan()).Should(Receive(&event))
			return event
		}
		ahead := &clock{}
		o := operate(ctx, namespace, declared{now: ahead.now, box: `
onCreate: {secrets: [{name: w, once: true, rotateAfter: 90d, data: {pw: "{{ randomHex 8 }}"}}]}`})
		createWidget(ctx, namespace, `{}`)
		created := next()
		Expect(created.Type).To(Equal(watch.Added))
		before, _ := created.Object.(*corev1.Secret)
		Expect(before.Annotations).To(HaveKeyWithValue(orkv1.AnnotationRotateAfter, "90d"))
		o.expectConverged(ctx)

		ahead.advance(91 * 24 * time.Hour)
		o.cycle(ctx, "Widget", "w")
		rotated := next()
		Expect(rotated.Type).To(Equal(watch.Modified))
		after, _ := rotated.Object.(*corev1.Secret)
		Expect(after.UID).To(Equal(before.UID))
		Expect(after.Data["pw"]).NotTo(Equal(before.Data["pw"]))
		Consistently(changes.ResultChan()).WithTimeout(timeToStorm).ShouldNot(Receive())
		o.expectConverged(ctx)
	})

	It("are rotated exactly when their time has come, without an event", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
reconciler: {resync: 1h}
onCreate: {secrets: [{name: w, rotateAfter: 3s, data: {pw: "{{ randomHex 8 }}"}}]}`})
		createWidget(ctx, namespace, `{}`)
		Eventually(exists(ctx, secret(namespace, "w"))).Should(BeTrue())
		first := string(get(ctx, secret(namespace, "w")).Data["pw"])
		Eventually(func() string { return string(get(ctx, secret(namespace, "w")).Data["pw"]) }).WithTimeout(6 * time.Second).ShouldNot(Equal(first))
	})

	It("Defect45: a certificate that is kept as declared stays, and is another one when its names are", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
onReconcile: {secrets: [{name: w, tls: {dnsNames: ["{{ .spec.host }}"], validFor: 90d}}]}`})
		w := createWidget(ctx, namespace, `{spec: {host: a.example.com}}`)
		Eventually(ready(ctx, w)).Should(Equal([]string{"True", "ReconcileSucceeded", ""}))
		first := get(ctx, secret(namespace, "w"))
		o.expectConverged(ctx)
		Expect(get(ctx, secret(namespace, "w")).ResourceVersion).To(Equal(first.ResourceVersion))

		patch(ctx, w, `{"spec":{"host":"b.example.com"}}`)
		Eventually(func(g Gomega) {
			second := secret(namespace, "w")
			g.Expect(cluster.Get(ctx, client.ObjectKeyFromObject(second), second)).To(Succeed())
			g.Expect(second.UID).To(Equal(first.UID))
			pair, err := tls.X509KeyPair(second.Data["tls.crt"], second.Data["tls.key"])
			g.Expect(err).NotTo(HaveOccurred())
			roots := x509.NewCertPool()
			g.Expect(roots.AppendCertsFromPEM(second.Data["ca.crt"])).To(BeTrue())
			_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: "b.example.com", Roots: roots})
			g.Expect(err).NotTo(HaveOccurred())
		}).Should(Succeed())
		o.expectConverged(ctx)
	})

	It("have a new certificate before the old one ends, also when it is created once", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		ahead := &clock{}
		o := operate(ctx, namespace, declared{now: ahead.now, box: `
onCreate: {secrets: [{name: w, once: true, rotateAfter: 90d, tls: {dnsNames: [a.example.com]}}]}`})
		createWidget(ctx, namespace, `{}`)
		Eventually(exists(ctx, secret(namespace, "w"))).Should(BeTrue())
		first := get(ctx, secret(namespace, "w"))
		ahead.advance(59 * 24 * time.Hour)
		o.cycle(ctx, "Widget", "w")
		Expect(get(ctx, secret(namespace, "w")).ResourceVersion).To(Equal(first.ResourceVersion))

		ahead.advance(2 * 24 * time.Hour)
		o.cycle(ctx, "Widget", "w")
		second := get(ctx, secret(namespace, "w"))
		Expect(second.UID).To(Equal(first.UID))
		old, err := tls.X509KeyPair(first.Data["tls.crt"], first.Data["tls.key"])
		Expect(err).NotTo(HaveOccurred())
		pair, err := tls.X509KeyPair(second.Data["tls.crt"], second.Data["tls.key"])
		Expect(err).NotTo(HaveOccurred())
		Expect(old.Leaf.NotAfter).To(BeTemporally(">", ahead.now().Add(28*24*time.Hour)), "who has the old one can go on with it")
		Expect(pair.Leaf.NotAfter).To(BeTemporally(">", ahead.now().Add(89*24*time.Hour)))
	})

	It("Defect44: their data is rendered", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
onReconcile:
  secrets: [{name: w, data: {host: "{{ .spec.host }}"}}]
  configMaps: [{name: w, data: {host: "{{ .spec.host }}"}}]`})
		createWidget(ctx, namespace, `{spec: {host: a.example.com}}`)
		Eventually(data(ctx, namespace, "w")).Should(HaveKeyWithValue("host", "a.example.com"))
		Expect(get(ctx, secret(namespace, "w")).Data).To(HaveKeyWithValue("host", []byte("a.example.com")))
	})
})

var _ = Describe("Copies", func() {
	It("follow their source at once and cost nothing while it stays", func(ctx context.Context) {
		namespace, team := newNamespace(ctx), newNamespace(ctx)
		source := secret(newNamespace(ctx), "theirs")
		o := operate(ctx, namespace, declared{box: `
reconciler: {resync: 1h}
onReconcile:
  secrets: [{name: mine, fromSecret: theirs, fromNamespace: "{{ .spec.from }}", toNamespaces: ["{{ .spec.teams }}"]}]`})
		w := createWidget(ctx, namespace, `{spec: {from: `+source.Namespace+`, teams: [`+team+`]}}`)
		Eventually(ready(ctx, w)).Should(Equal([]string{
			"False", "SourceMissing",
			"Secret " + source.Namespace + "/theirs does not exist; the copy is made as soon as it does",
		}))
		o.settle()
		o.take()
		Consistently(o.seen).WithTimeout(timeToStorm).Should(BeEmpty(), "a missing source is waited for, not asked for")

		source.Type, source.Data = corev1.SecretTypeBasicAuth, map[string][]byte{"username": []byte("a")}
		Expect(cluster.Create(ctx, source)).To(Succeed())
		copies := func(want string) {
			GinkgoHelper()
			for _, place := range []string{namespace, team} {
				Eventually(func() string {
					copied := secret(place, "mine")
					if err := cluster.Get(ctx, client.ObjectKeyFromObject(copied), copied); err != nil {
						return ""
					}
					return string(copied.Type) + " " + string(copied.Data["username"])
				}).Should(Equal("kubernetes.io/basic-auth " + want))
			}
		}
		copies("a")
		Eventually(ready(ctx, w)).Should(Equal([]string{"True", "ReconcileSucceeded", ""}))
		o.expectConverged(ctx)
		patch(ctx, source, `{"data":{"username":"Yg=="}}`)
		copies("b")
		o.expectConverged(ctx)

		// Copies outlive their source; those in other namespaces end with the resource.
		Expect(cluster.Delete(ctx, source)).To(Succeed())
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "SourceMissing", ContainSubstring("theirs")))
		copies("b")
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, secret(team, "mine"))).Should(BeFalse())
	})

	It("Defect96: neither source nor target is touched in a namespace that is off limits", func(ctx context.Context) {
		namespace, team := newNamespace(ctx), newNamespace(ctx)
		source := secret(newNamespace(ctx), "theirs")
		Expect(cluster.Create(ctx, source)).To(Succeed())
		o := operate(ctx, namespace, declared{entry: `restrictedNamespaces: [` + source.Namespace + `, ` + team + `]`, box: `
onReconcile:
  secrets:
    - {name: copied, fromSecret: theirs, fromNamespace: ` + source.Namespace + `}
    - {name: spread, data: {a: b}, toNamespaces: [` + team + `]}`})
		w := createWidget(ctx, namespace, `{}`)
		Eventually(ready(ctx, w)).Should(Equal([]string{
			"False", "NamespaceRestricted",
			"left out, because the Katalog does not operate there: secrets[0]: source namespace " + source.Namespace + "; secrets[1]: namespace " + team,
		}))
		Expect(exists(ctx, secret(namespace, "spread"))()).To(BeTrue())
		Expect(exists(ctx, secret(namespace, "copied"))()).To(BeFalse())
		Expect(exists(ctx, secret(team, "spread"))()).To(BeFalse())
		o.settle()
		o.take()
		Consistently(o.seen).WithTimeout(timeToStorm).Should(BeEmpty())
	})
})
