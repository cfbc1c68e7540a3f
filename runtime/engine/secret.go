package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
)

// readFor is how long reading one object may take, rememberRead how long it is not read again, and mostRead how many are remembered.
const (
	readFor      = 5 * time.Second
	rememberRead = 5 * time.Second
	mostRead     = 1024
)

// objectRead is an object that was read.
type objectRead struct {
	kind string
	name types.NamespacedName
}

// recall reads an object, unless it was read a moment ago. What it returns must not be changed. An error is that of get.
func recall[T any](
	ctx context.Context, known *cache.LRUExpireCache, object objectRead, get func(context.Context, types.NamespacedName) (T, error),
) (T, error) {
	if data, ok := known.Get(object); ok {
		return data.(T), nil //nolint:forcetypeassert // of a kind there is one type
	}
	limited, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	data, err := get(limited, object.name)
	if err == nil {
		known.Add(object, data, rememberRead)
	}
	return data, err
}

// knownSecret is what secret reads, or has read a moment ago.
func (e *Engine) knownSecret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
	return recall(ctx, e.known, objectRead{"Secret", name}, e.secret)
}

// secret reads a Secret with a credential. It is asked for by name: the operator need not see any other.
func (e *Engine) secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
	encoded, err := e.data(ctx, "secrets", name)
	if err != nil {
		return nil, err
	}
	data := make(map[string][]byte, len(encoded))
	for key, value := range encoded {
		decoded, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, fmt.Errorf("its key %s is not base64", key)
		}
		data[key] = decoded
	}
	return data, nil
}

func (e *Engine) configMap(ctx context.Context, name types.NamespacedName) (map[string]string, error) {
	return e.data(ctx, "configmaps", name)
}

// data reads that of an object of a core resource.
func (e *Engine) data(ctx context.Context, resource string, name types.NamespacedName) (map[string]string, error) {
	found, err := e.client.Resource(corev1.SchemeGroupVersion.WithResource(resource)).Namespace(name.Namespace).
		Get(ctx, name.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the object
	}
	data, _, err := unstructured.NestedStringMap(found.Object, "data")
	if err != nil {
		return nil, errors.New("its data is no map of texts")
	}
	return data, nil
}
