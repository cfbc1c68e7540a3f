package serve

import (
	"context"
	"sync"

	"k8s.io/client-go/rest"
)

// warnings collects what the API server warns of during one request.
type warnings struct {
	mu   sync.Mutex // guards list
	list []string
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list
}

type warningsKey struct{}

func withWarnings(ctx context.Context, w *warnings) context.Context {
	return context.WithValue(ctx, warningsKey{}, w)
}

// Warnings hands what the API server warns of to the request that it is an answer to. It is the handler of the Client's config.
type Warnings struct{}

var _ rest.WarningHandlerWithContext = Warnings{}

// HandleWarningHeaderWithContext takes one warning.
func (Warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	w, ok := ctx.Value(warningsKey{}).(*warnings)
	if !ok || code != 299 || text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}
