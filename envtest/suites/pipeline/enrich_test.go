package pipeline_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// No controllers run here: the specs make what these would.
var _ = Describe("enrich", func() {
	pod := func(namespace, name string, labels map[string]string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "a"}}},
		}
	}
	warning := func(namespace, name, note string, about client.Object, kind string) *eventsv1.Event {
		return &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, EventTime: metav1.NowMicro(), Type: corev1.EventTypeWarning,
			Reason: "Failed", Action: "Test", Note: note, ReportingController: "test", ReportingInstance: "test",
			Regarding: corev1.ObjectReference{Kind: kind, Namespace: namespace, Name: about.GetName(), UID: about.GetUID()},
		}
	}

	// Row 71.
	It("tells of the Pods of a Deployment and of what goes wrong with them, and asks for nothing in a cycle", func(ctx context.Context) {
		o := start(ctx, declared{entry: `enrich: [pods, events: {when: [{field: spec.look, equals: "true"}]}]`, box: `
reconciler: {resync: 1s}
onReconcile: {deployments: [{name: w, image: a}]}
status:
  fields:
    - {path: pods, value: "{{ podNames .children.deployment }}"}
    - {path: phases, value: "{{ podPhases .children.deployment }}"}
    - {path: warnings, value: "{{ warningMessages .children.deployment }}"}
    - {path: pod, value: "{{ .children.pod.metadata.name }}"}
`}, `spec: {look: true}`)
		w := object("Widget", o.namespace, "w", "")
		Expect(field(ctx, w, "status", "pods")()).To(Equal(`[]`))
		Expect(o.listed()).To(ContainElement("watch pods"))

		d := get(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "w"}})
		mine, theirs := pod(o.namespace, "mine", d.Spec.Template.Labels), pod(o.namespace, "theirs", map[string]string{"app": "w"})
		Expect(cluster.Create(ctx, mine)).To(Succeed())
		Expect(cluster.Create(ctx, theirs)).To(Succeed())
		Expect(cluster.Create(ctx, warning(o.namespace, "pod", "no node", mine, "Pod"))).To(Succeed())
		Expect(cluster.Create(ctx, warning(o.namespace, "deployment", "no quota", d, "Deployment"))).To(Succeed())
		Expect(cluster.Create(ctx, warning(o.namespace, "other", "not ours", theirs, "Pod"))).To(Succeed())
		normal := warning(o.namespace, "normal", "fine", d, "Deployment")
		normal.Type = corev1.EventTypeNormal
		Expect(cluster.Create(ctx, normal)).To(Succeed())

		Eventually(field(ctx, w, "status", "pods")).Should(Equal(`["mine"]`))
		Expect(field(ctx, w, "status", "phases")()).To(Equal(`["Pending"]`))
		Expect(field(ctx, w, "status", "pod")()).To(Equal(`"mine"`))
		Eventually(field(ctx, w, "status", "warnings")).Should(Equal(`["no quota","no node"]`))
		o.settle()
		o.take()
		before := o.cycles()
		Eventually(o.cycles).Should(BeNumerically(">=", before+2))
		Expect(o.take()).To(BeEmpty())

		Expect(o.edit(ctx, `{"look":false}`)).To(Equal([]string{"update widgets/status w"}))
		Expect(field(ctx, w, "status", "warnings")()).To(Equal(`[]`))
	})

	It("tells of the endpoints of a Service, the Jobs of a CronJob and the Secrets of an Ingress", func(ctx context.Context) {
		o := start(ctx, declared{entry: `enrichAll: true`, box: `
reconciler: {resync: 1s}
onReconcile:
  services: [{name: w, port: "80"}]
  cronJobs: [{name: w, image: a, schedule: "@daily"}]
  custom:
    - apiVersion: networking.k8s.io/v1
      kind: Ingress
      metadata: {name: w}
      spec: {defaultBackend: {service: {name: w, port: {number: 80}}}, tls: [{secretName: w-tls}, {secretName: none}]}
status:
  fields:
    - {path: endpoints, value: "{{ serviceEndpoints .children.service }}"}
    - {path: lastJob, value: "{{ cronJobLastJobName .children.cronjob }}"}
    - {path: secrets, value: "{{ ingressTLSSecretCount .children.ingress }}"}
    - {path: secret, value: "{{ .children.ingress._tlsSecrets }}"}
    - {path: owner, value: "{{ .children.ingress._owner.kind }}"}
`}, ``)
		w := object("Widget", o.namespace, "w", "")
		Expect(field(ctx, w, "status", "secrets")()).To(Equal("0"))
		Expect(field(ctx, w, "status", "owner")()).To(Equal(`"Widget"`))

		cron := get(ctx, &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "w"}})
		Expect(cluster.Create(ctx, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: o.namespace, Name: "w-1", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cron, batchv1.SchemeGroupVersion.WithKind("CronJob"))},
			},
			Spec: cron.Spec.JobTemplate.Spec,
		})).To(Succeed())
		service := get(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "w"}})
		Expect(cluster.Create(ctx, &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "w-1", Labels: map[string]string{
				discoveryv1.LabelServiceName: "w", orkv1.LabelOwnerName: service.Labels[orkv1.LabelOwnerName],
			}},
			AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Port: new(int32(8080))}},
			Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.1.0.4"}}},
		})).To(Succeed())
		Expect(cluster.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "w-tls", Annotations: map[string]string{"copy": "hidden"}},
			StringData: map[string]string{"key": "hidden"},
		})).To(Succeed())

		Eventually(field(ctx, w, "status", "endpoints")).Should(Equal(`["10.1.0.4:8080"]`))
		Eventually(field(ctx, w, "status", "lastJob")).Should(Equal(`"w-1"`))
		Eventually(field(ctx, w, "status", "secrets")).Should(Equal("1"))
		Eventually(field(ctx, w, "status", "secret")).Should(And(ContainSubstring(`"kind":"Secret"`), Not(ContainSubstring("hidden")), Not(ContainSubstring(`"data"`))))
		o.settle()
		o.take()
		Consistently(o.seen).WithTimeout(timeToStorm).Should(BeEmpty())
	})
})
