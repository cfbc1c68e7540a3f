package notes_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func conditioned(kind, status string) map[string]any {
	return object("status", object("conditions", list(object("type", kind, "status", status))))
}

func objectCalls() []call {
	owned := object("metadata", object("ownerReferences", list(object("kind", "A", "name", "a"), object("kind", "B", "name", "b", "controller", true))))
	return []call{
		{"missing", "get", list(nil, "a"), nil, ""},
		{"missing", "meta", list(nil), object(), ""},
		{"no map", "meta", list(object("metadata", "x")), object(), ""},
		{"missing", "spec", list(nil), object(), ""},
		{"no object", "spec", list("x"), object(), ""},
		{"missing", "status", list(nil), object(), ""},
		{"no map", "status", list(object("status", list("x"))), object(), ""},
		{"positions of lists", "get", list(object("a", list("x", "y")), "a", int64(1)), "y", ""},
		{"outside of a list", "get", list(list("x"), int64(1)), nil, ""},
		{"a key of a list", "get", list(list("x"), "a"), nil, ""},
		{"an object that was not found has its name beside the metadata", "name", list(object("found", "false", "name", "db")), "db", ""},
		{"an object that was not found has its namespace beside the metadata", "namespace", list(object("namespace", "prod")), "prod", ""},
		{"the first of several owners", "ownerKind", list(object("metadata", object("ownerReferences", list(object("kind", "A"), object("kind", "B"))))), "A", ""},
		{"the controller of several owners", "ownerName", list(owned), "b", ""},
		{"missing", "labelMatches", list(nil, "a", "b"), false, ""},
		{"one of two", "labelMatches", list(object("metadata", object("labels", object("a", "b"))), "a", "b", "c", "d"), false, ""},
		{"a missing label does not match the empty text", "labelMatches", list(object(), "a", ""), false, ""},
		{"a key without a value", "labelMatches", list(object(), "a"), nil, `labelMatches: the key "a" has no value`},
		{"an unknown status", "hasCondition", list(conditioned("Ready", "Unknown"), "Ready"), false, ""},
		{"a label that is no number", "getLabelInt", list(object("metadata", object("labels", object("a", "x"))), "a"), int64(0), ""},
		{"older", "isSynced", list(object("metadata", object("generation", int64(2)), "status", object("observedGeneration", int64(1)))), false, ""},
		{"deleted", "isTerminating", list(object("metadata", object("deletionTimestamp", "2026-03-04T10:00:00Z"))), true, ""},
		{"missing", "childReady", list(nil), false, ""},
		{"no object", "childReady", list("x"), false, ""},
		{"the placeholder of a child that is not there", "childReady", list(object("status", object())), false, ""},
		{"a cross object that was not found", "childReady", list(object("found", "false", "metadata", object("name", "a"))), false, ""},
		{"one that says nothing against it", "childReady", list(object("found", "true", "metadata", object("name", "a"))), true, ""},
		{"a claim that is bound", "childReady", list(object("apiVersion", "v1", "kind", "PersistentVolumeClaim", "metadata", object("name", "a"), "status", object("phase", "Bound"))), true, ""},
		{"a child", "resourceExists", list(object("metadata", object("name", "a"))), true, ""},
		{"a group of children", "resourceExists", list(object("a", object("metadata", object("name", "a")))), true, ""},
		{"a group without any", "resourceExists", list(object()), false, ""},
		{"the placeholder of a child", "resourceExists", list(object("status", object(), "ready", false)), false, ""},
		{"a cross object that was found", "resourceExists", list(object("found", "true")), true, ""},
		{"one that was not", "resourceExists", list(object("found", "false", "metadata", object("name", "a"))), false, ""},
	}
}

func clusterCalls() []call {
	pod := func(statuses ...any) map[string]any {
		return object("_pods", list(object("metadata", object("name", "web-1"), "status", object("phase", "Running", "containerStatuses", statuses))))
	}
	waiting := func(reason string) map[string]any {
		return pod(object("name", "app", "state", object("waiting", object("reason", reason))))
	}
	containers := list(object("image", "a"), object("image", "b"))
	calls := []call{
		{"the second", "containerImage", list(object("spec", object("containers", containers)), int64(1)), "b", ""},
		{"of a CronJob", "containerImage", list(object("spec", object("jobTemplate", object("spec", object("template", object("spec", object("containers", containers))))))), "a", ""},
		{"outside", "containerImage", list(object("spec", object("containers", containers)), int64(2)), "", ""},
		{"no position", "containerImage", list(nil, "x"), nil, `containerImage: "x" is not a number`},
		{"missing", "containerEnv", list(nil, nil, nil), "", ""},
		{"no position", "containerEnv", list(nil, "x", "A"), nil, `containerEnv: "x" is not a number`},
		{"missing", "containerPort", list(nil, nil, nil), false, ""},
		{"no position", "containerPort", list(nil, "x", int64(80)), nil, `containerPort: "x" is not a number`},
		{"missing", "containerPortByName", list(nil, nil, nil), int64(0), ""},
		{"no position", "containerPortByName", list(nil, "x", "http"), nil, `containerPortByName: "x" is not a number`},
		{"no position", "containerPorts", list(nil, "x"), nil, `containerPorts: "x" is not a number`},
		{"of a Pod", "containerCount", list(object("spec", object("containers", containers))), int64(2), ""},
		{"no such port", "serviceNodePort", list(object("spec", object("ports", list(object("name", "a", "nodePort", int64(1))))), "b"), int64(0), ""},
		{"a host", "serviceLoadBalancerHost", list(object("status", object("loadBalancer", object("ingress", list(object("hostname", "lb")))))), "lb", ""},
		{"Endpoints of a former API", "serviceEndpoints", list(object("_endpoints", list(object("subsets", list(object(
			"addresses", list(object("ip", "10.0.0.2"), object("ip", "10.0.0.1")), "ports", list(object("port", int64(80))))))))), list("10.0.0.1:80", "10.0.0.2:80"), ""},
		{"without a port", "serviceFirstEndpoint", list(object("_endpoints", list(object("endpoints", list(object("addresses", list("fd00::1"))))))), "fd00::1", ""},
		{"IPv6", "serviceFirstEndpoint", list(object("_endpoints", list(object("endpoints", list(object("addresses", list("fd00::1"))), "ports", list(object("port", int64(80))))))), "[fd00::1]:80", ""},
		{"complete", "jobSucceeded", list(conditioned("Complete", "True")), true, ""},
		{"it fails now and then", "jobFailed", list(object("status", object("failed", int64(1)))), false, ""},
		{"running", "jobActive", list(object("status", object("active", int64(1)))), true, ""},
		{"running", "jobActivePodNames", list(pod()), list("web-1"), ""},
		{"no container has ended", "jobFirstExitCode", list(pod(object("state", object("running", object())))), int64(-1), ""},
		{"ended well", "jobFirstExitCode", list(pod(object("state", object("terminated", object("exitCode", int64(0)))))), int64(0), ""},
		{"suspended", "cronJobNextScheduleTime", list(object("spec", object("schedule", "@daily", "suspend", true))), "", ""},
		{"another zone", "cronJobNextScheduleTime", list(object("spec", object("schedule", "@daily", "timeZone", "Europe/Berlin"))), "", ""},
		{"complete", "cronJobLastJobSucceeded", list(object("_lastJob", conditioned("Complete", "True"))), true, ""},
		{"by its own status", "hpaMetricTypes", list(object("status", object("currentMetrics", list(object("type", "Pods"))))), list("Pods"), ""},
		{"by its own spec", "hpaScaleTargetName", list(object("spec", object("scaleTargetRef", object("name", "web")))), "web", ""},
		{"on its way", "hpaScaling", list(object("status", object("currentReplicas", int64(1), "desiredReplicas", int64(2)))), true, ""},
		{"below", "hpaAtMax", list(object("spec", object("maxReplicas", int64(2)), "status", object("currentReplicas", int64(1)))), false, ""},
		{"a former annotation", "ingressClassName", list(object("metadata", object("annotations", object("kubernetes.io/ingress.class", "nginx")))), "nginx", ""},
		{"a host is enough", "ingressReady", list(object("status", object("loadBalancer", object("ingress", list(object("hostname", "lb")))))), true, ""},
		{"not a provisioner yet", "pvcProvisioner", list(object("metadata", object("annotations", object("volume.kubernetes.io/storage-provisioner", "csi")))), "csi", ""},
		{"by its owner reference", "replicaSetOwnerName", list(object("metadata", object("ownerReferences", list(object("name", "web"))))), "web", ""},
		{"by its owner", "replicaSetOwnerKind", list(object("_owner", object("kind", "Deployment"))), "Deployment", ""},
		{"one without Pods is no more in the way", "oldDeploymentReplicaSets", list(object("_replicaSets", list(
			object("metadata", object("annotations", object("deployment.kubernetes.io/revision", "9"))),
			object("metadata", object("annotations", object("deployment.kubernetes.io/revision", "10")), "status", object("replicas", int64(1)))))), int64(0), ""},
		{"missing", "podByOrdinal", list(nil, int64(0)), object(), ""},
		{"no such Pod", "podByOrdinal", list(pod(), int64(2)), object(), ""},
		{
			"a Pod", "podByOrdinal", list(pod(object("restartCount", int64(4))), int64(1)),
			object("name", "web-1", "ip", "", "phase", "Running", "ready", false, "node", "", "restartCount", int64(4), "ordinal", int64(1)), "",
		},
		{"no number", "podByOrdinal", list(nil, "x"), nil, `podByOrdinal: "x" is not a number`},
		{"missing", "podContainerState", list(nil, nil, nil), "", ""},
		{"the first container", "podContainerState", list(waiting("x"), int64(0), ""), "waiting", ""},
		{"an init container is not the first", "podContainerState", list(object("_pods", list(object("status", object(
			"initContainerStatuses", list(object("name", "init", "state", object("terminated", object()))),
			"containerStatuses", list(object("name", "app", "state", object("running", object()))))))), int64(0), nil), "running", ""},
		{"no such container", "podContainerState", list(waiting("x"), int64(0), "sidecar"), "", ""},
		{"no position", "podContainerState", list(nil, "x", ""), nil, `podContainerState: "x" is not a number`},
		{"ended well", "podContainerReasons", list(pod(object("state", object("terminated", object("reason", "Completed"))))), []any{}, ""},
		{"twice is not often", "hasCrashingPod", list(pod(object("restartCount", int64(2)))), false, ""},
		{"three times is", "hasCrashingPod", list(pod(object("restartCount", int64(3)))), true, ""},
		{"an init container", "podMaxRestarts", list(object("_pods", list(object("status", object("initContainerStatuses", list(object("restartCount", int64(5)))))))), int64(5), ""},
		{"without a value", "nodeTaints", list(object("spec", object("taints", list(object("key", "a", "effect", "NoExecute"))))), list("a:NoExecute"), ""},
		{"by its own spec", "podNodeName", list(object("spec", object("nodeName", "n"))), "n", ""},
		{"each once", "warningReasons", list(object("_warnings", list(object("reason", "A"), object("reason", "A")))), list("A"), ""},
	}
	for function, reason := range map[string]string{
		"podCrashLoopDetected": "CrashLoopBackOff", "podImagePullBackOffDetected": "ImagePullBackOff", "podErrImagePullDetected": "ErrImagePull",
		"podInvalidImageNameDetected": "InvalidImageName", "podOOMKilledDetected": "OOMKilled", "podErrorDetected": "Error",
		"podRunContainerErrorDetected": "RunContainerError", "podCreateContainerErrorDetected": "CreateContainerConfigError",
		"podPostStartHookErrorDetected": "PostStartHookError", "podPreStartHookErrorDetected": "PreStartHookError",
	} {
		calls = append(calls,
			call{"its reason", function, list(waiting(reason)), true, ""},
			call{"another reason", function, list(waiting("Other")), false, ""})
	}
	return calls
}

// zeros are what functions of one object, and of a name beside it, give for a missing object.
func zeros() map[string]any {
	empty, none := []any{}, object()
	return map[string]any{
		"labels": none, "annotations": none, "name": "", "namespace": "", "phase": "",
		"getStatus": "", "hasStatus": false, "getLabel": "", "hasLabel": false, "getLabelInt": int64(0),
		"getAnnotation": "", "hasAnnotation": false, "getAnnotationInt": int64(0), "ownerKind": "", "ownerName": "",
		"hasCondition": false, "conditionReason": "", "conditionMessage": "", "generation": int64(0), "observedGeneration": int64(0),
		"isSynced": false, "isTerminating": false, "resourceExists": false, "resourceCPU": "", "resourceMemory": "",
		"resourceUID": "", "resourceVersion": "", "creationTimestamp": "",
		"desiredReplicas": int64(1), "readyReplicas": int64(0), "availableReplicas": int64(0), "updatedReplicas": int64(0),
		"allReplicasReady": false, "rolloutComplete": false,
		"containerImage": "", "containerPorts": empty, "containerCount": int64(0),
		"serviceClusterIP": "", "serviceNodePort": int64(0), "serviceLoadBalancerIP": "", "serviceLoadBalancerHost": "", "endpointsReady": false,
		"serviceEndpoints": empty, "serviceEndpointCount": int64(0), "serviceFirstEndpoint": "", "hasEndpoints": false,
		"backingPodCount": int64(0), "backingPodNames": empty,
		"jobSucceeded": false, "jobFailed": false, "jobActive": false, "jobActivePodNames": empty, "jobFailedPodNames": empty,
		"jobSucceededPodNames": empty, "jobFirstExitCode": int64(-1), "cronJobActiveCount": int64(0), "cronJobLastScheduleTime": "",
		"cronJobLastSuccessTime": "", "cronJobNextScheduleTime": "", "cronJobLastJobName": "", "cronJobLastJobSucceeded": false,
		"cronJobLastSuccessfulJobName": "",
		"hpaCurrentReplicas":           int64(0), "hpaDesiredReplicas": int64(0), "hpaMinReplicas": int64(1), "hpaMaxReplicas": int64(0), "hpaAtMax": false,
		"hpaScaling": false, "hpaScalingActive": false, "hpaScalingLimited": false, "hpaAbleToScale": false, "hpaMetricTypes": empty,
		"hpaScaleTargetKind": "", "hpaScaleTargetName": "",
		"ingressClassName": "", "ingressHost": "", "ingressIP": "", "ingressReady": false, "ingressRules": empty, "ingressTLSHosts": empty,
		"ingressLoadBalancerIPs": empty, "ingressTLSSecretCount": int64(0),
		"pvcBound": false, "pvcPhase": "", "pvcCapacity": "", "pvcStorageClass": "", "pvcAccessModes": empty, "pvcProvisioner": "",
		"pvcVolumeMode": "", "pvcStorageClassProvisioner": "", "pvcStorageClassReclaimPolicy": "",
		"statefulSetCurrentRevision": "", "statefulSetUpdateRevision": "", "statefulSetPVCCount": int64(0), "deploymentReplicaSetCount": int64(0),
		"deploymentReplicaSets": empty, "oldDeploymentReplicaSets": int64(0), "replicaSetOwnerKind": "", "replicaSetOwnerName": "",
		"podNames": empty, "podIPs": empty, "podPhases": empty, "podNodes": empty, "podCount": int64(0), "readyPodCount": int64(0),
		"podContainerReasons": empty, "podMaxRestarts": int64(0), "hasCrashingPod": false,
		"podCrashLoopDetected": false, "podImagePullBackOffDetected": false, "podErrImagePullDetected": false, "podInvalidImageNameDetected": false,
		"podOOMKilledDetected": false, "podErrorDetected": false, "podRunContainerErrorDetected": false, "podCreateContainerErrorDetected": false,
		"podPostStartHookErrorDetected": false, "podPreStartHookErrorDetected": false,
		"nodeReady": false, "nodeCondition": "", "nodeTaints": empty, "nodeAllocatableCPU": "", "nodeAllocatableMemory": "",
		"podNodeName": "", "podNodeZone": "", "podNodeRegion": "", "podNodeInstanceType": "",
		"hasWarnings": false, "warningCount": int64(0), "warningMessages": empty, "warningReasons": empty, "firstWarning": "",
	}
}

// TestZeros calls functions with no object, and with what is no object of Kubernetes: neither is an error.
func TestZeros(t *testing.T) {
	wrong := []any{
		nil, "text", int64(3), true, list("x"), object(),
		object("metadata", "x", "spec", list(), "status", int64(3)),
		object("metadata", object("labels", "x", "ownerReferences", "x"), "spec", object("template", "x", "ports", "x"),
			"status", object("conditions", list("x", nil), "loadBalancer", "x"), "_pods", "x", "_warnings", object(), "_endpoints", "x", "_owner", "x"),
	}
	for name, want := range zeros() {
		t.Run(name, func(t *testing.T) {
			f := function(t, name)
			least, _ := arity(f)
			for _, obj := range wrong {
				args := make([]any, least)
				args[0] = obj
				got, err := invoke(f.Code, args)
				if err != nil {
					t.Errorf("%s(%v): %v", name, args, err)
				}
				if diff := cmp.Diff(fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got)); diff != "" {
					t.Errorf("%s(%v): -want, +got:\n%s", name, args, diff)
				}
			}
		})
	}
}

func sourceCalls() []call {
	answer := `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"pod":"b"},"value":[1,"2"]},{"metric":{"pod":"a"},"value":[1,"3.5"]}]}}`
	broken := object("result", "many")
	image, digest := "ghcr.io:5000/acme/shop:1.4.2@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	calls := []call{
		{"missing", "promValue", list(nil), "", ""},
		{"the text of an answer", "promValue", list(object("body", answer)), "2", ""},
		{"one value", "promValue", list(object("result", "7")), "7", ""},
		{"a scalar", "promValue", list(object("raw", object("resultType", "scalar", "result", list(int64(1), "9")))), "9", ""},
		{"a call that was not made", "promValue", list(object("called", "false", "result", "", "raw", "")), "", ""},
		{"missing", "promSum", list(nil), "0", ""},
		{"several", "promSum", list(object("raw", answer)), "5.5", ""},
		{"no number", "promSum", list(broken), "0", ""},
		{"missing", "promMax", list(nil), "", ""},
		{"several", "promMax", list(object("raw", answer)), "3.5", ""},
		{"missing", "promSeriesCount", list(nil), "0", ""},
		{"several", "promSeriesCount", list(object("raw", answer)), "2", ""},
		{"missing", "promAboveThreshold", list(nil, int64(1)), false, ""},
		{"at it", "promAboveThreshold", list(object("result", "1"), int64(1)), false, ""},
		{"no number to compare with", "promAboveThreshold", list(object("result", "1"), "x"), nil, `promAboveThreshold: "x" is not a number`},
		{"no number", "promAboveThreshold", list(broken, int64(1)), nil, `promAboveThreshold: the value "many" of the series is not a number`},
		{"NaN is nowhere", "promAboveThreshold", list(object("result", "NaN"), int64(1)), false, ""},
		{"missing", "promBelowThreshold", list(nil, int64(1)), false, ""},
		{"below", "promBelowThreshold", list(object("result", "0.5"), int64(1)), true, ""},
		{"missing", "promLabelValues", list(nil, "pod"), []any{}, ""},
		{"sorted", "promLabelValues", list(object("raw", answer), "pod"), list("a", "b"), ""},
		{"no such label", "promLabelValues", list(object("raw", answer), "job"), []any{}, ""},
		{"missing", "gitShortCommit", list(nil), "", ""},
		{"shorter", "gitShortCommit", list("abc"), "abc", ""},
		{"missing", "gitIsCommit", list(nil), false, ""},
		{"a branch", "gitIsCommit", list("main"), false, ""},
		{"missing", "gitDefaultBranch", list(nil), "main", ""},
		{"a branch", "gitDefaultBranch", list(" dev "), "dev", ""},
		{"missing", "gitRefShort", list(nil), "", ""},
		{"a tag", "gitRefShort", list("refs/tags/v1"), "v1", ""},
		{"already short", "gitRefShort", list("main"), "main", ""},
		{"missing", "gitChanged", list(nil), false, ""},
		{"a text", "gitChanged", list("true"), true, ""},
		{"nothing of that", "gitChanged", list(object("changed", "false")), false, ""},
		{"missing", "repoName", list(nil), "", ""},
		{"a name alone", "repoName", list("shop"), "shop", ""},
		{"no URL", "repoName", list("http://["), "", ""},
		{"missing", "repoOrg", list(nil), "", ""},
		{"groups", "repoOrg", list("https://gitlab.example.com/a/b/shop.git"), "a/b", ""},
		{"missing", "repoHost", list(nil), "", ""},
		{"a port", "repoHost", list("ssh://git@git.example.com:2222/acme/shop"), "git.example.com:2222", ""},
		{"without a scheme", "repoHost", list("github.com/acme/shop"), "github.com", ""},
		{"missing", "repoSSHToHTTPS", list(nil), "", ""},
		{"a URL", "repoSSHToHTTPS", list("ssh://git@git.example.com:2222/acme/shop"), "https://git.example.com/acme/shop", ""},
		{"what is not for SSH stays", "repoSSHToHTTPS", list("https://github.com/acme/shop"), "https://github.com/acme/shop", ""},
		{"missing", "repoHTTPSToSSH", list(nil), "", ""},
		{"credentials are left out", "repoHTTPSToSSH", list("https://user:secret@github.com/acme/shop"), "git@github.com:acme/shop", ""},
		{"what is not for HTTPS stays", "repoHTTPSToSSH", list("git@github.com:acme/shop.git"), "git@github.com:acme/shop.git", ""},
		{"the default", "dockerRegistry", list("nginx"), "docker.io", ""},
		{"a port", "dockerRegistry", list(image), "ghcr.io:5000", ""},
		{"the library", "dockerRepo", list("nginx"), "library/nginx", ""},
		{"the default", "dockerTag", list("nginx"), "latest", ""},
		{"a digest is no latest", "dockerTag", list("nginx@" + digest), "", ""},
		{"a port is no tag", "dockerTag", list("localhost:5000/shop"), "latest", ""},
		{"as it was written", "dockerNoTag", list("nginx:1"), "nginx", ""},
		{"tag and digest", "dockerNoTag", list(image), "ghcr.io:5000/acme/shop", ""},
		{"without a path", "dockerName", list("nginx:1"), "nginx", ""},
		{"missing", "dockerWithTag", list(nil, "1"), "", ""},
		{"a missing tag", "dockerWithTag", list("nginx:1", nil), "nginx:1", ""},
		{"a digest goes", "dockerWithTag", list(image, int64(2)), "ghcr.io:5000/acme/shop:2", ""},
		{"no tag", "dockerWithTag", list("nginx", "a b"), nil, `dockerWithTag: "a b" is not a tag: use`},
		{"no image", "dockerWithTag", list("Nginx", "1"), nil, `dockerWithTag: "Nginx" is not an image: use`},
		{"missing", "dockerWithDigest", list(nil, digest), "", ""},
		{"no digest", "dockerWithDigest", list("nginx", "abc"), nil, `dockerWithDigest: "abc" is not a digest: use sha256:`},
		{"missing", "dockerCommitTag", list(nil, nil, nil), "", ""},
		{"without a registry", "dockerCommitTag", list(nil, "acme/shop", "4f2d9c1e8b7a"), "acme/shop:4f2d9c1", ""},
		{"without a commit", "dockerCommitTag", list("ghcr.io", "acme/shop", nil), "ghcr.io/acme/shop", ""},
		{"no repository", "dockerCommitTag", list("ghcr.io", "A B", "4f2d9c1"), nil, `dockerCommitTag: "ghcr.io/A B" is not an image`},
		{"missing", "dockerBuildSucceeded", list(nil), false, ""},
		{"a text", "dockerBuildSucceeded", list("false"), false, ""},
		{"missing", "dockerHasDigest", list(nil), false, ""},
		{"a digest", "dockerHasDigest", list(image), true, ""},
		{"no image", "dockerHasDigest", list("A B"), false, ""},
	}
	for _, name := range []string{"dockerRegistry", "dockerRepo", "dockerTag", "dockerNoTag", "dockerName"} {
		calls = append(calls, call{"missing", name, list(nil), "", ""}, call{"no image", name, list("A B"), nil, name + `: "A B" is not an image: use`})
	}
	return calls
}

func validationCalls() []call {
	annotated := object("metadata", object("annotations", object("orkestra.konductor.io/serve-source", "portal")))
	calls := []call{
		{"no host", "isValidURL", list("mailto:a@example.com"), false, ""},
		{"a name", "isValidEmail", list("Ops <ops@example.com>"), false, ""},
		{"0", "isValidPort", list(int64(0)), false, ""},
		{"a text", "isValidPort", list("8080"), true, ""},
		{"missing", "isValidPort", list(nil), false, ""},
		{"no JSON", "isValidJSON", list("{a: 1}"), false, ""},
		{"upper case", "isValidImageRef", list("Nginx"), false, ""},
		{"a path", "isValidGitRepository", list("/srv/shop.git"), false, ""},
		{"a URL", "isValidGitRepository", list("https://github.com/acme/shop"), true, ""},
		{"upper case", "isDNS1123Subdomain", list("Shop"), false, ""},
		{"two slashes", "isValidLabelKey", list("a/b/c"), false, ""},
		{"too long", "isValidLabelValue", list("0123456789012345678901234567890123456789012345678901234567890123"), false, ""},
		{"nothing is a value", "isValidLabelValue", list(nil), true, ""},
		{"a blank", "isValidAnnotationKey", list("a b"), false, ""},
		{"without an object, of the resource, in the former domain", "getServeTarget", nil, "legacy", ""},
		{"no object", "getServeTarget", list(nil), "", ""},
		{"no alias", "getServeAlias", list(annotated), "", ""},
		{"no object", "getServeAlias", list(nil), "", ""},
		{"no object", "getServeIdentity", list(nil), "", ""},
		{"no object", "getServeSource", list(nil), "", ""},
		{"of an object", "getServeSource", list(annotated), "portal", ""},
		{"no object", "getServeSource", list("x"), "", ""},
		{"no annotation", "getServeSource", nil, "", ""},
		{"no annotation", "getServeIdentity", nil, "", ""},
		{"no object", "getServeIdentity", list("x"), "", ""},
		{"of the resource", "hasServeTarget", nil, true, ""},
		{"no object", "hasServeTarget", list(nil), false, ""},
		{"no object", "hasServeSource", list(nil), false, ""},
		{"no object", "hasServeAlias", list(nil), false, ""},
		{"of the resource", "hasServeAlias", nil, false, ""},
		{"no object", "hasServeAlias", list("x"), false, ""},
		{"of the resource", "hasServeSource", nil, false, ""},
		{"of an object", "hasServeSource", list(annotated), true, ""},
		{"past the gateway", "isDirectApply", list(nil), true, ""},
		{"through the gateway", "isDirectApply", list(annotated), false, ""},
		{"through the gateway", "isDirectApply", nil, false, ""},
	}
	for _, name := range []string{
		"isValidURL", "isValidEmail", "isValidJSON", "isValidImageRef", "isValidGitRepository", "isDNS1123Subdomain", "isValidLabelKey", "isValidAnnotationKey",
	} {
		calls = append(calls, call{"missing", name, list(nil), false, ""})
	}
	return calls
}
