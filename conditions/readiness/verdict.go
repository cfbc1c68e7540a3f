package readiness

import (
	"fmt"
	"strings"
)

// Verdict is what is to say of one object.
type Verdict struct {
	// Ready tells that nothing is missing.
	Ready bool
	// Failed tells that, as far as its controller knows, it does not become ready unless somebody acts.
	Failed bool
	// Message tells what is missing, such as "1 of 3 replicas ready". Empty for an object that is ready.
	Message string
}

// Of judges an object. One without a name, such as nil, is not there, and one that is being deleted is not ready any more.
func Of(object map[string]any) Verdict {
	switch {
	case text(object, "metadata", "name") == "":
		return waits("not there yet")
	case text(object, "metadata", "deletionTimestamp") != "":
		return waits("being deleted")
	}
	group, _, named := strings.Cut(text(object, "apiVersion"), "/")
	if !named {
		group = ""
	}
	switch group {
	case "":
		return core(object)
	case "apps":
		return workload(object)
	case "batch":
		return batch(object)
	case "autoscaling":
		return autoscaler(object)
	case "policy":
		return policy(object)
	case "apiextensions.k8s.io":
		return definition(object)
	default:
		return generic(object)
	}
}

func core(object map[string]any) Verdict {
	switch text(object, "kind") {
	case "Pod":
		return pod(object)
	case "Service":
		return service(object)
	case "PersistentVolumeClaim":
		return claim(object)
	case "PersistentVolume":
		return volume(object)
	case "Namespace":
		return namespace(object)
	default:
		return generic(object)
	}
}

// generic judges by what the conventions of Kubernetes, and those of kstatus, ask of every controller. An object whose status says
// nothing of the kind has nothing to wait for.
func generic(object map[string]any) Verdict {
	if value(object, "status", "observedGeneration") != nil {
		if unseen, ok := unseen(object); ok {
			return unseen
		}
	}
	if stalled := conditionOf(object, "Stalled"); stalled.is("True") {
		return failed("%s", stalled.says("stalled"))
	}
	if reconciling := conditionOf(object, "Reconciling"); reconciling.is("True") {
		return waits("%s", reconciling.says("being reconciled"))
	}
	ready := conditionOf(object, "Ready")
	switch {
	case ready == nil:
		return Verdict{Ready: true}
	case !ready.is("True"):
		return waits("%s", ready.says("the condition Ready is "+ready.text("status")))
	case ready["observedGeneration"] != nil && number(map[string]any(ready), "observedGeneration") < number(object, "metadata", "generation"):
		return waits("the condition Ready is of an older generation")
	}
	return Verdict{Ready: true}
}

// unseen is the verdict on an object whose controller has not looked at its newest generation yet. Not ok: it has.
func unseen(object map[string]any) (verdict Verdict, ok bool) {
	generation, observed := number(object, "metadata", "generation"), number(object, "status", "observedGeneration")
	switch {
	case observed >= generation:
		return Verdict{}, false
	case observed == 0:
		return waits("its controller has not looked at it yet"), true
	default:
		return waits("its controller has not looked at generation %d yet", generation), true
	}
}

func waits(format string, args ...any) Verdict { return Verdict{Message: fmt.Sprintf(format, args...)} }

func failed(format string, args ...any) Verdict {
	return Verdict{Failed: true, Message: fmt.Sprintf(format, args...)}
}
