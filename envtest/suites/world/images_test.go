package world_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/docker/buildkit"
	"github.com/orkestra-runtime/orkestra/providers/docker/engine"
	"github.com/orkestra-runtime/orkestra/providers/image"
)

// files makes a folder of files, by their paths.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestBuilders builds images with real daemons.
func TestBuilders(t *testing.T) {
	if testing.Short() {
		t.Skip("starts daemons")
	}
	registry := servers.StartRegistry(t)
	daemon, podman := servers.StartBuildKit(t, registry.Address), servers.StartPodman(t, registry.Address)
	kit, err := buildkit.New(daemon.URL, buildkit.Options{TLSDir: daemon.TLSDir})
	if err != nil {
		t.Fatal(err)
	}
	api, err := engine.New(podman.URL, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	login := image.Credentials{registry.Address: {Username: registry.User, Password: registry.Password}}
	wrong := image.Credentials{registry.Address: {Username: registry.User, Password: "wrong-password"}}
	for name, builder := range map[string]image.Builder{"buildkit": kit, "podman": api} {
		cases := map[string]struct {
			reason     string
			dockerfile string
			login      image.Credentials
			// says are parts of the error, none when there is none.
			says []string
		}{
			"Pushed": {
				reason: "the digest is that of the registry", dockerfile: "FROM scratch\nCOPY app/hello /hello\n", login: login,
			},
			"Copy": {
				reason: "the step that fails is named", dockerfile: "FROM scratch\nCOPY nothere /nothere\n", login: login, says: []string{"COPY nothere", "nothere"},
			},
			"Run": {
				reason: "also one that runs something", dockerfile: "FROM scratch\nCOPY app /app\nRUN [\"/nothere\"]\n", login: login, says: []string{"RUN"},
			},
			"Password": {
				reason: "the registry refuses", dockerfile: "FROM scratch\nCOPY app/hello /refused\n", login: wrong, says: []string{"push"},
			},
			"NoPassword": {
				reason: "no credential of the machine is used", dockerfile: "FROM scratch\nCOPY app/hello /anonymous\n", says: []string{"push"},
			},
			"Syntax": {
				reason: "what is no Dockerfile", dockerfile: "FROM scratch\nCOPPY a b\n", login: login, says: []string{"COPPY"},
			},
		}
		for kind, tc := range cases {
			t.Run(name+"/"+kind, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				repository := "t/" + name + strings.ToLower(kind)
				start := time.Now()
				result, err := builder.Build(ctx, image.Request{
					Image: registry.Address + "/" + repository + ":1", Folder: files(t, map[string]string{"Dockerfile": tc.dockerfile, "app/hello": "hello"}),
					Dockerfile: "Dockerfile", Push: true, Credentials: tc.login, Labels: map[string]string{"org.opencontainers.image.revision": "abc"},
				})
				t.Log("took", time.Since(start), result, err)
				if len(tc.says) == 0 {
					if err != nil {
						t.Fatalf("\n%s\nBuild(...): %v", tc.reason, err)
					}
					built, digest, err := registry.Image(ctx, repository, "1")
					if err != nil || digest != result.Digest || digest == "" {
						t.Errorf("\n%s\nBuild(...): digest %q, the registry has %q (%v)", tc.reason, result.Digest, digest, err)
					}
					config, err := built.ConfigFile()
					if err != nil || config.Config.Labels["org.opencontainers.image.revision"] != "abc" {
						t.Errorf("labels %v (%v)", config.Config.Labels, err)
					}
					return
				}
				if err == nil {
					t.Fatalf("\n%s\nBuild(...): no error", tc.reason)
				}
				for _, part := range tc.says {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("\n%s\nBuild(...): %q does not say %q", tc.reason, err, part)
					}
				}
				if strings.Contains(err.Error(), registry.Password) || strings.Contains(err.Error(), "wrong-password") {
					t.Errorf("Build(...): %q holds a password", err)
				}
			})
		}
	}
	t.Run("Stranger", func(t *testing.T) {
		stranger, err := buildkit.New(daemon.URL, buildkit.Options{TLSDir: daemon.Stranger(t)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err = stranger.Build(ctx, image.Request{
			Image: registry.Address + "/stranger:1", Folder: files(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY . /\n"}), Dockerfile: "Dockerfile",
		})
		if took := time.Since(began); err == nil || took > 30*time.Second || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("Build(...): %v after %s, want an error that speaks of the certificate", err, took)
		}
	})
	t.Run("Down", func(t *testing.T) {
		daemon.Stop()
		podman.Stop()
		for name, builder := range map[string]image.Builder{"buildkit": kit, "podman": api} {
			_, err := builder.Build(t.Context(), image.Request{
				Image: registry.Address + "/down:1", Folder: files(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY . /\n"}), Dockerfile: "Dockerfile",
			})
			if err == nil || !strings.Contains(err.Error(), "reach") {
				t.Errorf("%s: Build(...): %v, want an error that names the daemon", name, err)
			}
		}
	})
}
