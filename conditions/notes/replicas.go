package notes

// replicasFamily reads workloads: Deployments, StatefulSets, ReplicaSets. A missing workload wants one replica, as a new
// one would, and has none.
func replicasFamily() map[string]any {
	allReady := func(workload any) bool { return statusCount("readyReplicas")(workload) >= desiredReplicas(workload) }
	return map[string]any{
		"desiredReplicas":   desiredReplicas,
		"readyReplicas":     statusCount("readyReplicas"),
		"availableReplicas": statusCount("availableReplicas"),
		"updatedReplicas":   statusCount("updatedReplicas"),
		"allReplicasReady":  allReady,
		"replicasReady":     allReady,
		"rolloutComplete": func(workload any) bool {
			return statusCount("updatedReplicas")(workload) == desiredReplicas(workload)
		},
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

// count is 0 for what is not a number.
func count(value any) int64 {
	n, _ := NumberOf(value)
	i, _ := n.truncated()
	return i
}

func fieldOf(object any, path ...string) any {
	for _, key := range path {
		m, ok := object.(map[string]any)
		if !ok {
			return nil
		}
		object = m[key]
	}
	return object
}
