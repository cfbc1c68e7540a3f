package notes

// replicasFamily reads workloads: Deployments, StatefulSets, ReplicaSets. A missing workload wants one replica, as a new
// one would, and has none.
func replicasFamily() []Function {
	number := func(name, doc, example, result string, code func(any) int64) Function {
		return Function{Name: name, Signature: "obj", Result: "number", Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	test := func(name, doc, example, result string, code func(any) bool) Function {
		return Function{Name: name, Signature: "obj", Result: "bool", Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	ready := test("allReplicasReady", "whether all desired replicas are ready", "{{ allReplicasReady .children.deployment }}", "false",
		func(obj any) bool { return statusCount("readyReplicas")(obj) >= desiredReplicas(obj) })
	alias := ready
	alias.Name, alias.AliasOf, alias.Doc = "replicasReady", ready.Name, "the same as `allReplicasReady`"
	alias.Examples = []Example{{"{{ replicasReady .children.deployment }}", "false"}}
	return []Function{
		number("desiredReplicas", "`spec.replicas`, 1 by default", "{{ desiredReplicas .children.deployment }}", "3", desiredReplicas),
		number("readyReplicas", "`status.readyReplicas`", "{{ readyReplicas .children.deployment }}", "2", statusCount("readyReplicas")),
		number("availableReplicas", "`status.availableReplicas`", "{{ availableReplicas .children.deployment }}", "2", statusCount("availableReplicas")),
		number("updatedReplicas", "`status.updatedReplicas`", "{{ updatedReplicas .children.deployment }}", "3", statusCount("updatedReplicas")),
		ready,
		alias,
		test("rolloutComplete", "whether all desired replicas are of the newest revision", "{{ rolloutComplete .children.deployment }}", "true",
			func(obj any) bool { return statusCount("updatedReplicas")(obj) == desiredReplicas(obj) }),
	}
}

func desiredReplicas(workload any) int64 {
	replicas := fieldOf(workload, "spec", "replicas")
	if replicas == nil {
		return 1
	}
	return count(replicas)
}

func statusCount(name string) func(workload any) int64 {
	return func(workload any) int64 { return count(fieldOf(workload, "status", name)) }
}

// count is the whole part of a number, 0 for what is none.
func count(value any) int64 {
	n, _ := NumberOf(value)
	i, _ := n.truncated()
	return i
}
