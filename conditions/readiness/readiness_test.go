package readiness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/conditions/readiness"
)

// judgement is one state of an object: YAML of its fields besides the metadata, which have the name and the generation 2.
type judgement struct {
	reason, object string
	want           readiness.Verdict
}

var ready = readiness.Verdict{Ready: true}

func waits(message string) readiness.Verdict { return readiness.Verdict{Message: message} }

func failed(message string) readiness.Verdict {
	return readiness.Verdict{Failed: true, Message: message}
}

func run(t *testing.T, cases map[string]judgement) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.UnmarshalStrict([]byte(tc.object), &object); err != nil {
				t.Fatal(err)
			}
			if object["metadata"] == nil {
				object["metadata"] = map[string]any{"name": "a", "generation": int64(2)}
			}
			if diff := cmp.Diff(tc.want, readiness.Of(object)); diff != "" {
				t.Errorf("\n%s\nOf(%s): -want, +got:\n%s", tc.reason, tc.object, diff)
			}
		})
	}
}

func TestObjects(t *testing.T) {
	if got := readiness.Of(nil); got != waits("not there yet") {
		t.Errorf("Of(nil) = %v", got)
	}
	run(t, map[string]judgement{
		"Placeholder": {reason: "a child that does not exist", object: `{status: {}, metadata: {}}`, want: waits("not there yet")},
		"Terminating": {
			reason: "whatever its status says", object: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, deletionTimestamp: "2026-01-01T00:00:00Z"}}`,
			want: waits("being deleted"),
		},
		"Plain":         {reason: "there is nothing to wait for", object: `{apiVersion: v1, kind: ConfigMap}`, want: ready},
		"NoStatus":      {reason: "a kind of which nothing is known", object: `{apiVersion: example.com/v1, kind: Thing}`, want: ready},
		"OwnConditions": {reason: "conditions that no convention knows", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Synced, status: "False"}]}}`, want: ready},
		"NoKind":        {reason: "what cross reads", object: `{status: {conditions: [{type: Ready, status: "False", message: m}]}}`, want: waits("m")},
		"Unseen":        {reason: "of an older generation", object: `{apiVersion: example.com/v1, kind: Thing, status: {observedGeneration: 1}}`, want: waits("its controller has not looked at generation 2 yet")},
		"NeverSeen":     {reason: "it says so itself", object: `{apiVersion: example.com/v1, kind: Thing, status: {observedGeneration: 0}}`, want: waits("its controller has not looked at it yet")},
		"Seen":          {reason: "of this generation, a float in a file", object: `{apiVersion: example.com/v1, kind: Thing, status: {observedGeneration: 2.0}}`, want: ready},
		"Ready":         {reason: "by its condition", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Ready, status: "True"}]}}`, want: ready},
		"OldReady":      {reason: "the condition is of an older generation", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`, want: waits("the condition Ready is of an older generation")},
		"NotReady":      {reason: "the message tells why", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Ready, status: "False", reason: R, message: no luck}]}}`, want: waits("no luck")},
		"UnknownReady":  {reason: "it is not known to be ready", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Ready, status: Unknown}]}}`, want: waits("the condition Ready is Unknown")},
		"Reconciling":   {reason: "kstatus: work goes on", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Ready, status: "True"}, {type: Reconciling, status: "True", reason: Busy}]}}`, want: waits("Busy")},
		"Stalled":       {reason: "kstatus: somebody must act", object: `{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Stalled, status: "True"}]}}`, want: failed("stalled")},

		"ClusterIP":           {reason: "has nothing to wait for", object: `{apiVersion: v1, kind: Service, spec: {type: ClusterIP}, status: {loadBalancer: {}}}`, want: ready},
		"LoadBalancer":        {reason: "its address is what it is for", object: `{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}, status: {loadBalancer: {}}}`, want: waits("the load balancer has no address yet")},
		"LoadBalancerIP":      {reason: "by number", object: `{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 10.0.0.1}]}}}`, want: ready},
		"LoadBalancerName":    {reason: "by name", object: `{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{hostname: lb.example.com}]}}}`, want: ready},
		"Ingress":             {reason: "not every class gives it an address", object: `{apiVersion: networking.k8s.io/v1, kind: Ingress, status: {loadBalancer: {}}}`, want: ready},
		"ClaimBound":          {reason: "it has its volume", object: `{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Bound}}`, want: ready},
		"ClaimPending":        {reason: "it has none", object: `{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Pending}}`, want: waits("it is not bound yet")},
		"ClaimLost":           {reason: "it had one", object: `{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Lost}}`, want: failed("its volume is lost")},
		"VolumeAvailable":     {reason: "a claim may take it", object: `{apiVersion: v1, kind: PersistentVolume, status: {phase: Available}}`, want: ready},
		"VolumeBound":         {reason: "a claim has taken it", object: `{apiVersion: v1, kind: PersistentVolume, status: {phase: Bound}}`, want: ready},
		"VolumePending":       {reason: "nobody may take it yet", object: `{apiVersion: v1, kind: PersistentVolume, status: {phase: Pending}}`, want: waits("it is not available yet")},
		"VolumeReleased":      {reason: "nobody may take it any more", object: `{apiVersion: v1, kind: PersistentVolume, status: {phase: Released}}`, want: failed("its claim is gone, and it is not free for another one")},
		"VolumeFailed":        {reason: "it could not be reclaimed", object: `{apiVersion: v1, kind: PersistentVolume, status: {phase: Failed, reason: R}}`, want: failed("it has failed (R)")},
		"NamespaceActive":     {reason: "objects may go there", object: `{apiVersion: v1, kind: Namespace, status: {phase: Active}}`, want: ready},
		"NamespaceEnding":     {reason: "no object may", object: `{apiVersion: v1, kind: Namespace, status: {phase: Terminating}}`, want: waits("it is not active")},
		"Budget":              {reason: "its controller has counted", object: `{apiVersion: policy/v1, kind: PodDisruptionBudget, status: {observedGeneration: 2}}`, want: ready},
		"BudgetNew":           {reason: "it has not", object: `{apiVersion: policy/v1, kind: PodDisruptionBudget}`, want: waits("its controller has not looked at it yet")},
		"Autoscaler":          {reason: "it has figures", object: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, status: {conditions: [{type: AbleToScale, status: "True"}, {type: ScalingActive, status: "True"}]}}`, want: ready},
		"AutoscalerNew":       {reason: "nobody has looked", object: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}`, want: waits("its controller has not looked at it yet")},
		"AutoscalerOld":       {reason: "at this generation", object: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, status: {observedGeneration: 1, conditions: [{type: AbleToScale, status: "True"}]}}`, want: waits("its controller has not looked at generation 2 yet")},
		"AutoscalerNoTarget":  {reason: "there is nothing to scale", object: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, status: {conditions: [{type: AbleToScale, status: "False", message: no target}]}}`, want: waits("no target")},
		"AutoscalerNoMetrics": {reason: "it has no figures", object: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, status: {conditions: [{type: AbleToScale, status: "True"}, {type: ScalingActive, status: "False", message: no metrics}]}}`, want: waits("no metrics")},
		"AutoscalerOff":       {reason: "0 replicas switch it off", object: `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, status: {conditions: [{type: AbleToScale, status: "True"}, {type: ScalingActive, status: "False", reason: ScalingDisabled}]}}`, want: ready},
		"DefinitionServed":    {reason: "the server serves it", object: `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "True"}]}}`, want: ready},
		"DefinitionNew":       {reason: "not yet", object: `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}`, want: waits("it is not established yet")},
		"DefinitionTaken":     {reason: "another one has its names", object: `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, status: {conditions: [{type: NamesAccepted, status: "False", message: taken}]}}`, want: failed("taken")},
	})
}

func TestRuns(t *testing.T) {
	run(t, map[string]judgement{
		"CronJob":          {reason: "its Jobs are another matter", object: `{apiVersion: batch/v1, kind: CronJob, spec: {suspend: true}}`, want: ready},
		"JobNew":           {reason: "nothing is done", object: `{apiVersion: batch/v1, kind: Job, spec: {completions: 3}}`, want: waits("0 of 3 completions")},
		"JobRunning":       {reason: "a part is done", object: `{apiVersion: batch/v1, kind: Job, spec: {completions: 3}, status: {active: 1, succeeded: 2}}`, want: waits("2 of 3 completions")},
		"JobQueue":         {reason: "without a number of completions", object: `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2}, status: {succeeded: 1}}`, want: waits("it has not completed")},
		"JobAllSucceeded":  {reason: "the controller says when it is over", object: `{apiVersion: batch/v1, kind: Job, spec: {completions: 1}, status: {succeeded: 1, conditions: [{type: SuccessCriteriaMet, status: "True"}]}}`, want: waits("1 of 1 completions")},
		"JobComplete":      {reason: "it is over", object: `{apiVersion: batch/v1, kind: Job, spec: {completions: 1}, status: {succeeded: 1, conditions: [{type: Complete, status: "True"}]}}`, want: ready},
		"JobFailed":        {reason: "it is over, in vain", object: `{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded}]}}`, want: failed("it has failed (BackoffLimitExceeded)")},
		"JobSuspended":     {reason: "it does not run", object: `{apiVersion: batch/v1, kind: Job, spec: {suspend: true}}`, want: waits("it is suspended")},
		"PodNew":           {reason: "nobody has looked", object: `{apiVersion: v1, kind: Pod}`, want: waits("it has not started")},
		"PodUnscheduled":   {reason: "no node has room", object: `{apiVersion: v1, kind: Pod, status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", message: no nodes}]}}`, want: waits("no nodes")},
		"PodNoImage":       {reason: "a container can't start", object: `{apiVersion: v1, kind: Pod, status: {phase: Pending, containerStatuses: [{name: app, state: {waiting: {reason: ImagePullBackOff}}}]}}`, want: waits("app ImagePullBackOff")},
		"PodStarting":      {reason: "a container will start", object: `{apiVersion: v1, kind: Pod, status: {phase: Pending, containerStatuses: [{name: app, state: {waiting: {reason: ContainerCreating}}}]}}`, want: waits("it has not started")},
		"PodRunning":       {reason: "its probes have not succeeded", object: `{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "False"}]}}`, want: waits("its containers are not ready")},
		"PodReady":         {reason: "they have", object: `{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`, want: ready},
		"PodSucceeded":     {reason: "it has done what it was for, though it is not Ready any more", object: `{apiVersion: v1, kind: Pod, status: {phase: Succeeded, conditions: [{type: Ready, status: "False"}]}}`, want: ready},
		"PodFailed":        {reason: "it has not", object: `{apiVersion: v1, kind: Pod, status: {phase: Failed, reason: Evicted}}`, want: failed("it has failed (Evicted)")},
		"ReplicationCtrlr": {reason: "a kind that nobody declares is judged by the conventions", object: `{apiVersion: v1, kind: ReplicationController, status: {observedGeneration: 1}}`, want: waits("its controller has not looked at generation 2 yet")},
	})
}

func TestWorkloads(t *testing.T) {
	object := func(kind, spec, status string) string {
		return "{apiVersion: apps/v1, kind: " + kind + ", spec: {" + spec + "}, status: {" + status + "}}"
	}
	const seen = "observedGeneration: 2, "
	run(t, map[string]judgement{
		"DeploymentNew":      {reason: "nobody has looked", object: object("Deployment", "replicas: 3", ""), want: waits("its controller has not looked at it yet")},
		"DeploymentOld":      {reason: "at this generation: what it says is of the one before", object: object("Deployment", "replicas: 1", "observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1"), want: waits("its controller has not looked at generation 2 yet")},
		"DeploymentDefault":  {reason: "one replica by default", object: object("Deployment", "", seen), want: waits("0 of 1 replicas updated")},
		"DeploymentUpdating": {reason: "the rollout has begun", object: object("Deployment", "replicas: 3", seen+"replicas: 4, updatedReplicas: 1, availableReplicas: 3"), want: waits("1 of 3 replicas updated")},
		"DeploymentRefused": {
			reason: "it can't go on", object: object("Deployment", "replicas: 3", seen+`conditions: [{type: ReplicaFailure, status: "True", message: over quota}]`),
			want: waits("0 of 3 replicas updated: over quota"),
		},
		"DeploymentOlder":       {reason: "pods of the revision before still run", object: object("Deployment", "replicas: 3", seen+"replicas: 4, updatedReplicas: 3, availableReplicas: 3"), want: waits("1 replicas of an older revision still run")},
		"DeploymentUnavailable": {reason: "the last step", object: object("Deployment", "replicas: 3", seen+"replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 2"), want: waits("2 of 3 replicas available")},
		"DeploymentReady":       {reason: "all of it", object: object("Deployment", "replicas: 3", seen+"replicas: 3, updatedReplicas: 3, availableReplicas: 3"), want: ready},
		"DeploymentNone":        {reason: "no replicas are wanted", object: object("Deployment", "replicas: 0", seen), want: ready},
		"DeploymentStuck": {
			reason: "its deadline is over", object: object("Deployment", "replicas: 1", seen+`conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded}]`),
			want: failed("ProgressDeadlineExceeded"),
		},
		"ReplicaSetUnavailable": {reason: "some are missing", object: object("ReplicaSet", "replicas: 2", seen+"replicas: 2, availableReplicas: 1"), want: waits("1 of 2 replicas available")},
		"ReplicaSetSurplus":     {reason: "it shrinks", object: object("ReplicaSet", "replicas: 2", seen+"replicas: 3, availableReplicas: 3"), want: waits("1 replicas too many still run")},
		"ReplicaSetReady":       {reason: "all of it", object: object("ReplicaSet", "replicas: 2", seen+"replicas: 2, availableReplicas: 2"), want: ready},
		"StatefulSetNew":        {reason: "nobody has looked", object: object("StatefulSet", "", ""), want: waits("its controller has not looked at it yet")},
		"StatefulSetStarting":   {reason: "one after the other", object: object("StatefulSet", "replicas: 3", seen+"replicas: 2, readyReplicas: 1, updatedReplicas: 2"), want: waits("1 of 3 replicas ready")},
		"StatefulSetAvailable":  {reason: "ready, but not for long enough", object: object("StatefulSet", "replicas: 1, minReadySeconds: 5", seen+"replicas: 1, readyReplicas: 1"), want: waits("0 of 1 replicas available")},
		"StatefulSetShrinking":  {reason: "pods that are too many", object: object("StatefulSet", "replicas: 1", seen+"replicas: 2, readyReplicas: 2"), want: waits("1 replicas too many still run")},
		"StatefulSetUpdating":   {reason: "all run, some of them of the revision before", object: object("StatefulSet", "replicas: 3", seen+"replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: a, updateRevision: b"), want: waits("1 of 3 replicas updated")},
		"StatefulSetUpdated":    {reason: "all of it", object: object("StatefulSet", "replicas: 3", seen+"replicas: 3, readyReplicas: 3, updatedReplicas: 3, currentRevision: b, updateRevision: b"), want: ready},
		"StatefulSetPartition": {
			reason: "those below the partition are not to be updated",
			object: object("StatefulSet", "replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}", seen+"replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: a, updateRevision: b"),
			want:   ready,
		},
		"StatefulSetBelowPartition": {
			reason: "the others are",
			object: object("StatefulSet", "replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}", seen+"replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: a, updateRevision: b"),
			want:   waits("1 of 2 replicas updated"),
		},
		"StatefulSetOnDelete": {
			reason: "somebody else updates",
			object: object("StatefulSet", "replicas: 3, updateStrategy: {type: OnDelete}", seen+"replicas: 3, readyReplicas: 3, updatedReplicas: 0, currentRevision: a, updateRevision: b"),
			want:   ready,
		},
		"StatefulSetNone":      {reason: "no replicas are wanted", object: object("StatefulSet", "replicas: 0", seen), want: ready},
		"DaemonSetNew":         {reason: "nobody has looked", object: object("DaemonSet", "", ""), want: waits("its controller has not looked at it yet")},
		"DaemonSetUpdating":    {reason: "some are of the revision before", object: object("DaemonSet", "", seen+"desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 3"), want: waits("2 of 3 pods updated")},
		"DaemonSetOnDelete":    {reason: "somebody else updates", object: object("DaemonSet", "updateStrategy: {type: OnDelete}", seen+"desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 3"), want: ready},
		"DaemonSetUnavailable": {reason: "a node is late", object: object("DaemonSet", "", seen+"desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2"), want: waits("2 of 3 pods available")},
		"DaemonSetReady":       {reason: "all of it", object: object("DaemonSet", "", seen+"desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3"), want: ready},
		"DaemonSetNoNodes":     {reason: "no node wants it", object: object("DaemonSet", "", seen), want: ready},
		"Revision":             {reason: "another kind of the group", object: object("ControllerRevision", "", ""), want: ready},
	})
}
