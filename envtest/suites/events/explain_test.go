package events_test

import (
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// explained has a gate before the queue, one before a cycle, and a child that is kept as declared.
const explained = `
apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: live}
spec:
  crds:
    shown:
      apiTypes: {group: live.example.com, version: v1, kind: Shown, plural: showns}
      operatorBox:
        reconciler: {resync: 1h}
        preReconcile:
          sentinels: [generationChanged]
          enqueueGate: {when: [{field: spec.ignored, notEquals: "yes"}]}
          reconcileGate: {when: [{field: spec.frozen, notEquals: "yes"}]}
        onReconcile:
          configMaps:
            - {name: "{{ .metadata.name }}", data: {color: "{{ .spec.color }}"}}
            - {name: "{{ .metadata.name }}-never", when: [{field: spec.never, exists: true}]}
`

var _ = It("ork explain tells what a running operator did, and asks with the token that the live API wants", func(ctx SpecContext) {
	o := startLiveWith(ctx, explained, live.Options{Token: "open-sesame"})
	space := newNamespace(ctx)
	w := makeLive(ctx, "Shown", space, "w", map[string]any{"color": "red"})
	server := "http://" + o.address
	token, wrong := file("token", "open-sesame\n"), file("wrong", "shut")
	explain := func(args ...string) answer {
		return ork(ctx, append([]string{"explain", "--server", server}, args...)...)
	}
	told := func() string {
		GinkgoHelper()
		got := explain("--api-token-file", token, "Shown", space+"/w")
		Expect(got.code).To(BeZero(), got.err)
		return got.out
	}

	By("the write of a child, and its end")
	Eventually(told, 10*time.Second).Should(And(MatchRegexp(`(?m)^\S+ \S+ +event +.*create`), ContainSubstring("created ConfigMap w"),
		ContainSubstring(`configMaps[1]`), ContainSubstring("spec.never")))

	By("a field that somebody else has changed, and who")
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "w"}}
	Expect(cluster.Patch(ctx, child, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"color":"blue"}}`)), client.FieldOwner("somebody"))).To(Succeed())
	Eventually(told, 10*time.Second).Should(MatchRegexp(`ConfigMap w.*: data\.color, last changed by somebody`))

	By("the gates that were closed, and why")
	merge := func(spec string) {
		GinkgoHelper()
		Expect(cluster.Patch(ctx, w, client.RawPatch("application/merge-patch+json", []byte(`{"spec":`+spec+`}`)))).To(Succeed())
	}
	merge(`{"frozen":"yes"}`)
	Eventually(told, 10*time.Second).Should(MatchRegexp(`(?m)gate.*spec\.frozen`))
	merge(`{"ignored":"yes"}`)
	Eventually(told, 10*time.Second).Should(And(MatchRegexp(`(?m)gate.*spec\.ignored`), ContainSubstring("generationChanged")))

	By("a resource that nothing is known of, and a kind that there is not")
	Expect(explain("--api-token-file", token, "shown", space+"/none")).To(Equal(answer{code: 1, err: "CRD shown has no resource " + space + "/none"}))
	Expect(explain("--api-token-file", token, "Showm", "w")).To(Equal(answer{code: 1, err: "the operator has no kind Showm: did you mean Shown?"}))

	By("who has no token, or a wrong one")
	refused := answer{code: 1, err: "the operator asks for a token: name its file with --api-token-file, or set ORK_API_TOKEN"}
	Expect(explain("Shown", space+"/w")).To(Equal(refused))
	Expect(explain("--api-token-file", wrong, "Shown", space+"/w")).To(Equal(refused))
	for _, path := range []string{"/katalog", "/katalog/raw", "/katalog/shown/cr", "/katalog/shown/cr/" + space + "/w", "/katalog/shown/cr/" + space + "/w/explain", "/api/v1/query?query=controller_resource_count"} {
		for header, want := range map[string]int{
			"": http.StatusUnauthorized, "Bearer shut": http.StatusUnauthorized, "Bearer": http.StatusUnauthorized, "Bearer open-sesam": http.StatusUnauthorized,
			"Basic open-sesame": http.StatusUnauthorized, "Bearer open-sesame": http.StatusOK, "bearer open-sesame": http.StatusOK,
		} {
			Expect(o.askedWith(header, path)).To(Equal(want), "%s with %q", path, header)
		}
	}
	for _, path := range []string{"/health", "/ready", "/startup", "/metrics"} {
		Expect(o.askedWith("", path)).To(Equal(http.StatusOK), path)
	}
}, SpecTimeout(2*time.Minute))

var _ = It("ork explain needs no token where the live API wants none", func(ctx SpecContext) {
	o := startLiveWith(ctx, explained, live.Options{})
	space := newNamespace(ctx)
	_ = makeLive(ctx, "Shown", space, "w", map[string]any{"color": "red"})
	Eventually(func() string { return ork(ctx, "explain", "--server", "http://"+o.address, "Shown", space+"/w").out }, 10*time.Second).
		Should(ContainSubstring("created ConfigMap w"))
	nobody := ork(ctx, "explain", "--server", "http://127.0.0.1:1", "Shown", "w")
	Expect(nobody.code).To(Equal(1))
	Expect(nobody.err).To(HavePrefix("no operator answers at http://127.0.0.1:1 (see --server): "))
}, SpecTimeout(time.Minute))

// askedWith asks with a header of authorization, and returns the code of the answer.
func (o *liveOperator) askedWith(authorization, path string) int {
	GinkgoHelper()
	request, err := http.NewRequest(http.MethodGet, "http://"+o.address+path, http.NoBody) //nolint:noctx // it answers at once
	Expect(err).NotTo(HaveOccurred())
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	Expect(response.Body.Close()).To(Succeed())
	return response.StatusCode
}
