package pipeline_test

import (
	"context"
	"crypto/tls"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var _ = Describe("An Ingress that has its certificate made", func() {
	It("has one for its hosts, in a Secret for each element, which is renewed in time and goes with it", func(ctx context.Context) {
		ahead := &clock{}
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{now: ahead.now, box: `
onReconcile:
  ingresses:
    - forEach: {field: spec.hosts}
      name: "i-{{ .index }}"
      host: "{{ .item }}"
      servicePort: "80"
      tls: {create: true, secretName: "t-{{ .index }}", validFor: 90d}`})
		o.take()
		w := createWidget(ctx, namespace, `spec: {hosts: [a.example.com, b.example.com]}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(o.take()[:4]).To(Equal([]string{"create secrets", "create secrets", "create ingresses", "create ingresses"}), "the Secret comes first")
		first := get(ctx, secret(namespace, "t-1"))
		pair, err := tls.X509KeyPair(first.Data["tls.crt"], first.Data["tls.key"])
		Expect(err).NotTo(HaveOccurred())
		Expect(pair.Leaf.DNSNames).To(Equal([]string{"b.example.com"}))
		ingress := get(ctx, &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "i-1"}})
		Expect(ingress.Spec.TLS).To(Equal([]networkingv1.IngressTLS{{Hosts: []string{"b.example.com"}, SecretName: "t-1"}}))
		o.expectConverged(ctx)

		ahead.advance(61 * 24 * time.Hour)
		o.cycle(ctx, "Widget", "w")
		Expect(get(ctx, secret(namespace, "t-1")).UID).To(Equal(first.UID))
		Expect(get(ctx, secret(namespace, "t-1")).Data["tls.crt"]).NotTo(Equal(first.Data["tls.crt"]))
		patch(ctx, w, `{"spec":{"hosts":["a.example.com"]}}`)
		Eventually(exists(ctx, secret(namespace, "t-1"))).Should(BeFalse())
		Eventually(exists(ctx, ingress)).Should(BeFalse())
	})
})
