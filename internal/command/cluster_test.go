package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestConnect shows which cluster is meant, by flags and by variables, those of older installations included.
func TestConnect(t *testing.T) {
	folder := t.TempDir()
	address := func(name string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"major":"1","minor":"37"}`))
		}))
		t.Cleanup(server.Close)
		text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: %q}}]\n", server.URL)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return server.URL
	}
	file := func(name string) string { return filepath.Join(folder, name) }
	one, two, three := address("one"), address("two"), address("three")
	cases := map[string]struct {
		reason      string
		cluster     Cluster
		environment map[string]string
		want        string
	}{
		"Kubeconfig": {"as kubectl takes it", Cluster{}, map[string]string{"KUBECONFIG": file("one")}, one},
		"Older":      {"in the older spelling", Cluster{}, map[string]string{"KUBEKONFIG": file("two")}, two},
		"Both":       {"the usual one wins", Cluster{}, map[string]string{"KUBECONFIG": file("one"), "KUBEKONFIG": file("two")}, one},
		"Flag":       {"and a flag before them", Cluster{Kubeconfig: file("three")}, map[string]string{"KUBECONFIG": file("one"), "KUBEKONFIG": file("two")}, three},
		"Address":    {"another address of it", Cluster{}, map[string]string{"KUBECONFIG": file("one"), "MASTER_URL": two}, two},
		"NoAddress":  {"not of the one that a flag names", Cluster{Kubeconfig: file("three")}, map[string]string{"MASTER_URL": two}, three},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", folder)
			for _, variable := range []string{"KUBECONFIG", "KUBEKONFIG", "MASTER_URL"} {
				t.Setenv(variable, tc.environment[variable])
			}
			config, err := tc.cluster.Connect()
			if err != nil || config.Host != tc.want {
				t.Errorf("%s: %v, %v, want %s", tc.reason, config, err, tc.want)
			}
		})
	}
}
