package events_test

import (
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// haveKeys matches an object of JSON that has all of these keys.
func haveKeys(keys ...string) OmegaMatcher {
	all := make([]OmegaMatcher, 0, len(keys))
	for _, key := range keys {
		all = append(all, HaveKey(key))
	}
	return And(all...)
}

// below is the object of JSON at a key.
func below(body map[string]any, key string) map[string]any {
	GinkgoHelper()
	Expect(body).To(HaveKey(key))
	inner, ok := body[key].(map[string]any)
	Expect(ok).To(BeTrue(), "%s is %v", key, body[key])
	return inner
}

// first is the first element of the list at a key.
func first(body map[string]any, key string) map[string]any {
	GinkgoHelper()
	list, ok := body[key].([]any)
	Expect(ok).To(BeTrue(), "%s is %v", key, body[key])
	Expect(list).NotTo(BeEmpty())
	inner, ok := list[0].(map[string]any)
	Expect(ok).To(BeTrue())
	return inner
}

var _ = It("Row 117: The live API answers at its paths with the keys of its contract", func(ctx SpecContext) {
	o := startLive(ctx)
	space := newNamespace(ctx)
	_ = makeLive(ctx, "Shown", space, "w", map[string]any{"phase": "x"})
	Eventually(o.code("/katalog/shown/cr/"+space+"/w"), 10*time.Second).Should(Equal(http.StatusOK))

	for path, want := range map[string]int{
		"/startup": 200, "/started": 200, "/health": 200, "/ready": 200, "/metrics": 200, "/katalog/raw": 200, "/katalog/enriched": 200, "/katalog/shown/raw": 200,
		"/katalog/shown/enriched": 200, "/katalog/none": 404, "/katalog/none/health": 404, "/nowhere": 404, "/katalog/shown/cr/" + space + "/none": 404,
		"/api/v1/query?query=controller_resource_count": 200, "/api/v1/query?query=sum(up)": 400, "/api/v1/query": 400,
	} {
		Eventually(o.code(path), 5*time.Second).Should(Equal(want), path)
	}
	_, body := o.get("/katalog/none")
	Expect(body).To(haveKeys("error", "reason"))
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		request, err := http.NewRequestWithContext(ctx, method, "http://"+o.address+"/katalog", http.NoBody)
		Expect(err).NotTo(HaveOccurred())
		response, err := http.DefaultClient.Do(request)
		Expect(err).NotTo(HaveOccurred())
		Expect(response.Body.Close()).To(Succeed())
		Expect(response.StatusCode).To(Equal(http.StatusMethodNotAllowed), method)
	}

	_, body = o.get("/katalog")
	Expect(body).To(haveKeys("crds", "total", "totalEnabled", "totalDegraded", "OrkReady", "isKonductor", "deletionProtection", "healthy", "status", "degradedReason",
		"statusCounts", "name", "version", "author", "description", "license", "runtimeVersion", "clusterName", "namespaces", "gatewayEndpoint"))
	Expect(below(body, "statusCounts")).To(haveKeys("healthy", "degraded", "started", "pending"))
	for _, namespace := range below(body, "namespaces") {
		Expect(namespace).To(haveKeys("crds", "statusCounts", "healthy", "description", "version", "workers", "resources"))
	}
	crds, _ := body["crds"].([]any)
	Expect(crds).To(HaveLen(2))
	Expect(crds[1]).To(haveKeys("name", "description", "mode", "gvk", "gvr", "namespaced", "namespace", "crossAccess", "dependsOn", "hasUnhealthyDependencies", "workers",
		"workersSource", "workersActive", "resync", "resyncSource", "state", "healthy"))

	_, body = o.get("/katalog/shown/health")
	Expect(body).To(haveKeys("name", "state", "status", "isKonductor", "healthy", "started", "pending", "startedAt", "uptime", "queueDepth", "errorRate", "consecutiveFails",
		"totalReconciles", "resourceCount", "lastError", "lastReconcile", "hasUnhealthyDependencies", "dependencies", "missing", "gated", "gatedReason"))
	for _, key := range []string{"startedAt", "lastReconcile"} {
		at, err := time.Parse(time.RFC3339, body[key].(string))
		Expect(err).NotTo(HaveOccurred(), key)
		Expect(at.Location()).To(Equal(time.UTC), key)
	}

	_, body = o.get("/katalog/shown")
	Expect(body).To(haveKeys("name", "description", "mode", "gvk", "gvr", "target", "aliases", "namespaced", "namespace", "dependsOn", "isKonductor", "workers", "workersActive",
		"workersIdle", "workersProcessing", "workerDetails", "workersSource", "resync", "resyncSource", "queueDepth", "maxDepth", "maxDepthSource", "resourceCount",
		"totalReconciles", "operatorBox", "healthy", "started", "pending", "errorRate", "rbac", "autoscalerEnabled", "autoscalerWorkers", "metrics", "gated", "gatedReason"))
	operatorBox := below(body, "operatorBox")
	Expect(operatorBox).To(haveKeys("type", "finalizers", "hooks", "constructor", "templates"))
	Expect(below(operatorBox, "finalizers")).To(haveKeys("source", "values"))
	Expect(below(operatorBox, "hooks")).To(haveKeys("configured", "source", "location", "function"))
	Expect(below(body, "metrics")).NotTo(BeEmpty())

	_, body = o.get("/katalog/shown/cr?field=spec.phase")
	Expect(first(body, "items")).To(And(haveKeys("name", "namespace", "phase", "ready", "age", "generation"), HaveKeyWithValue("value", "x")))
	_, body = o.get("/katalog/shown/cr/" + space + "/w")
	Expect(body).To(haveKeys("name", "namespace", "phase", "ready", "age", "generation", "status", "spec", "children", "eventsEndpoint"))
	Expect(first(below(body, "children"), "Secret")).To(haveKeys("name", "namespace", "ready"))
	Expect(body).To(HaveKeyWithValue("eventsEndpoint", "/katalog/shown/cr/"+space+"/w/events"))

	_ = makeLive(ctx, "Shown", space, "bad", map[string]any{"in": "nowhere"})
	events := "/katalog/shown/cr/" + space + "/bad/events"
	Eventually(func() []any {
		_, body := o.get(events)
		list, _ := body["items"].([]any)
		return list
	}, 10*time.Second, 100*time.Millisecond).ShouldNot(BeEmpty())
	_, body = o.get(events)
	Expect(first(body, "items")).To(haveKeys("type", "reason", "message", "age"))
	_, body = o.get("/api/v1/query?query=controller_resource_count")
	Expect(first(below(body, "data"), "result")).To(haveKeys("metric", "value"))
}, SpecTimeout(time.Minute))
