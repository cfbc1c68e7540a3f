package notes

func nodeFamily() []Function {
	text := func(name, needs, doc, example, result string, code func(any) string) Function {
		return Function{Name: name, Signature: "obj", Result: "text", Needs: needs, Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	label := func(name, doc, result, key string) Function {
		return text(name, "node", doc, "{{ "+name+" .children.pod }}", result, func(obj any) string { return labelOf(fieldOf(obj, keyNode), key) })
	}
	return []Function{
		{
			Name: "nodeReady", Signature: "obj", Result: "bool", Code: func(obj any) bool { return isTrue(obj, "Ready") }, Doc: "whether the Node is ready",
			Examples: []Example{{"{{ nodeReady .children.node }}", "true"}},
		},
		{
			Name: "nodeCondition", Signature: "obj type", Result: "text", Doc: "the status of a condition of the Node: `True`, `False` or `Unknown`",
			Code:     func(obj, kind any) string { return textAt(conditionOf(obj, Text(kind)), "status") },
			Examples: []Example{{`{{ nodeCondition .children.node "MemoryPressure" }}`, "False"}},
		},
		{
			Name: "nodeTaints", Signature: "obj", Result: "list", Code: nodeTaints, Doc: "the taints, as kubectl writes them",
			Examples: []Example{{"{{ nodeTaints .children.node }}", `["dedicated=web:NoSchedule"]`}},
		},
		text("nodeAllocatableCPU", "", "`status.allocatable.cpu`", "{{ nodeAllocatableCPU .children.node }}", "3920m",
			func(obj any) string { return textAt(obj, "status", "allocatable", "cpu") }),
		text("nodeAllocatableMemory", "", "`status.allocatable.memory`", "{{ nodeAllocatableMemory .children.node }}", "15Gi",
			func(obj any) string { return textAt(obj, "status", "allocatable", "memory") }),
		text("podNodeName", "node", "the name of the node", "{{ podNodeName .children.pod }}", "node-a",
			func(obj any) string {
				return firstText(textAt(obj, keyNode, "metadata", "name"), textAt(obj, "spec", "nodeName"))
			}),
		label("podNodeZone", "its zone", "eu-1a", "topology.kubernetes.io/zone"),
		label("podNodeRegion", "its region", "eu-1", "topology.kubernetes.io/region"),
		label("podNodeInstanceType", "its instance type", "m7.xlarge", "node.kubernetes.io/instance-type"),
	}
}

func nodeTaints(obj any) []any {
	declared := listAt(obj, "spec", "taints")
	taints := make([]any, len(declared))
	for i, taint := range declared {
		text := textAt(taint, "key")
		if value := textAt(taint, "value"); value != "" {
			text += "=" + value
		}
		taints[i] = text + ":" + textAt(taint, "effect")
	}
	return taints
}
