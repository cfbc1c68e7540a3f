package corpus_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serviceAddress is where packs have the service that their author developed them with.
const serviceAddress = "127.0.0.1:9999"

// answers are what that service answers the calls of a pack, for its simulation.
var answers = map[string]map[string]any{
	"external-05-feature-flags": {"external": map[string]any{"flags": map[string]any{"status": int64(http.StatusOK), "body": "true"}}},
}

// startService stands in for that service, until the test ends.
func startService(t *testing.T) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", serviceAddress)
	if err != nil {
		t.Fatalf("%s is needed for the service that packs call: %v", serviceAddress, err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/health":
			_, _ = io.WriteString(w, "ok")
		case strings.HasPrefix(r.URL.Path, "/flags/"):
			_, _ = io.WriteString(w, "true")
		default:
			http.NotFound(w, r)
		}
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Shutdown(context.WithoutCancel(t.Context())) })
}
