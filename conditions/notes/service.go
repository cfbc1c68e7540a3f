package notes

import (
	"net"
	"slices"
)

func serviceFamily() []Function {
	ingress := func(obj any) any { return first(listAt(obj, "status", "loadBalancer", "ingress")) }
	return []Function{
		{
			Name: "serviceClusterIP", Signature: "obj", Result: "text", Code: func(obj any) string { return textAt(obj, "spec", "clusterIP") }, Doc: "`spec.clusterIP`",
			Examples: []Example{{"{{ serviceClusterIP .children.service }}", "10.96.0.12"}},
		},
		{
			Name: "serviceNodePort", Signature: "obj [portName]", Result: "number", Code: serviceNodePort, Most: 2, Doc: "the node port of the port with this name, by default of the first; 0 without one",
			Examples: []Example{{"{{ serviceNodePort .children.service }}", "30080"}, {`{{ serviceNodePort .children.service "metrics" }}`, "30090"}},
		},
		{
			Name: "serviceLoadBalancerIP", Signature: "obj", Result: "text", Code: func(obj any) string { return textAt(ingress(obj), "ip") }, Doc: "the first IP address of the load balancer",
			Examples: []Example{{"{{ serviceLoadBalancerIP .children.service }}", "203.0.113.7"}},
		},
		{
			Name: "serviceLoadBalancerHost", Signature: "obj", Result: "text", Code: func(obj any) string { return textAt(ingress(obj), "hostname") }, Doc: "the first host name of the load balancer",
			Examples: []Example{{`{{ serviceLoadBalancerHost .children.service | default "none" }}`, "none"}},
		},
		{
			Name: "endpointsReady", Signature: "obj", Result: "bool", Doc: "whether an endpoint is ready, of an EndpointSlice, or of a Service with `enrich: [endpoints]`",
			Code:     func(obj any) bool { return len(endpointsOf(obj)) > 0 },
			Examples: []Example{{"{{ endpointsReady .children.endpointslice }}", "true"}},
		},
		{
			Name: "serviceEndpoints", Signature: "obj", Result: "list", Needs: "endpoints", Code: endpointsOf, Doc: "the ready endpoints, as address and first port",
			Examples: []Example{{"{{ serviceEndpoints .children.service }}", `["10.1.0.4:8080","10.1.0.5:8080"]`}},
		},
		{
			Name: "serviceEndpointCount", Signature: "obj", Result: "number", Needs: "endpoints", Doc: "the number of ready endpoints",
			Code:     func(obj any) int64 { return int64(len(endpointsOf(obj))) },
			Examples: []Example{{"{{ serviceEndpointCount .children.service }}", "2"}},
		},
		{
			Name: "serviceFirstEndpoint", Signature: "obj", Result: "text", Needs: "endpoints", Doc: "the first ready endpoint",
			Code:     func(obj any) string { return Text(first(endpointsOf(obj))) },
			Examples: []Example{{"{{ serviceFirstEndpoint .children.service }}", "10.1.0.4:8080"}},
		},
		{
			Name: "hasEndpoints", Signature: "obj", Result: "bool", Needs: "endpoints", Doc: "whether an endpoint is ready",
			Code:     func(obj any) bool { return len(endpointsOf(obj)) > 0 },
			Examples: []Example{{"{{ hasEndpoints .children.service }}", "true"}},
		},
		{
			Name: "backingPodCount", Signature: "obj", Result: "number", Needs: "endpoints", Doc: "the number of Pods that the Service selects",
			Code:     func(obj any) int64 { return int64(len(listAt(obj, keyBackingPods))) },
			Examples: []Example{{"{{ backingPodCount .children.service }}", "2"}},
		},
		{
			Name: "backingPodNames", Signature: "obj", Result: "list", Needs: "endpoints", Doc: "their names",
			Code:     func(obj any) []any { return textsAt(listAt(obj, keyBackingPods), "metadata", "name") },
			Examples: []Example{{"{{ backingPodNames .children.service }}", `["shop-7d9f-abcde","shop-7d9f-fghij"]`}},
		},
	}
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func serviceNodePort(obj any, portName ...any) int64 {
	for _, port := range listAt(obj, "spec", "ports") {
		if len(portName) == 0 || textAt(port, "name") == Text(portName[0]) {
			return countAt(port, "nodePort")
		}
	}
	return 0
}

// endpointsOf lists the ready endpoints of a Service, of its EndpointSlices, or of an EndpointSlice or Endpoints itself, in
// the order of their texts.
func endpointsOf(obj any) []any {
	holders := listAt(obj, keyEndpoints)
	if len(holders) == 0 {
		holders = []any{obj}
	}
	var all []string
	for _, holder := range holders {
		for _, endpoint := range listAt(holder, "endpoints") {
			if ready := fieldOf(endpoint, "conditions", "ready"); ready == false { // A missing one counts as ready.
				continue
			}
			for _, address := range listAt(endpoint, "addresses") {
				all = append(all, hostPort(Text(address), listAt(holder, "ports")))
			}
		}
		for _, subset := range listAt(holder, "subsets") {
			for _, address := range listAt(subset, "addresses") {
				all = append(all, hostPort(textAt(address, "ip"), listAt(subset, "ports")))
			}
		}
	}
	slices.Sort(all)
	return anys(slices.Compact(all))
}

func hostPort(address string, ports []any) string {
	if port := textAt(first(ports), "port"); port != "" {
		return net.JoinHostPort(address, port)
	}
	return address
}

// anys is a list as templates have them.
func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
