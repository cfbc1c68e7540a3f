package profile

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

// The names that policies of scaling are called by in autoscaling/v2.
const (
	byPercent = "Percent"
	byPods    = "Pods"
	selectMax = "Max"
	selectMin = "Min"
)

func builtInHPA() []orkv1.HPAProfile {
	by := func(kind orkv1.Template, value, seconds int32) orkv1.HPAScalingPolicy {
		return orkv1.HPAScalingPolicy{Type: kind, Value: value, PeriodSeconds: seconds}
	}
	scaling := func(window int32, choice orkv1.Template, policies ...orkv1.HPAScalingPolicy) *orkv1.HPAScaling {
		return &orkv1.HPAScaling{StabilizationWindowSeconds: &window, SelectPolicy: choice, Policies: policies}
	}
	preset := func(name string, cpu orkv1.Template, up, down *orkv1.HPAScaling) orkv1.HPAProfile {
		return orkv1.HPAProfile{ProfileName: named(name), TargetCPUUtilizationPercentage: cpu, ScaleUp: up, ScaleDown: down}
	}
	return []orkv1.HPAProfile{
		preset("web", "70",
			scaling(0, selectMax, by(byPercent, 100, 15), by(byPods, 4, 15)),
			scaling(300, selectMin, by(byPercent, 10, 60))),
		preset("api", "60",
			scaling(0, selectMax, by(byPercent, 100, 15), by(byPods, 4, 15)),
			scaling(600, selectMin, by(byPercent, 5, 60))),
		preset("latency-sensitive", "50",
			scaling(0, selectMax, by(byPercent, 200, 15), by(byPods, 10, 15)),
			scaling(900, selectMin, by(byPercent, 5, 120))),
		preset("batch", "80",
			scaling(30, selectMax, by(byPercent, 100, 60)),
			scaling(120, selectMin, by(byPercent, 50, 60))),
		preset("cost-optimized", "80",
			scaling(180, selectMin, by(byPercent, 25, 60)),
			scaling(60, selectMax, by(byPercent, 50, 60))),
	}
}

func builtInPDB() []orkv1.PDBProfile {
	return []orkv1.PDBProfile{
		{ProfileName: named("zero-downtime"), MinAvailable: "100%"},
		{ProfileName: named("rolling"), MaxUnavailable: "1"},
		{ProfileName: named("relaxed"), MaxUnavailable: "25%"},
	}
}

func builtInNetworkPolicies() []orkv1.NetworkPolicyProfile {
	const in, out = orkv1.PolicyTypeIngress, orkv1.PolicyTypeEgress
	// A policy that names a direction and has no rule for it lets nothing through.
	noIngress, noEgress := &[]orkv1.IngressRule{}, &[]orkv1.EgressRule{}
	fromNamespace := &[]orkv1.IngressRule{{From: []orkv1.NetworkPeer{{PodSelector: &map[string]orkv1.Template{}}}}}
	dns := &[]orkv1.EgressRule{{Ports: []orkv1.NetworkPort{{Port: "53", Protocol: "UDP"}, {Port: "53", Protocol: "TCP"}}}}
	return []orkv1.NetworkPolicyProfile{
		{ProfileName: named("deny-all"), Ingress: noIngress, Egress: noEgress, PolicyTypes: []orkv1.PolicyType{in, out}},
		{ProfileName: named("deny-all-ingress"), Ingress: noIngress, PolicyTypes: []orkv1.PolicyType{in}},
		{ProfileName: named("deny-all-egress"), Egress: noEgress, PolicyTypes: []orkv1.PolicyType{out}},
		{ProfileName: named("allow-same-namespace"), Ingress: fromNamespace, PolicyTypes: []orkv1.PolicyType{in}},
		{ProfileName: named("allow-dns-egress"), Egress: dns, PolicyTypes: []orkv1.PolicyType{out}},
	}
}

func builtInResourceQuotas() []orkv1.ResourceQuotaProfile {
	preset := func(name string, pods, cpu, memory, requestsCPU, requestsMemory orkv1.Template) orkv1.ResourceQuotaProfile {
		return orkv1.ResourceQuotaProfile{ProfileName: named(name), Hard: map[string]orkv1.Template{
			"pods": pods, "cpu": cpu, "memory": memory,
			"requests.cpu": requestsCPU, "requests.memory": requestsMemory, "limits.cpu": cpu, "limits.memory": memory,
		}}
	}
	return []orkv1.ResourceQuotaProfile{
		preset("small", "10", "2", "4Gi", "1", "2Gi"),
		preset("medium", "20", "4", "8Gi", "2", "4Gi"),
		preset("large", "50", "8", "16Gi", "4", "8Gi"),
		preset("xlarge", "100", "16", "32Gi", "8", "16Gi"),
	}
}
