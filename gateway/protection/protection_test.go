package protection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
)

const (
	gate    = "system:serviceaccount:orkestra-system:orkestra-gateway"
	ork     = "system:serviceaccount:orkestra-system:orkestra-runtime"
	garbage = "system:serviceaccount:kube-system:generic-garbage-collector"
	label   = orkv1.LabelDeletionProtection
	exempt  = orkv1.LabelStrictExempt
)

var identities = protection.Identities{Gateway: gate, Runtime: ork, BreakGlass: []string{"system:masters"}}

// body is an object with metadata.
func body(metadata string) runtime.RawExtension {
	if metadata == "" {
		return runtime.RawExtension{}
	}
	return runtime.RawExtension{Raw: []byte(`{"apiVersion":"example.com/v1","kind":"Site","metadata":` + metadata + `}`)}
}

func labels(pairs ...string) string {
	var all []string
	for _, key := range pairs {
		all = append(all, fmt.Sprintf("%q:%q", key, "true"))
	}
	return `{"name":"a","namespace":"shop","labels":{` + strings.Join(all, ",") + `}}`
}

type request struct {
	operation   admissionv1.Operation
	resource    string
	subresource string
	user, group string
	namespace   string
	before, now string
}

func (r request) admission() admission.Request {
	if r.resource == "" {
		r.resource = "sites.example.com"
	}
	resource := schema.ParseGroupResource(r.resource)
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: r.operation, Kind: metav1.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"},
		Resource: metav1.GroupVersionResource{Group: resource.Group, Version: "v1", Resource: resource.Resource}, SubResource: r.subresource,
		Name: "sites.example.com", Namespace: r.namespace, UserInfo: authenticationv1.UserInfo{Username: r.user, Groups: []string{r.group}},
		Object: body(r.now), OldObject: body(r.before),
	}}
}

func TestHandle(t *testing.T) {
	deletion := &protection.Deletion{Identities: identities, Definition: func(name string, _ schema.GroupKind) (string, bool) {
		if name == "sites.example.com" {
			return "site", false
		}
		return "", false
	}}
	elsewhere := &protection.Deletion{Identities: identities, Definition: func(string, schema.GroupKind) (string, bool) { return "", false }}
	parents := &protection.Deletion{Identities: identities, Definition: func(_ string, kind schema.GroupKind) (string, bool) {
		if kind.String() == "Child.example.com" {
			return "site", true
		}
		return "", false
	}}
	strictly := identities
	strictly.DenyGarbageCollection = true
	all := &protection.Deletion{Identities: strictly, Definition: elsewhere.Definition}
	strict := &protection.Strict{Identities: identities}
	guard := namespaces.For(&orkv1.Katalog{}, &orkv1.CRD{RestrictedNamespaces: []string{"closed", "secret-*"}})
	namespace := &protection.Namespace{Identities: identities, Guard: func(schema.GroupVersionResource) namespaces.Guard { return guard }}
	provenance := &protection.Provenance{Identities: identities}
	const crds = "customresourcedefinitions.apiextensions.k8s.io"
	stamped := func(value string) string {
		return `{"name":"a","annotations":{"` + orkv1.AnnotationServeAlias + `":"` + value + `"}}`
	}
	cases := map[string]struct {
		reason  string
		handler admission.Handler
		request request
		denied  string
	}{
		"Delete":             {"what nobody protects goes", deletion, request{operation: admissionv1.Delete, before: labels()}, ""},
		"DeleteProtected":    {"what has the label stays", deletion, request{operation: admissionv1.Delete, before: labels(label)}, "Site shop/a is protected from deletion"},
		"DeleteLegacy":       {"in its older spelling too", deletion, request{operation: admissionv1.Delete, before: labels(orkv1.OlderDomain + "deletion-protection")}, "Site shop/a is protected"},
		"UpdateProtected":    {"and may be changed", deletion, request{operation: admissionv1.Update, before: labels(label), now: labels(label)}, ""},
		"DeleteDefinition":   {"a definition of the Katalog", deletion, request{operation: admissionv1.Delete, resource: crds, before: `{"name":"sites.example.com"}`}, "the definition sites.example.com is that of the Katalog's entry site"},
		"DeleteChildren":     {"and one of children", parents, request{operation: admissionv1.Delete, resource: crds, before: labels() + `,"spec":{"group":"example.com","names":{"kind":"Child"}}`}, "is that of children of the Katalog's entry site"},
		"DeleteOther":        {"but no other", parents, request{operation: admissionv1.Delete, resource: crds, before: labels() + `,"spec":{"group":"example.com","names":{"kind":"Other"}}`}, ""},
		"Weakness22":         {"any other definition goes", elsewhere, request{operation: admissionv1.Delete, resource: crds, before: labels()}, ""},
		"Weakness24":         {"garbage collection is not held up", deletion, request{operation: admissionv1.Delete, user: garbage, before: labels(label)}, ""},
		"Weakness24Denied":   {"unless that is wanted", all, request{operation: admissionv1.Delete, user: garbage, before: labels(label)}, "Site shop/a is protected"},
		"BreakGlass":         {"in an emergency everything goes", deletion, request{operation: admissionv1.Delete, group: "system:masters", before: labels(label)}, ""},
		"DeleteNothing":      {"a request without an object", deletion, request{operation: admissionv1.Delete}, "there is no object in the request"},
		"Strict":             {"the label stays", strict, request{operation: admissionv1.Update, before: labels(label), now: labels()}, "strictMode keeps the label"},
		"StrictOther":        {"other labels may go", strict, request{operation: admissionv1.Update, before: labels(label, "a"), now: labels(label)}, ""},
		"StrictExempt":       {"what is exempt loses it", strict, request{operation: admissionv1.Update, before: labels(label, exempt), now: labels(exempt)}, ""},
		"Weakness10":         {"nobody else exempts it", strict, request{operation: admissionv1.Update, before: labels(label), now: labels(exempt)}, "is set by the runtime alone"},
		"Weakness10Create":   {"nor from its creation on", strict, request{operation: admissionv1.Create, now: labels(label, exempt)}, "is set by the runtime alone"},
		"Weakness10Open":     {"nor before it is protected", strict, request{operation: admissionv1.Update, before: labels(), now: labels(exempt)}, "is set by the runtime alone"},
		"StrictCreate":       {"what is made with the label alone is fine", strict, request{operation: admissionv1.Create, now: labels(label)}, ""},
		"Weakness10Runtime":  {"the runtime does, in one step", strict, request{operation: admissionv1.Update, user: ork, before: labels(label), now: labels(exempt)}, ""},
		"Weakness23":         {"a status is nobody's business", strict, request{operation: admissionv1.Update, subresource: "status", before: labels(label), now: labels()}, ""},
		"Namespace":          {"an open one", namespace, request{operation: admissionv1.Create, namespace: "shop", now: labels()}, ""},
		"NamespaceClosed":    {"one that is left alone", namespace, request{operation: admissionv1.Create, namespace: "closed", now: labels()}, "namespace closed is not one that the Katalog operates"},
		"NamespaceGlob":      {"one that a glob leaves alone", namespace, request{operation: admissionv1.Create, namespace: "secret-1", now: labels()}, "namespace secret-1 is not one that the Katalog operates"},
		"NamespaceFinalizer": {"what goes may lose its finalizers", namespace, request{operation: admissionv1.Update, namespace: "closed", before: `{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"}`, now: labels()}, ""},
		"NamespaceSays":      {"which it does not say of itself", namespace, request{operation: admissionv1.Create, namespace: "closed", now: `{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"}`}, "namespace closed"},
		"NamespaceDelete":    {"and what is there may go", namespace, request{operation: admissionv1.Delete, namespace: "closed", before: labels()}, ""},
		"Weakness01Create":   {"nobody says that it came by the gateway", provenance, request{operation: admissionv1.Create, now: stamped("x")}, "only the gateway changes " + orkv1.AnnotationServeAlias},
		"Weakness01Change":   {"or by another surface", provenance, request{operation: admissionv1.Update, before: stamped("x"), now: stamped("y")}, "only the gateway changes"},
		"Weakness01Remove":   {"or that it did not", provenance, request{operation: admissionv1.Update, before: stamped("x"), now: labels()}, "only the gateway changes"},
		"Weakness01Legacy":   {"in the older domain as well", provenance, request{operation: admissionv1.Create, now: `{"annotations":{"orkestra.orkspace.io/serve-target":"x"}}`}, "only the gateway changes orkestra.orkspace.io/serve-target"},
		"Provenance":         {"all else is free", provenance, request{operation: admissionv1.Update, before: stamped("x"), now: strings.Replace(stamped("x"), `"name":"a"`, `"labels":{"a":"b"}`, 1)}, ""},
		"ProvenanceGateway":  {"the gateway may", provenance, request{operation: admissionv1.Create, user: gate, now: stamped("x")}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.handler.Handle(t.Context(), tc.request.admission())
			if got.Allowed != (tc.denied == "") || !got.Allowed && !strings.Contains(got.Result.Message, tc.denied) {
				t.Errorf("\n%s\nHandle(...): allowed %t, %v, want %q", tc.reason, got.Allowed, got.Result, tc.denied)
			}
		})
	}
}

func TestStrip(t *testing.T) {
	annotations := map[string]string{orkv1.AnnotationServeTarget: "a", "orkestra.orkspace.io/serve-alias": "b", "other": "c", orkv1.AnnotationManagedBy: "d"}
	protection.Strip(annotations)
	if len(annotations) != 1 || annotations["other"] != "c" {
		t.Errorf("Strip(...) leaves %v", annotations)
	}
	given := map[string]string{orkv1.AnnotationServeTarget: "a"}
	stored := map[string]string{orkv1.AnnotationServeTarget: "a", orkv1.AnnotationServeIdentity: "me", orkv1.AnnotationServeAlias: "b", "other": "c", orkv1.AnnotationManagedBy: "d"}
	if stale := protection.Stale(given, stored); !slices.Equal(stale, []string{orkv1.AnnotationServeAlias, orkv1.AnnotationServeIdentity}) {
		t.Errorf("Stale(...): %v", stale)
	}
}
