package readiness

import "fmt"

// workload judges the kinds of apps as kubectl rollout status does: the newest generation is rolled out, and nothing of an older one runs.
func workload(object map[string]any) Verdict {
	var judge func(map[string]any) Verdict
	switch text(object, "kind") {
	case "Deployment":
		judge = deployment
	case "ReplicaSet":
		judge = replicaSet
	case "StatefulSet":
		judge = statefulSet
	case "DaemonSet":
		judge = daemonSet
	default:
		return generic(object)
	}
	if unseen, ok := unseen(object); ok {
		return unseen
	}
	return judge(object)
}

func deployment(object map[string]any) Verdict {
	if progressing := conditionOf(object, "Progressing"); progressing.text("reason") == "ProgressDeadlineExceeded" {
		return failed("%s", progressing.says("the rollout does not progress"))
	}
	wanted, updated := replicas(object), number(object, "status", "updatedReplicas")
	available := number(object, "status", "availableReplicas")
	switch older := number(object, "status", "replicas") - updated; {
	case updated < wanted:
		return waits("%d of %d replicas updated%s", updated, wanted, refused(object))
	case older > 0:
		return waits("%d replicas of an older revision still run", older)
	case available < updated:
		return waits("%d of %d replicas available", available, updated)
	}
	return Verdict{Ready: true}
}

func replicaSet(object map[string]any) Verdict {
	wanted, available := replicas(object), number(object, "status", "availableReplicas")
	switch surplus := number(object, "status", "replicas") - wanted; {
	case available < wanted:
		return waits("%d of %d replicas available%s", available, wanted, refused(object))
	case surplus > 0:
		return waits("%d replicas too many still run", surplus)
	}
	return Verdict{Ready: true}
}

// statefulSet does not ask for an update of the pods that are not to be updated: those below the partition, and all of a set whose pods
// somebody deletes to update them.
func statefulSet(object map[string]any) Verdict {
	wanted, ready := replicas(object), number(object, "status", "readyReplicas")
	switch {
	case ready < wanted:
		return waits("%d of %d replicas ready", ready, wanted)
	case number(object, "spec", "minReadySeconds") > 0 && number(object, "status", "availableReplicas") < wanted:
		return waits("%d of %d replicas available", number(object, "status", "availableReplicas"), wanted)
	case number(object, "status", "replicas") > wanted:
		return waits("%d replicas too many still run", number(object, "status", "replicas")-wanted)
	case text(object, "spec", "updateStrategy", "type") == onDelete:
		return Verdict{Ready: true}
	}
	toUpdate := max(0, wanted-number(object, "spec", "updateStrategy", "rollingUpdate", "partition"))
	updated := number(object, "status", "updatedReplicas")
	if text(object, "status", "updateRevision") != text(object, "status", "currentRevision") && updated < toUpdate {
		return waits("%d of %d replicas updated", updated, toUpdate)
	}
	return Verdict{Ready: true}
}

func daemonSet(object map[string]any) Verdict {
	wanted := number(object, "status", "desiredNumberScheduled")
	updated, available := number(object, "status", "updatedNumberScheduled"), number(object, "status", "numberAvailable")
	switch {
	case text(object, "spec", "updateStrategy", "type") != onDelete && updated < wanted:
		return waits("%d of %d pods updated", updated, wanted)
	case available < wanted:
		return waits("%d of %d pods available", available, wanted)
	}
	return Verdict{Ready: true}
}

// onDelete is the strategy of a workload whose pods are updated by somebody who deletes them.
const onDelete = "OnDelete"

// replicas are those that are wanted, 1 where nothing is said.
func replicas(object map[string]any) int64 {
	if value(object, "spec", "replicas") == nil {
		return 1
	}
	return number(object, "spec", "replicas")
}

// refused is why pods can't be made, such as for a quota.
func refused(object map[string]any) string {
	if failure := conditionOf(object, "ReplicaFailure"); failure.is("True") {
		return fmt.Sprintf(": %s", failure.says("pods can't be made"))
	}
	return ""
}
