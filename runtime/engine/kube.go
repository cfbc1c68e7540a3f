package engine

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/providers"
)

// kubeReader reads the cluster for providers: one object at a time, by its name, so that the operator need not see any other.
type kubeReader struct{ engine *Engine }

var _ providers.KubeReader = kubeReader{}

// GetSecret returns the data of a Secret, which must not be changed.
func (r kubeReader) GetSecret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	at := types.NamespacedName{Namespace: namespace, Name: name}
	data, err := r.engine.knownSecret(ctx, at)
	return data, unread("Secret", at, err)
}

// GetConfigMap returns the data of a ConfigMap, which must not be changed.
func (r kubeReader) GetConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	at := types.NamespacedName{Namespace: namespace, Name: name}
	data, err := recall(ctx, r.engine.known, objectRead{"ConfigMap", at}, r.engine.configMap)
	return data, unread("ConfigMap", at, err)
}

// unread says why an object could not be read. Nil for nil.
func unread(kind string, name types.NamespacedName, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		err = errors.New("there is none")
	case apierrors.IsForbidden(err):
		err = errors.New("the operator may not get it: grant that with a Role in its namespace")
	}
	return fmt.Errorf("read %s %s: %w", kind, name, err)
}
