package resilience_test

import (
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime"
)

// ignoreOwnConnections leaves out the goroutines of HTTP connections, which a transport keeps for the next request.
func ignoreOwnConnections() goleak.Option {
	return goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*clientConnReadLoop).run")
}

func toMap[T any](value T) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(&value)
}
