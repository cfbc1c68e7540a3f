package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// secret reads a Secret with a credential. It is asked for by name: the operator need not see any other.
func (e *Engine) secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
	found, err := e.client.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(name.Namespace).
		Get(ctx, name.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the Secret
	}
	encoded, _, err := unstructured.NestedStringMap(found.Object, "data")
	if err != nil {
		return nil, errors.New("its data is no map of texts")
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
