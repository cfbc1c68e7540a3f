package readiness

// service is ready unless it waits for a load balancer, whose address is what it is for.
func service(object map[string]any) Verdict {
	if text(object, "spec", "type") != "LoadBalancer" {
		return Verdict{Ready: true}
	}
	for _, point := range list(object, "status", "loadBalancer", "ingress") {
		if text(point, "ip") != "" || text(point, "hostname") != "" {
			return Verdict{Ready: true}
		}
	}
	return waits("the load balancer has no address yet")
}

func claim(object map[string]any) Verdict {
	switch phase := text(object, "status", "phase"); phase {
	case "Bound":
		return Verdict{Ready: true}
	case "Lost":
		return failed("its volume is lost")
	default:
		return waits("it is not bound yet")
	}
}

func volume(object map[string]any) Verdict {
	switch phase := text(object, "status", "phase"); phase {
	case "Available", "Bound":
		return Verdict{Ready: true}
	case "Failed":
		return failed("it has failed%s", inBrackets(text(object, "status", "reason")))
	case "Released":
		return failed("its claim is gone, and it is not free for another one")
	default:
		return waits("it is not available yet")
	}
}

func namespace(object map[string]any) Verdict {
	if phase := text(object, "status", "phase"); phase != "Active" {
		return waits("it is not active")
	}
	return Verdict{Ready: true}
}

// policy judges a PodDisruptionBudget, which is of use once its controller has counted.
func policy(object map[string]any) Verdict {
	if text(object, "kind") != "PodDisruptionBudget" {
		return generic(object)
	}
	if unseen, ok := unseen(object); ok {
		return unseen
	}
	return Verdict{Ready: true}
}

// autoscaler judges a HorizontalPodAutoscaler: it can scale its target, and has the figures to do so. One that is switched off by 0
// replicas has nothing to do.
func autoscaler(object map[string]any) Verdict {
	if text(object, "kind") != "HorizontalPodAutoscaler" {
		return generic(object)
	}
	if value(object, "status", "observedGeneration") != nil {
		if unseen, ok := unseen(object); ok {
			return unseen
		}
	}
	able, active := conditionOf(object, "AbleToScale"), conditionOf(object, "ScalingActive")
	switch {
	case able == nil:
		return waits("its controller has not looked at it yet")
	case !able.is("True"):
		return waits("%s", able.says("it can't scale its target"))
	case active.is("False") && active.text("reason") != "ScalingDisabled":
		return waits("%s", active.says("it has no metrics"))
	}
	return Verdict{Ready: true}
}

// definition judges a CustomResourceDefinition: the server serves it.
func definition(object map[string]any) Verdict {
	if text(object, "kind") != "CustomResourceDefinition" {
		return generic(object)
	}
	accepted, established := conditionOf(object, "NamesAccepted"), conditionOf(object, "Established")
	switch {
	case accepted.is("False"):
		return failed("%s", accepted.says("its names are taken"))
	case !established.is("True"):
		return waits("%s", established.says("it is not established yet"))
	}
	return Verdict{Ready: true}
}
