package apply

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/controllers/children"
)

// The words are those of the API server.
func TestRefusals(t *testing.T) {
	deployment, job := deploymentKind, schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
	core := func(kind string) schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: kind} }
	binding := schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}
	const remedy = "; delete it, or set onImmutable: recreate, to have it made anew"
	cases := map[string]struct {
		reason            string
		kind              schema.GroupVersionKind
		desired, observed string
		causes            []metav1.StatusCause
		recreate          bool
		want              string
	}{
		"Selector": {
			reason: "the leaf that differs is named, not the whole field", kind: deployment,
			desired: `{spec: {replicas: 2, selector: {matchLabels: {app: b}}}}`, observed: `{spec: {replicas: 1, selector: {matchLabels: {app: a}}}}`,
			causes: []metav1.StatusCause{{Field: "spec.selector", Message: `Invalid value: {"matchLabels":{"app":"b"}}: field is immutable`}},
			want:   `Deployment shop/w can't be changed in place: spec.selector.matchLabels.app is "a", want "b"` + remedy,
		},
		"JobTemplate": {
			reason: "elements are counted there and named here", kind: job,
			desired:  `{spec: {template: {spec: {containers: [{name: app, image: "a:2"}]}}}}`,
			observed: `{spec: {template: {spec: {containers: [{name: app, image: "a:1"}]}}}}`,
			causes:   []metav1.StatusCause{{Field: "spec.template", Message: `Invalid value: {"metadata":{}}: field is immutable`}},
			want:     `Job shop/w can't be changed in place: spec.template.spec.containers[app].image is "a:1", want "a:2"` + remedy,
		},
		"Variable": {
			reason: "values of variables are nobody's business", kind: job,
			desired:  `{spec: {template: {spec: {containers: [{name: app, env: [{name: PASSWORD, value: b}]}]}}}}`,
			observed: `{spec: {template: {spec: {containers: [{name: app, env: [{name: PASSWORD, value: a}]}]}}}}`,
			causes:   []metav1.StatusCause{{Field: "spec.template", Message: `field is immutable`}},
			want:     `Job shop/w can't be changed in place: spec.template.spec.containers[app].env[PASSWORD].value differs` + remedy,
		},
		"SecretData": {
			reason: "nor are those of Secrets", kind: core("Secret"),
			desired: `{data: {a: Yg==}}`, observed: `{immutable: true, data: {a: YQ==}}`,
			causes: []metav1.StatusCause{{Field: "data", Message: "Forbidden: field is immutable when `immutable` is set"}},
			want:   `Secret shop/w can't be changed in place: data.a differs` + remedy,
		},
		"ClusterIP": {
			reason: "the server speaks of the list that it makes of our value", kind: core("Service"),
			desired: `{spec: {clusterIP: None}}`, observed: `{spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}}`,
			causes: []metav1.StatusCause{{Field: "spec.clusterIPs[0]", Message: `Invalid value: ["None"]: may not change once set`}},
			want:   `Service shop/w can't be changed in place: spec.clusterIP is "10.0.0.1", want "None"` + remedy,
		},
		"RoleRef": {
			reason: "a reference says that it can't change in words of its own", kind: binding,
			desired: `{roleRef: {name: b}}`, observed: `{roleRef: {name: a}}`,
			causes: []metav1.StatusCause{{Field: "roleRef", Message: `Invalid value: {"name":"b"}: cannot change roleRef`}},
			want:   `RoleBinding shop/w can't be changed in place: roleRef.name is "a", want "b"` + remedy,
		},
		"Claims": {
			reason: "a StatefulSet names what may change instead", kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"},
			desired: `{spec: {serviceName: b}}`, observed: `{spec: {serviceName: a}}`,
			causes: []metav1.StatusCause{{Field: "spec", Message: `Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden`}},
			want:   `StatefulSet shop/w can't be changed in place: spec.serviceName is "a", want "b"` + remedy,
		},
		"Many": {
			reason: "a condition has room for two", kind: core("Pod"),
			desired: `{spec: {a: 2, b: 2, c: 2, d: 2}}`, observed: `{spec: {a: 1, b: 1, c: 1, d: 1}}`,
			causes: []metav1.StatusCause{{Field: "spec", Message: "Forbidden: pod updates may not change fields other than `spec.tolerations`"}},
			want:   `Pod shop/w can't be changed in place: spec.a is 1, want 2, spec.b is 1, want 2, and 2 more` + remedy,
		},
		"Long": {
			reason: "values are cut", kind: core("Pod"),
			desired: `{spec: {a: "0123456789012345678901234567890123456789"}}`, observed: `{spec: {}}`,
			causes: []metav1.StatusCause{{Field: "spec", Message: "field is immutable"}},
			want:   `Pod shop/w can't be changed in place: spec.a is absent, want "0123456789012345678901234567...` + remedy,
		},
		"Recreate": {
			reason: "where that is declared and does not help, it is no remedy", kind: job, recreate: true,
			desired: `{spec: {a: 2}}`, observed: `{spec: {a: 1}}`,
			causes: []metav1.StatusCause{{Field: "spec.a", Message: "field is immutable"}},
			want:   `Job shop/w can't be changed in place: spec.a is 1, want 2; delete it to have it made anew`,
		},
		"Besides": {
			reason: "what else is wrong would be wrong with a new object as well", kind: job, recreate: true,
			desired: `{spec: {a: 2}}`, observed: `{spec: {a: 1}}`,
			causes: []metav1.StatusCause{{Field: "spec.a", Message: "field is immutable"}, {Field: "spec.b", Message: "Required value"}},
			want:   `Job shop/w can't be changed in place: spec.a is 1, want 2; besides, spec.b: Required value`,
		},
		"Invalid": {
			reason: "any other refusal is in the server's words", kind: job,
			desired: `{}`, observed: `{}`, causes: []metav1.StatusCause{{Field: "spec.b", Message: "Required value"}},
			want: `Job shop/w is invalid: spec.b: Required value`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired, observed := &unstructured.Unstructured{Object: parse(t, tc.desired)}, &unstructured.Unstructured{Object: parse(t, tc.observed)}
			desired.SetNamespace("shop")
			desired.SetName("w")
			w := write{kind: &children.Kind{GVK: tc.kind}, desired: Desired{Object: desired, Recreate: tc.recreate}}
			refused := apierrors.NewInvalid(tc.kind.GroupKind(), "w", nil)
			refused.ErrStatus.Details.Causes = tc.causes
			if got := refusalOf(w, observed, refused); got == nil || got.Error() != tc.want {
				t.Errorf("\n%s\nrefusalOf(...) = %v\nwant %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestUnyielded(t *testing.T) {
	object := &unstructured.Unstructured{Object: parse(t, `{metadata: {annotations: {a/b: x}}, spec: {replicas: 2, paused: true}}`)}
	before := object.DeepCopy()
	got := unyielded(object, []Yielded{{Path: []string{"spec", "replicas"}}, {Path: []string{"metadata", "annotations", "c/d"}}, {Path: []string{"status", "x"}}})
	want := parse(t, `{metadata: {annotations: {a/b: x}}, spec: {paused: true}}`)
	if !holds(want, got.Object) || hashOf(got.Object) != hashOf(want) {
		t.Errorf("unyielded(...) = %v, want %v", got.Object, want)
	}
	if hashOf(object.Object) != hashOf(before.Object) {
		t.Error("the object itself was changed")
	}
}

func TestProtected(t *testing.T) {
	cases := map[string]struct {
		labels map[string]string
		want   bool
	}{
		"None":   {},
		"True":   {labels: map[string]string{"orkestra.konductor.io/deletion-protection": "true"}, want: true},
		"False":  {labels: map[string]string{"orkestra.konductor.io/deletion-protection": "false"}},
		"Legacy": {labels: map[string]string{"orkestra.orkspace.io/deletion-protection": "true"}, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetLabels(tc.labels)
			if got := Protected(object); got != tc.want {
				t.Errorf("Protected(%v) = %t, want %t", tc.labels, got, tc.want)
			}
		})
	}
}
