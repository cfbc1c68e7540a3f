package gateway_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// harbor has a kind with surfaces of all sorts, one whose name the Katalog makes, and one that takes intents alone.
const harbor = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: harbor}
gateway:
  endpoint: "http://gateway"
  api:
    enabled: true
    rateLimit: {requestsPerSecond: 200, burst: 400}
    auth:
      tokens:
      - {name: pilot, secretRef: {name: harbor-pilot, key: token}}
      - {name: novice, secretRef: {name: harbor-novice, key: token}}
      - {name: guest, secretRef: {name: harbor-guest, key: token}}
security: {webhooks: {admission: {enabled: true}}}
spec:
  crds:
    harbor-berth:
      apiTypes: {group: gateway.example.com, version: v1, kind: Berth, plural: berths}
      validation:
        rules:
        - {field: spec.size, max: "9", message: at most 9}
        - {field: spec.size, notEquals: "7", action: warn, message: seven is odd}
      serve:
        enabled: true
        namespace: '{{ .team }}'
        target:
          berth: {primary: true}
          berth-fast: {fieldSelector: {spec.tier: gold, spec.zone: eu}}
          berth-fixed: {apply: {overrides: {targetConflict: false, resourceConflict: false}}}
          berth-whole: {modes: {target: false}}
        fields:
          size: {type: integer, label: Size}
          owner: {label: Owner, required: true}
        labels:
          team: {}
        tokens:
          pilot: {permissions: {global: ['*']}}
          novice: {permissions: {resources: [create], schema: [list]}}
    harbor-mooring:
      apiTypes: {group: gateway.example.com, version: v1, kind: Mooring, plural: moorings}
      serve: {enabled: true, namespace: '{{ .team }}', name: 'mooring-{{ .pier }}', fields: {pier: {}}, labels: {team: {}}}
    harbor-jetty:
      apiTypes: {group: gateway.example.com, version: v1, kind: Jetty, plural: jetties}
      serve: {enabled: true, namespace: '{{ .team }}', modes: {cr: false}, labels: {team: {}}}
`

var _ = Describe("Surfaces", Ordered, ContinueOnFailure, func() {
	const apply = "/api/v1/apply"
	var team string
	var pilot, novice, guest *caller
	// stored is a resource as it is, nil for none.
	stored := func(ctx SpecContext, kind, name string) *unstructured.Unstructured {
		GinkgoHelper()
		found := resource("v1", kind, team, name, "{}")
		err := cluster.Get(ctx, client.ObjectKeyFromObject(found), found)
		if apierrors.IsNotFound(err) {
			return nil
		}
		Expect(err).NotTo(HaveOccurred())
		return found
	}
	// intent is one of a berth with an owner, with more in it.
	intent := func(target, name, more string) string {
		return `{"target":"` + target + `","name":"` + name + `","team":"` + team + `","owner":"ada"` + more + `}`
	}
	// whole is a resource, with JSON of its spec but for the team.
	whole := func(kind, name, spec string) string {
		return `{"apiVersion":"gateway.example.com/v1","kind":"` + kind + `","metadata":{"name":"` + name + `"},"spec":{"team":"` + team + `"` + spec + `}}`
	}
	post := func(ctx SpecContext, by *caller, query, body string, want int) map[string]any {
		GinkgoHelper()
		code, answer := by.ask(ctx, http.MethodPost, apply+query, body)
		Expect(code).To(Equal(want), "%v", answer)
		return answer
	}
	BeforeAll(func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		team = newNamespace(ctx)
		install(ctx, "Berth", "berths")
		install(ctx, "Mooring", "moorings")
		install(ctx, "Jetty", "jetties")
		s, _ := serve(ctx, namespace, harbor)
		pilot, novice, guest = portalOf(ctx, s, namespace, "harbor-pilot"), portalOf(ctx, s, namespace, "harbor-novice"), portalOf(ctx, s, namespace, "harbor-guest")
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Berth", team, "probe", "{size: 10, owner: ada}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("at most 9")))
		Eventually(func() int { // the gateways have learnt of the kinds
			code, _ := pilot.ask(ctx, http.MethodPost, apply+"?dryRun=true", `{"target":"jetty","name":"probe","team":"`+team+`"}`)
			return code
		}).Should(Equal(http.StatusCreated))
	})

	It("keep to one when two of them make a resource at once", func(ctx SpecContext) {
		for i := range 10 {
			name := fmt.Sprintf("both-%d", i)
			codes := make([]int, 2)
			var running sync.WaitGroup
			for side, target := range []string{"berth", "berth-fixed"} {
				running.Go(func() {
					defer GinkgoRecover()
					codes[side], _ = pilot.ask(ctx, http.MethodPost, apply, intent(target, name, ""))
				})
			}
			running.Wait()
			Expect(codes).To(ConsistOf(http.StatusCreated, http.StatusConflict))
		}
	})

	It("read the namespace from the labels of a whole resource, and keep none that is no text", func(ctx SpecContext) {
		labelled := func(name, labels string) string {
			return `{"apiVersion":"gateway.example.com/v1","kind":"Berth","metadata":{"name":"` + name + `","labels":` + labels + `},"spec":{"owner":"ada"}}`
		}
		post(ctx, pilot, "", labelled("by-label", `{"team":"`+team+`"}`), http.StatusCreated)
		Expect(stored(ctx, "Berth", "by-label").GetLabels()).To(HaveKeyWithValue("team", team))
		answer := post(ctx, pilot, "", labelled("no-text", `{"team":"`+team+`","size":1}`), http.StatusBadRequest)
		Expect(answer["message"]).To(Equal("metadata.labels.size is no text"))
	})

	It("store nothing for a wish that is misspelt", func(ctx SpecContext) {
		for _, query := range []string{"?dryrun=true", "?dryRun=yes", "?dry-run=true"} {
			post(ctx, pilot, query, intent("berth", "wished", ""), http.StatusBadRequest)
		}
		for _, query := range []string{"?dryRun=true", "?dryRun=1", "?dryRun", "?dryRun=All"} {
			post(ctx, pilot, query, intent("berth", "wished", ""), http.StatusCreated)
		}
		Expect(stored(ctx, "Berth", "wished")).To(BeNil())
	})

	It("tell of one delivery, whatever somebody else holds on to", func(ctx SpecContext) {
		post(ctx, pilot, "", intent("berth-fast", "handed", ""), http.StatusCreated)
		held := stored(ctx, "Berth", "handed")
		Expect(held.GetAnnotations()).To(HaveKeyWithValue(orkv1.AnnotationServeAlias, "berth-fast"))
		kept := resource("v1", "Berth", team, "handed", "{}")
		delete(kept.Object, "spec")
		kept.SetAnnotations(held.GetAnnotations())
		Expect(cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(kept), client.FieldOwner("somebody"), client.ForceOwnership)).To(Succeed())
		post(ctx, pilot, "?override=true&overwrite=true", intent("berth", "handed", ""), http.StatusOK)
		Expect(stored(ctx, "Berth", "handed").GetAnnotations()).NotTo(HaveKey(orkv1.AnnotationServeAlias))
	})

	It("take a body with a target for an intent, whatever else it has", func(ctx SpecContext) {
		answer := post(ctx, pilot, "", intent("berth", "both", `,"apiVersion":"gateway.example.com/v1","kind":"Mooring","size":1`), http.StatusCreated)
		Expect(answer).To(HaveKeyWithValue("kind", "Berth"))
		Expect(answer["warnings"]).To(ContainElements(ContainSubstring("apiVersion"), ContainSubstring("kind")))
		Expect(stored(ctx, "Berth", "both").Object["spec"]).To(Equal(map[string]any{"size": int64(1), "owner": "ada"}))
		Expect(stored(ctx, "Mooring", "both")).To(BeNil())
	})

	It("take the shapes of requests that they say", func(ctx SpecContext) {
		answer := post(ctx, pilot, "", whole("Jetty", "whole", ""), http.StatusBadRequest)
		Expect(answer["message"]).To(ContainSubstring("whole resources of Jetty are not taken"))
		Expect(stored(ctx, "Jetty", "whole")).To(BeNil())
		answer = post(ctx, pilot, "", intent("berth-whole", "shape", ""), http.StatusBadRequest)
		Expect(answer["message"]).To(ContainSubstring("target berth-whole takes no intents"))
		Expect(stored(ctx, "Berth", "shape")).To(BeNil())
		post(ctx, pilot, "", intent("berth", "shape", ""), http.StatusCreated)
	})

	It("stamp how a resource came, and nothing else", func(ctx SpecContext) {
		keys := func(name string) []string {
			return slices.Sorted(maps.Keys(stored(ctx, "Berth", name).GetAnnotations()))
		}
		post(ctx, pilot, "", intent("berth-fast", "came", ""), http.StatusCreated)
		Expect(stored(ctx, "Berth", "came").GetAnnotations()).To(And(HaveKeyWithValue(orkv1.AnnotationServeAlias, "berth-fast"),
			HaveKeyWithValue(orkv1.AnnotationServeTarget, "berth"), HaveKeyWithValue(orkv1.AnnotationServeSource, "pilot")))
		Expect(keys("came")).To(ConsistOf(orkv1.AnnotationServeAlias, orkv1.AnnotationServeTarget, orkv1.AnnotationServeSource, orkv1.AnnotationServeIntent))

		post(ctx, pilot, "?override=true", intent("berth", "came", ""), http.StatusOK)
		Expect(keys("came")).To(ConsistOf(orkv1.AnnotationServeTarget, orkv1.AnnotationServeSource, orkv1.AnnotationServeIntent))
		post(ctx, pilot, "", whole("Berth", "came", `,"owner":"ada"`), http.StatusOK)
		Expect(keys("came")).To(ConsistOf(orkv1.AnnotationServeTarget, orkv1.AnnotationServeSource))

		theirs := resource("v1", "Berth", team, "kubectl", "{owner: ada}")
		Expect(cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(theirs), client.FieldOwner("kubectl"))).To(Succeed())
		Expect(keys("kubectl")).To(BeEmpty())
	})

	It("are chosen for a whole resource by all pairs of a fieldSelector", func(ctx SpecContext) {
		forged := `{"apiVersion":"gateway.example.com/v1","kind":"Berth","metadata":{"name":"routed","annotations":{"` + orkv1.AnnotationServeSelector + `":"forged"}},` +
			`"spec":{"team":"` + team + `","owner":"ada","tier":"gold","zone":"us"}}`
		post(ctx, pilot, "", forged, http.StatusCreated)
		Expect(stored(ctx, "Berth", "routed").GetAnnotations()).To(Equal(map[string]string{
			orkv1.AnnotationServeTarget: "berth", orkv1.AnnotationServeSource: "pilot",
		}), "one pair is another")
		matching := whole("Berth", "routed", `,"owner":"ada","tier":"gold","zone":"eu"`)
		post(ctx, pilot, "", matching, http.StatusConflict)
		post(ctx, pilot, "?override=true", matching, http.StatusOK)
		annotations := stored(ctx, "Berth", "routed").GetAnnotations()
		var selector map[string]string
		Expect(json.Unmarshal([]byte(annotations[orkv1.AnnotationServeSelector]), &selector)).To(Succeed())
		Expect(selector).To(Equal(map[string]string{"spec.tier": "gold", "spec.zone": "eu"}))
		delete(annotations, orkv1.AnnotationServeSelector)
		Expect(annotations).To(Equal(map[string]string{
			orkv1.AnnotationServeTarget: "berth", orkv1.AnnotationServeAlias: "berth-fast", orkv1.AnnotationServeSource: "pilot",
			orkv1.AnnotationServeSelectorTarget: "berth-fast",
		}))
		post(ctx, pilot, "?override=true", forged, http.StatusOK)
		Expect(stored(ctx, "Berth", "routed").GetAnnotations()).To(HaveLen(2), "what chose another target is gone")
	})

	It("name a resource in place of the caller, and make none without what the name needs", func(ctx SpecContext) {
		answer := post(ctx, pilot, "", whole("Mooring", "mine", `,"pier":"p1"`), http.StatusCreated)
		Expect(answer).To(HaveKeyWithValue("name", "mooring-p1"))
		Expect(stored(ctx, "Mooring", "mine")).To(BeNil())
		Expect(stored(ctx, "Mooring", "mooring-p1")).NotTo(BeNil())
		answer = post(ctx, pilot, "", whole("Mooring", "mine", ""), http.StatusUnprocessableEntity)
		Expect(answer["violations"]).To(ConsistOf(HaveKeyWithValue("field", "metadata.name")))
		post(ctx, pilot, "", `{"target":"mooring","name":"mine","team":"`+team+`"}`, http.StatusUnprocessableEntity)
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(resource("v1", "MooringList", team, "", "{}").GroupVersionKind())
		Expect(cluster.List(ctx, list, client.InNamespace(team))).To(Succeed())
		Expect(list.Items).To(HaveLen(1))
	})

	It("require a field of everybody, by its label", func(ctx SpecContext) {
		answer := post(ctx, pilot, "", `{"target":"berth","name":"ownerless","team":"`+team+`"}`, http.StatusUnprocessableEntity)
		Expect(answer["violations"]).To(ContainElement(HaveKeyWithValue("message", ContainSubstring("Owner is required"))))
		Expect(cluster.Create(ctx, resource("v1", "Berth", team, "ownerless", "{size: 1}"))).To(MatchError(ContainSubstring("Owner is required")))
		Expect(stored(ctx, "Berth", "ownerless")).To(BeNil())
	})

	It("keep what may not be moved", func(ctx SpecContext) {
		post(ctx, pilot, "", intent("berth-fixed", "kept", `,"size":1`), http.StatusCreated)
		before := stored(ctx, "Berth", "kept")
		answer := post(ctx, pilot, "?override=true", intent("berth", "kept", `,"size":2`), http.StatusBadRequest)
		Expect(answer["message"]).To(ContainSubstring("target berth-fixed does not let its resources be moved"))
		Expect(stored(ctx, "Berth", "kept").GetResourceVersion()).To(Equal(before.GetResourceVersion()))
	})

	It("leave a field to another manager, and let nobody ask for it where that is not allowed", func(ctx SpecContext) {
		for _, target := range []string{"berth", "berth-fixed"} {
			name := "held-" + target
			post(ctx, pilot, "", intent(target, name, `,"size":1`), http.StatusCreated)
			theirs := resource("v1", "Berth", team, name, "{size: 5}")
			Expect(cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(theirs), client.FieldOwner("them"), client.ForceOwnership)).To(Succeed())
			answer := post(ctx, pilot, "", intent(target, name, `,"size":2`), http.StatusConflict)
			Expect(answer["message"]).To(ContainSubstring("them"), "%v", answer)
			Expect(stored(ctx, "Berth", name).Object["spec"]).To(HaveKeyWithValue("size", int64(5)))
		}
		answer := post(ctx, pilot, "?overwrite=true", intent("berth-fixed", "held-berth-fixed", `,"size":2`), http.StatusBadRequest)
		Expect(answer["message"]).To(ContainSubstring("target berth-fixed does not allow overwrite"))
		Expect(stored(ctx, "Berth", "held-berth-fixed").Object["spec"]).To(HaveKeyWithValue("size", int64(5)))
		post(ctx, pilot, "?overwrite=true", intent("berth", "held-berth", `,"size":2`), http.StatusOK)
		Expect(stored(ctx, "Berth", "held-berth").Object["spec"]).To(HaveKeyWithValue("size", int64(2)))
	})

	It("tell what would come of a request, and store nothing", func(ctx SpecContext) {
		Expect(post(ctx, pilot, "?dryRun=true", intent("berth", "dry", `,"size":1`), http.StatusCreated)).To(
			And(HaveKeyWithValue("accepted", true), HaveKeyWithValue("dryRun", true)))
		Expect(stored(ctx, "Berth", "dry")).To(BeNil())
		answer := post(ctx, pilot, "?dryRun=true", intent("berth", "dry", `,"size":10`), http.StatusUnprocessableEntity)
		Expect(answer).To(And(HaveKeyWithValue("accepted", false), HaveKeyWithValue("dryRun", true), HaveKeyWithValue("message", "at most 9")))
		post(ctx, pilot, "", intent("berth", "dry", `,"size":1`), http.StatusCreated)
		before := stored(ctx, "Berth", "dry")
		post(ctx, pilot, "?dryRun=true", intent("berth", "dry", `,"size":2`), http.StatusOK)
		Expect(stored(ctx, "Berth", "dry")).To(Equal(before))
	})

	It("tell what admission warns of", func(ctx SpecContext) {
		answer := post(ctx, pilot, "", intent("berth", "warned", `,"size":7`), http.StatusCreated)
		Expect(answer["warnings"]).To(ConsistOf(ContainSubstring("seven is odd")))
		Expect(stored(ctx, "Berth", "warned").Object["spec"]).To(HaveKeyWithValue("size", int64(7)))
	})

	It("Weakness12: tell nobody of targets and resources that are not theirs", func(ctx SpecContext) {
		known := func(by *caller) string {
			return post(ctx, by, "", `{"target":"none","name":"x"}`, http.StatusBadRequest)["message"].(string)
		}
		Expect(known(pilot)).To(ContainSubstring("(yours: berth, berth-fast, berth-fixed, berth-whole, jetty, mooring)"))
		Expect(known(guest)).To(ContainSubstring("(yours: jetty, mooring)"))
		post(ctx, pilot, "", intent("berth-fixed", "theirs", ""), http.StatusCreated)
		// The novice may create alone, and the guest nothing.
		for _, by := range []*caller{novice, guest} {
			for _, query := range []string{"", "?override=true"} {
				answer := post(ctx, by, query, intent("berth", "theirs", ""), http.StatusForbidden)
				Expect(answer["message"]).NotTo(ContainSubstring("berth-fixed"))
			}
		}
		Expect(post(ctx, pilot, "", intent("berth", "theirs", ""), http.StatusConflict)["message"]).To(ContainSubstring("berth-fixed"))
	})

	It("delete nothing that is protected, though the gateway's account may", func(ctx SpecContext) {
		protected := resource("v1", "Berth", team, "protected", "{owner: ada}")
		protected.SetLabels(map[string]string{orkv1.LabelDeletionProtection: "true"})
		Expect(cluster.Create(ctx, protected)).To(Succeed())
		for _, kind := range []string{"Berth", "berth", "berth-fast"} {
			code, answer := pilot.ask(ctx, http.MethodDelete, "/api/v1/resources/"+kind+"/"+team+"/protected", "")
			Expect(code).To(Equal(http.StatusForbidden), "%s: %v", kind, answer)
			Expect(answer["message"]).To(ContainSubstring("is protected from deletion"))
		}
		Expect(stored(ctx, "Berth", "protected")).NotTo(BeNil())
		Expect(cluster.Patch(ctx, protected, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":null}}`)))).To(Succeed())
		code, answer := pilot.ask(ctx, http.MethodDelete, "/api/v1/resources/Berth/"+team+"/protected", "")
		Expect(code).To(Equal(http.StatusNoContent), "%v", answer)
		Expect(stored(ctx, "Berth", "protected")).To(BeNil())
	})
})
