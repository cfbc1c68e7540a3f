package server

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// TestOwnNamespace shows that the gateway's namespace has the label that protects it, and that a role which does not grant that breaks nothing.
func TestOwnNamespace(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "ops", errors.New("no"))
	cases := map[string]struct {
		reason, name string
		labels       map[string]string
		off          bool
		err          error
		want         string
		writes       int
		fails        bool
	}{
		"Missing":   {reason: "it is put there", name: "ops", labels: map[string]string{"a": "b"}, want: "true", writes: 1},
		"There":     {reason: "it is there", name: "ops", labels: map[string]string{orkv1.LabelDeletionProtection: "true"}, want: "true"},
		"Older":     {reason: "in an older spelling", name: "ops", labels: map[string]string{"orkestra.io/deletion-protection": "true"}},
		"Off":       {reason: "without the protection", name: "ops", off: true},
		"Immortal":  {reason: "what nobody can delete", name: "default"},
		"Absent":    {reason: "one that there is not", name: "none"},
		"Forbidden": {reason: "an older role", name: "ops", err: forbidden, writes: 1},
		"Down":      {reason: "any other failure is tried again", name: "ops", err: errors.New("down"), writes: 1, fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			writes := 0
			c := fake.NewClientBuilder().WithScheme(scheme()).WithObjects(
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ops", Labels: tc.labels}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
			).WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
					writes++
					if tc.err != nil {
						return tc.err
					}
					return c.Patch(ctx, o, patch, opts...)
				},
			}).Build()
			n := &ownNamespace{client: c, name: tc.name, protected: func() bool { return !tc.off }}
			if err := n.keep(t.Context()); (err != nil) != tc.fails {
				t.Errorf("\n%s\nkeep(...): %v, want an error: %t", tc.reason, err, tc.fails)
			}
			found := &corev1.Namespace{}
			if err := client.IgnoreNotFound(c.Get(t.Context(), client.ObjectKey{Name: tc.name}, found)); err != nil {
				t.Fatal(err)
			}
			if got := found.Labels[orkv1.LabelDeletionProtection]; got != tc.want || writes != tc.writes || tc.labels["a"] != found.Labels["a"] {
				t.Errorf("\n%s\nthe labels are %v after %d writes, want %q after %d", tc.reason, found.Labels, writes, tc.want, tc.writes)
			}
		})
	}
}
