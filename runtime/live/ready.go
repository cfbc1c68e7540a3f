package live

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/readiness"
)

// isReady tells whether a child is ready, as for those that depend on it.
func isReady(one *unstructured.Unstructured) bool { return readiness.Of(one.Object).Ready }
