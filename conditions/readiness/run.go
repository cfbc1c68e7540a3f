package readiness

import "strings"

// batch judges what runs to its end. A CronJob is ready as soon as it is there: its Jobs are another matter.
func batch(object map[string]any) Verdict {
	if text(object, "kind") != "Job" {
		return Verdict{Ready: true}
	}
	finished, broken := conditionOf(object, "Complete"), conditionOf(object, "Failed")
	switch {
	case finished.is("True"):
		return Verdict{Ready: true}
	case broken.is("True"):
		return failed("it has failed%s", inBrackets(broken.text("reason")))
	case value(object, "spec", "suspend") == true:
		return waits("it is suspended")
	case value(object, "spec", "completions") == nil:
		return waits("it has not completed")
	default:
		return waits("%d of %d completions", number(object, "status", "succeeded"), number(object, "spec", "completions"))
	}
}

// pod is ready when it is in use, or has done what it was for.
func pod(object map[string]any) Verdict {
	phase := text(object, "status", "phase")
	ready := conditionOf(object, "Ready")
	switch {
	case phase == "Succeeded":
		return Verdict{Ready: true}
	case phase == "Failed":
		return failed("it has failed%s", inBrackets(text(object, "status", "reason")))
	case phase == "Running" && ready.is("True"):
		return Verdict{Ready: true}
	case phase == "Running":
		return waits("%s", ready.says("its containers are not ready"))
	}
	if scheduled := conditionOf(object, "PodScheduled"); scheduled.is("False") {
		return waits("%s", scheduled.says("no node takes it"))
	}
	if reasons := waitingContainers(object); len(reasons) > 0 {
		return waits("%s", strings.Join(reasons, ", "))
	}
	return waits("it has not started")
}

// waitingContainers lists the containers that can't start, with the reasons.
func waitingContainers(object map[string]any) []string {
	var reasons []string
	for _, statuses := range [][]any{list(object, "status", "initContainerStatuses"), list(object, "status", "containerStatuses")} {
		for _, container := range statuses {
			switch reason := text(container, "state", "waiting", "reason"); reason {
			case "", "PodInitializing", "ContainerCreating":
			default:
				reasons = append(reasons, text(container, "name")+" "+reason)
			}
		}
	}
	return reasons
}

func inBrackets(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}
