package pipeline_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Copies of policies, quotas and limits", func() {
	It("follow their source in every namespace", func(ctx context.Context) {
		namespace, team := newNamespace(ctx), newNamespace(ctx)
		source := child(newNamespace(ctx), "networking.k8s.io/v1", "NetworkPolicy", "p")
		source.Object["spec"] = map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Ingress"}}
		quota := child(source.GetNamespace(), "v1", "ResourceQuota", "q")
		quota.Object["spec"] = map[string]any{"hard": map[string]any{"pods": "5"}}
		limits := child(source.GetNamespace(), "v1", "LimitRange", "l")
		limits.Object["spec"] = map[string]any{"limits": []any{map[string]any{"type": "Pod", "max": map[string]any{"cpu": "1"}}}}
		for _, one := range []client.Object{source, quota, limits} {
			Expect(cluster.Create(ctx, one)).To(Succeed())
		}
		o := operate(ctx, namespace, declared{box: `
onReconcile:
  networkPolicies: [{name: p, fromNetworkPolicy: p, fromNamespace: "{{ .spec.from }}", toNamespaces: ["{{ .spec.team }}"]}]
  resourceQuotas: [{name: q, fromResourceQuota: q, fromNamespace: "{{ .spec.from }}", toNamespaces: ["{{ .spec.team }}"]}]
  limitRanges: [{name: l, fromLimitRange: l, fromNamespace: "{{ .spec.from }}", toNamespaces: ["{{ .spec.team }}"]}]`})
		w := createWidget(ctx, namespace, `spec: {from: `+source.GetNamespace()+`, team: `+team+`}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		for _, place := range []string{namespace, team} {
			Expect(field(ctx, child(place, "networking.k8s.io/v1", "NetworkPolicy", "p"), "spec", "policyTypes")()).To(MatchJSON(`["Ingress"]`))
			Expect(field(ctx, child(place, "v1", "ResourceQuota", "q"), "spec", "hard")()).To(MatchJSON(`{"pods":"5"}`))
			Expect(field(ctx, child(place, "v1", "LimitRange", "l"), "spec", "limits")()).To(MatchJSON(`[{"type":"Pod","max":{"cpu":"1"}}]`))
		}
		o.expectConverged(ctx)
		patch(ctx, quota, `{"spec":{"hard":{"pods":"6"}}}`)
		Eventually(field(ctx, child(team, "v1", "ResourceQuota", "q"), "spec", "hard")).Should(MatchJSON(`{"pods":"6"}`))
	})
})
