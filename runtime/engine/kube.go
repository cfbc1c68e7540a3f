package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/orkestra-runtime/orkestra/providers"
)

// rememberRead is how long what a provider read is not read again, and remembered how many objects that are.
const (
	rememberRead = 5 * time.Second
	remembered   = 1024
)

// kubeReader reads the cluster for providers: one object at a time, by its name, so that the operator need not see any other.
type kubeReader struct {
	engine *Engine
	known  *cache.LRUExpireCache
}

var _ providers.KubeReader = (*kubeReader)(nil)

func newKubeReader(e *Engine) *kubeReader {
	return &kubeReader{engine: e, known: cache.NewLRUExpireCache(remembered)}
}

// readKey is an object that was read.
type readKey struct {
	kind string
	name types.NamespacedName
}

// GetSecret returns the data of a Secret, which must not be changed.
func (r *kubeReader) GetSecret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	return read(r, readKey{"Secret", types.NamespacedName{Namespace: namespace, Name: name}}, func(name types.NamespacedName) (map[string][]byte, error) {
		return r.engine.secret(ctx, name)
	})
}

// GetConfigMap returns the data of a ConfigMap, which must not be changed.
func (r *kubeReader) GetConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	return read(r, readKey{"ConfigMap", types.NamespacedName{Namespace: namespace, Name: name}}, func(name types.NamespacedName) (map[string]string, error) {
		found, err := r.engine.client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(name.Namespace).
			Get(ctx, name.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err //nolint:wrapcheck // named by the caller
		}
		data, _, err := unstructured.NestedStringMap(found.Object, "data")
		if err != nil {
			return nil, errors.New("its data is no map of texts")
		}
		return data, nil
	})
}

// read reads an object, unless it was a moment ago.
func read[T any](r *kubeReader, key readKey, get func(types.NamespacedName) (T, error)) (T, error) {
	if known, ok := r.known.Get(key); ok {
		return known.(T), nil //nolint:forcetypeassert // of a kind there is one type
	}
	data, err := get(key.name)
	switch {
	case apierrors.IsNotFound(err):
		err = errors.New("there is none")
	case apierrors.IsForbidden(err):
		err = errors.New("the operator may not get it: grant that with a Role in its namespace")
	}
	if err != nil {
		return data, fmt.Errorf("read %s %s: %w", key.kind, key.name, err)
	}
	r.known.Add(key, data, rememberRead)
	return data, nil
}
