package notes

import (
	"slices"
	"strconv"
	"strings"
)

// crashes is the number of restarts above which a pod counts as crashing.
const crashes = 2

func podsFamily() []Function {
	list := func(name, doc, result string, path ...string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "list", Needs: "pods", Doc: doc,
			Code:     func(obj any) []any { return textsAt(listAt(obj, keyPods), path...) },
			Examples: []Example{{"{{ " + name + " .children.deployment }}", result}},
		}
	}
	number := func(name, doc, result string, code func(any) int64) Function {
		return Function{
			Name: name, Signature: "obj", Result: "number", Needs: "pods", Doc: doc, Code: code,
			Examples: []Example{{"{{ " + name + " .children.deployment }}", result}},
		}
	}
	detected := func(reason, result string) Function {
		name := "pod" + reason + "Detected"
		reasons := []string{reason}
		switch reason {
		case "CrashLoop", "ImagePullBackOff":
			reasons = []string{strings.TrimSuffix(reason, "BackOff") + "BackOff"}
		case "CreateContainerError":
			reasons = []string{reason, "CreateContainerConfigError"}
		}
		return Function{
			Name: name, Signature: "obj", Result: "bool", Needs: "pods", Doc: "whether a container waits or ended for the reason `" + strings.Join(reasons, "` or `") + "`",
			Code:     func(obj any) bool { return hasReason(obj, reasons) },
			Examples: []Example{{"{{ " + name + " .children.deployment }}", result}},
		}
	}
	return []Function{
		list("podNames", "the names of the Pods", `["shop-7d9f-abcde","shop-7d9f-fghij"]`, "metadata", "name"),
		list("podIPs", "their IP addresses", `["10.1.0.4","10.1.0.5"]`, "status", "podIP"),
		list("podPhases", "their phases", `["Running","Running"]`, "status", "phase"),
		list("podNodes", "the nodes that they are on", `["node-a","node-b"]`, "spec", "nodeName"),
		number("podCount", "the number of Pods", "2", func(obj any) int64 { return int64(len(listAt(obj, keyPods))) }),
		number("readyPodCount", "the number of Pods that are ready", "1", readyPods),
		{
			Name: "podByOrdinal", Signature: "obj i", Result: "map", Needs: "pods", Code: podByOrdinal,
			Doc:      "`name`, `ip`, `phase`, `ready`, `node`, `restartCount` and `ordinal` of the Pod whose name ends in the number; empty without one",
			Examples: []Example{{"{{ (podByOrdinal .children.statefulset 0).ip }}", "10.1.0.9"}},
		},
		{
			Name: "podContainerState", Signature: "obj i container", Result: "text", Needs: "pods", Code: podContainerState,
			Doc:      "`running`, `waiting` or `terminated`: the state of a container of the Pod at a position from 0; an empty name is the first container",
			Examples: []Example{{`{{ podContainerState .children.deployment 1 "app" }}`, "waiting"}},
		},
		{
			Name: "podContainerReasons", Signature: "obj", Result: "list", Needs: "pods", Code: func(obj any) []any { return anys(reasonsOf(obj)) },
			Doc:      "the reasons for which containers wait or ended, each once",
			Examples: []Example{{"{{ podContainerReasons .children.deployment }}", `["CrashLoopBackOff","OOMKilled"]`}},
		},
		number("podMaxRestarts", "the restarts of the container that restarted most", "7", podMaxRestarts),
		{
			Name: "hasCrashingPod", Signature: "obj", Result: "bool", Needs: "pods", Code: func(obj any) bool { return podMaxRestarts(obj) > crashes },
			Doc:      "whether a container restarted more than twice",
			Examples: []Example{{"{{ hasCrashingPod .children.deployment }}", "true"}},
		},
		detected("CrashLoop", "true"),
		detected("ImagePullBackOff", "false"),
		detected("ErrImagePull", "false"),
		detected("InvalidImageName", "false"),
		detected("OOMKilled", "true"),
		detected("Error", "false"),
		detected("RunContainerError", "false"),
		detected("CreateContainerError", "false"),
		detected("PostStartHookError", "false"),
		detected("PreStartHookError", "false"),
	}
}

func readyPods(obj any) int64 {
	var ready int64
	for _, pod := range listAt(obj, keyPods) {
		if isTrue(pod, "Ready") {
			ready++
		}
	}
	return ready
}

// containerStatuses are those of init containers first, as they run.
func containerStatuses(pod any) []any {
	return slices.Concat(listAt(pod, "status", "initContainerStatuses"), listAt(pod, "status", "containerStatuses"))
}

func restarts(pod any) int64 {
	var most int64
	for _, container := range containerStatuses(pod) {
		most = max(most, countAt(container, "restartCount"))
	}
	return most
}

func podMaxRestarts(obj any) int64 {
	var most int64
	for _, pod := range listAt(obj, keyPods) {
		most = max(most, restarts(pod))
	}
	return most
}

func podByOrdinal(obj, i any) (map[string]any, error) {
	ordinal, err := wholeFrom0("podByOrdinal", i)
	if err != nil {
		return nil, err
	}
	suffix := "-" + strconv.FormatInt(ordinal, 10)
	for _, pod := range listAt(obj, keyPods) {
		if name := textAt(pod, "metadata", "name"); strings.HasSuffix(name, suffix) {
			return map[string]any{
				"name": name, "ip": textAt(pod, "status", "podIP"), "phase": textAt(pod, "status", "phase"), "ready": isTrue(pod, "Ready"),
				"node": textAt(pod, "spec", "nodeName"), "restartCount": restarts(pod), "ordinal": ordinal,
			}, nil
		}
	}
	return map[string]any{}, nil
}

func podContainerState(obj, i, container any) (string, error) {
	pod, err := elementAt("podContainerState", listAt(obj, keyPods), i)
	wanted := Text(container)
	for _, status := range slices.Concat(listAt(pod, "status", "containerStatuses"), listAt(pod, "status", "initContainerStatuses")) {
		if wanted != "" && textAt(status, "name") != wanted {
			continue
		}
		for _, state := range []string{"running", "waiting", "terminated"} {
			if fieldOf(status, "state", state) != nil {
				return state, err
			}
		}
	}
	return "", err
}

// reasonsOf collects the reasons of waiting and terminated containers, also of those that ended before they were started
// again. Completed is none: it is how a container ends well.
func reasonsOf(obj any) []string {
	var reasons []string
	for _, pod := range listAt(obj, keyPods) {
		for _, container := range containerStatuses(pod) {
			for _, path := range [][]string{{"state", "waiting"}, {"state", "terminated"}, {"lastState", "terminated"}} {
				reason := textAt(fieldOf(container, path...), "reason")
				if reason != "" && reason != "Completed" && !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
			}
		}
	}
	return reasons
}

func hasReason(obj any, wanted []string) bool {
	return slices.ContainsFunc(reasonsOf(obj), func(reason string) bool { return slices.Contains(wanted, reason) })
}
