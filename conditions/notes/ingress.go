package notes

func ingressFamily() []Function {
	text := func(name, doc, result string, code func(any) string) Function {
		return Function{Name: name, Signature: "obj", Result: "text", Doc: doc, Code: code, Examples: []Example{{"{{ " + name + " .children.ingress }}", result}}}
	}
	list := func(name, doc, result string, code func(any) []any) Function {
		return Function{Name: name, Signature: "obj", Result: "list", Doc: doc, Code: code, Examples: []Example{{"{{ " + name + " .children.ingress }}", result}}}
	}
	return []Function{
		text("ingressClassName", "`spec.ingressClassName`, or the annotation that came before it", "nginx", func(obj any) string {
			return firstText(textAt(obj, "spec", "ingressClassName"), annotationOf(obj, "kubernetes.io/ingress.class"))
		}),
		text("ingressHost", "the host of the first rule", "shop.example.com", func(obj any) string { return textAt(first(listAt(obj, "spec", "rules")), "host") }),
		text("ingressIP", "the first IP address of the load balancer", "203.0.113.8", func(obj any) string { return Text(first(ingressIPs(obj))) }),
		{
			Name: "ingressReady", Signature: "obj", Result: "bool", Code: ingressReady, Doc: "whether the load balancer has an IP address or a host name",
			Examples: []Example{{"{{ ingressReady .children.ingress }}", "true"}},
		},
		list("ingressRules", "`spec.rules`", `[{"host":"shop.example.com"}]`, func(obj any) []any { return append([]any{}, listAt(obj, "spec", "rules")...) }),
		list("ingressTLSHosts", "all hosts with TLS", `["shop.example.com"]`, func(obj any) []any {
			declared := listAt(obj, "spec", "tls")
			hosts := make([]any, 0, len(declared))
			for _, tls := range declared {
				hosts = append(hosts, listAt(tls, "hosts")...)
			}
			return hosts
		}),
		list("ingressLoadBalancerIPs", "all IP addresses of the load balancer", `["203.0.113.8"]`, ingressIPs),
		{
			Name: "ingressTLSSecretCount", Signature: "obj", Result: "number", Needs: "ingress", Doc: "the number of its TLS Secrets that exist",
			Code:     func(obj any) int64 { return int64(len(listAt(obj, keyTLSSecrets))) },
			Examples: []Example{{"{{ ingressTLSSecretCount .children.ingress }}", "1"}},
		},
	}
}

func ingressIPs(obj any) []any {
	if fetched := listAt(obj, keyLoadBalancerIPs); len(fetched) > 0 {
		return fetched
	}
	ips := []any{}
	for _, point := range listAt(obj, "status", "loadBalancer", "ingress") {
		if ip := textAt(point, "ip"); ip != "" {
			ips = append(ips, ip)
		}
	}
	return ips
}

func ingressReady(obj any) bool {
	for _, point := range listAt(obj, "status", "loadBalancer", "ingress") {
		if textAt(point, "ip") != "" || textAt(point, "hostname") != "" {
			return true
		}
	}
	return false
}
