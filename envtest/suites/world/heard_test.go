package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// heard is all that the operators of the suite have said, and the credentials that they were given. The suite ends with a look for these in
// that.
var heard = &hearing{log: &written{}, said: map[string]string{}, credentials: map[string]bool{}}

type hearing struct {
	log *written

	mu          sync.Mutex // guards the rest
	said        map[string]string
	credentials map[string]bool
}

// shortest is how long a credential must be to be looked for: a shorter one is found in what has nothing to do with it.
const shortest = 6

// given notes credentials.
func (h *hearing) given(credentials ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range credentials {
		if one = strings.TrimSpace(one); len(one) >= shortest {
			h.credentials[one] = true
		}
	}
}

// listen notes at the end of a spec what its operator says, and the credentials in the Secrets of its namespace.
func (h *hearing) listen(o *operator.Operator, namespace string) {
	DeferCleanup(func(ctx context.Context) {
		said := saidOf(ctx, o, namespace)
		secrets := &corev1.SecretList{}
		Expect(cluster.List(ctx, secrets, client.InNamespace(namespace))).To(Succeed())
		for i := range secrets.Items {
			h.given(credentialsOf(&secrets.Items[i])...)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for what, text := range said {
			h.said[namespace+": "+what] += text
		}
	})
}

// credentialsOf are those in a Secret, without what everybody may know.
func credentialsOf(secret *corev1.Secret) []string {
	var all []string
	for key, value := range secret.Data {
		switch key {
		case "username", "known_hosts", corev1.TLSCertKey, corev1.ServiceAccountRootCAKey:
		case corev1.DockerConfigJsonKey:
			logins, err := image.ParseCredentials(value)
			Expect(err).NotTo(HaveOccurred())
			for _, one := range logins {
				all = append(all, one.Password)
			}
		default:
			all = append(all, string(value))
		}
	}
	return all
}

// found are the places that have a credential.
func (h *hearing) found() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said["the log"] = h.log.String()
	var places []string
	for _, what := range slices.Sorted(maps.Keys(h.said)) {
		for credential := range h.credentials {
			if at := strings.Index(h.said[what], credential); at >= 0 {
				text := h.said[what]
				places = append(places, fmt.Sprintf("%s has %q: %s", what, credential, text[max(0, at-200):min(len(text), at+100)]))
			}
		}
	}
	return places
}

// saidOf is everything that an operator of a namespace says to anybody besides its log: resources with their status, Events, ConfigMaps,
// metrics, the live API.
func saidOf(ctx context.Context, o *operator.Operator, namespace string) map[string]string {
	GinkgoHelper()
	said := map[string]string{}
	note := func(what string, value any) {
		text, err := json.Marshal(value)
		Expect(err).NotTo(HaveOccurred())
		said[what] = string(text)
	}
	resources := &unstructured.UnstructuredList{}
	resources.SetGroupVersionKind(widget(namespace, "", "").GroupVersionKind())
	events, older, made := &eventsv1.EventList{}, &corev1.EventList{}, &corev1.ConfigMapList{}
	for what, list := range map[string]client.ObjectList{"the resources": resources, "events": events, "core events": older, "config maps": made} {
		Expect(cluster.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
		for i := range resources.Items {
			unstructured.RemoveNestedField(resources.Items[i].Object, "spec") // which somebody else says
		}
		note(what, list)
	}
	ask := func(handler http.Handler, path string) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
		said[path] = answer.Body.String()
	}
	ask(promhttp.HandlerFor(ctrlmetrics.Registry, promhttp.HandlerOpts{}), "/metrics")
	api := o.Engine().Handler(live.Options{Gatherer: ctrlmetrics.Registry})
	for _, path := range []string{"/katalog", "/katalog/raw", "/katalog/enriched", "/api/v1/query?query=orkestra_external_calls_total"} {
		ask(api, path)
	}
	for _, state := range o.Engine().States() {
		of := "/katalog/" + state.Name
		for _, path := range []string{"", "/raw", "/enriched", "/health", "/cr"} {
			ask(api, of+path)
		}
		for i := range resources.Items {
			one := of + "/cr/" + namespace + "/" + resources.Items[i].GetName()
			for _, path := range []string{"", "/events", "/explain"} {
				ask(api, one+path)
			}
		}
	}
	return said
}

var _ = AfterSuite(func() {
	heard.given("default-secret", "root-secret", "kafka-secret", "suite-registry-password", "suite-secret", "wr0ng-s3cret", "wrong-password", "right-password")
	Expect(heard.found()).To(BeEmpty(), "a credential is told")
})
