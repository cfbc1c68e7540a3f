package world_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/docker/buildkit"
	dockerengine "github.com/orkestra-runtime/orkestra/providers/docker/engine"
	"github.com/orkestra-runtime/orkestra/providers/image"
)

// pushing has an image built and pushed, as an operator does, with a credential of its registry. The error is what a resource would show.
func pushing(t *testing.T, builder image.Builder, name, password string, limit time.Duration) error {
	t.Helper()
	builds := image.NewBuilds(image.Options{Timeout: limit, Backoff: time.Hour})
	defer builds.Close()
	over := make(chan struct{}, 10)
	order := image.Order{
		Owner: t.Name(), Identity: name, By: builder, Wake: func() { over <- struct{}{} },
		Source:  image.Source{Base: files(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY hello /hello\n", "hello": t.Name() + time.Now().String()})},
		Request: image.Request{Image: name, Dockerfile: "Dockerfile", Push: true},
		Credentials: func(context.Context) (image.Credentials, error) {
			return image.Credentials{image.Registry(name): {Username: "builder", Password: password}}, nil
		},
	}
	state := builds.Ask(t.Context(), order)
	for state.Progress == image.Building {
		<-over
		state = builds.Ask(t.Context(), order)
	}
	return state.Err
}

// Whatever becomes of a registry, the build tells of it in time and without the credential, and the first push after it is back succeeds.
func TestRegistryInTrouble(t *testing.T) {
	if testing.Short() {
		t.Skip("starts daemons")
	}
	registry := servers.StartRegistry(t)
	proxy := servers.StartProxy(t, registry.Address)
	doubles := map[string]string{
		"Garbage":  hostile(t, []byte("\x00\xff\xfe garbage "+ours+"\r\n"), nil),
		"Loud":     strings.TrimPrefix(web(t, saying(http.StatusForbidden, "application/json", `{"errors":[{"code":"DENIED","message":"no\u001b[31m way\r\n`+ours+`"}]}`)), "http://"),
		"Page":     strings.TrimPrefix(web(t, saying(http.StatusNotFound, "text/html", "<html>log in first")), "http://"),
		"Endless":  strings.TrimPrefix(web(t, unending("application/json", `{"errors":[{"code":"`, "x")), "http://"),
		"Redirect": strings.TrimPrefix(web(t, away), "http://"),
		"Slow":     strings.TrimPrefix(web(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "http://"),
	}
	reached := []string{registry.Address, proxy.Address}
	for _, address := range doubles {
		reached = append(reached, address)
	}
	daemon := servers.StartBuildKit(t, reached...)
	kit, err := buildkit.New(daemon.URL, buildkit.Options{TLSDir: daemon.TLSDir})
	if err != nil {
		t.Fatal(err)
	}
	name := func(address string) string {
		return address + "/t/" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")) + ":1"
	}
	const limit = 6 * time.Second
	trouble := func(what, address, password string) {
		t.Helper()
		err := within(t, limit+10*time.Second, func() error { return pushing(t, kit, name(address), password, limit) })
		says(t, what, err)
		keepsSecret(t, err, password)
		t.Log(what, err)
	}
	fine := func(when string) {
		t.Helper()
		if err := pushing(t, kit, name(proxy.Address), registry.Password, time.Minute); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	fine("at first")
	trouble("a wrong credential", proxy.Address, "very-wrong-password")
	proxy.Set(servers.Refuse)
	trouble("down", proxy.Address, registry.Password)
	proxy.Set(servers.Hang)
	trouble("silent", proxy.Address, registry.Password)
	proxy.Delay(20 * time.Millisecond)
	fine("slow")
	proxy.Set(servers.Pass)
	registry.Stop()
	trouble("stopped", proxy.Address, registry.Password)
	registry.Start()
	fine("back")
	for what, address := range doubles {
		trouble(what, address, ours)
	}
}

// A daemon that is none, or means ill, fails a build and nothing else.
func TestHostileBuilders(t *testing.T) {
	const name, limit = "registry.example.com/t/a:1", 4 * time.Second
	line := func(fields map[string]any) string {
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	wrong := line(map[string]any{"errorDetail": map[string]string{"message": loud}, "error": loud})
	for what, serve := range map[string]http.HandlerFunc{
		"Page":     saying(http.StatusOK, "text/html", "<html>log in first"),
		"Garbage":  saying(http.StatusOK, "application/json", "\x00\xff garbage "+ours),
		"Loud":     saying(http.StatusInternalServerError, "application/json", line(map[string]any{"message": loud})),
		"Said":     saying(http.StatusOK, "application/json", line(map[string]any{"stream": "Step 1/2 : RUN x\n"})+wrong),
		"NoDigest": saying(http.StatusOK, "application/json", line(map[string]any{"stream": "done"})),
		"Endless":  unending("application/json", "", line(map[string]any{"stream": "on and on"})),
		"OneLine":  unending("application/json", `{"stream":"`, "x"),
		"Failing": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			unending("text/plain", "", "x")(w, r)
		},
		"Redirect": away,
		"Slow":     func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(what, func(t *testing.T) {
			address := web(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/_ping") {
					w.Header().Set("Api-Version", "1.44")
					return
				}
				serve(w, r)
			})
			builder, err := dockerengine.New("tcp://"+strings.TrimPrefix(address, "http://"), dockerengine.Options{DialTimeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			survives(t, what, limit+10*time.Second, func() error { return pushing(t, builder, name, ours, limit) })
		})
	}
	for what, tc := range map[string]struct {
		greeting string
		more     func() []byte
	}{
		"Nothing": {}, "Text": {greeting: loud + "\r\n"}, "Frames": {greeting: "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x40\x00", more: func() []byte { return make([]byte, 4096) }},
		"HTTP": {greeting: "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nno\n"},
	} {
		t.Run("BuildKit"+what, func(t *testing.T) {
			builder, err := buildkit.New("tcp://"+hostile(t, []byte(tc.greeting), tc.more), buildkit.Options{DialTimeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			survives(t, what, limit+5*time.Second, func() error { return pushing(t, builder, name, ours, limit) })
		})
	}
}
