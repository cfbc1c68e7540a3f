package enrich

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
)

func addReplicaSets(r *reading) {
	r.list("_replicaSets", r.indexed(setKind, byController, string(r.child.GetUID())))
}

// addClaims goes by the names, which are all that binds a StatefulSet to its claims: they outlive it.
func addClaims(r *reading) {
	var prefixes []string
	for _, template := range listAt(r.child.Object, "spec", "volumeClaimTemplates") {
		if template, ok := template.(map[string]any); ok {
			prefixes = append(prefixes, textAt(template, "metadata", "name")+"-"+r.child.GetName()+"-")
		}
	}
	if len(prefixes) == 0 {
		return
	}
	var claims []*unstructured.Unstructured
	for _, claim := range r.indexed(claimKind, toolscache.NamespaceIndex, r.child.GetNamespace()) {
		for _, prefix := range prefixes {
			ordinal, ok := strings.CutPrefix(claim.GetName(), prefix)
			if _, err := strconv.ParseUint(ordinal, 10, 32); ok && err == nil {
				claims = append(claims, claim)
				break
			}
		}
	}
	r.list("_pvcs", claims)
}

func addJobs(r *reading) {
	jobs := r.indexed(jobKind, byController, string(r.child.GetUID()))
	r.one("_lastJob", latest(jobs, startOf))
	r.one("_lastSuccessfulJob", latest(jobs, endOf))
}

// latest is the object with the latest time, by its name of two at once. Those without a time do not count.
func latest(objects []*unstructured.Unstructured, at func(map[string]any) time.Time) *unstructured.Unstructured {
	var last *unstructured.Unstructured
	var when time.Time
	for _, object := range byName(objects) {
		if t := at(object.Object); !t.IsZero() && !t.Before(when) {
			last, when = object, t
		}
	}
	return last
}

func startOf(job map[string]any) time.Time { return timeAt(job, "metadata", "creationTimestamp") }

// endOf is when a Job completed, zero when it did not.
func endOf(job map[string]any) time.Time {
	for _, condition := range listAt(job, "status", "conditions") {
		if condition, ok := condition.(map[string]any); ok && condition["type"] == "Complete" && condition["status"] == "True" {
			if end := timeAt(job, "status", "completionTime"); !end.IsZero() {
				return end
			}
			return startOf(job)
		}
	}
	return time.Time{}
}

func timeAt(object map[string]any, path ...string) time.Time {
	t, err := time.Parse(time.RFC3339, textAt(object, path...))
	if err != nil {
		return time.Time{}
	}
	return t
}
