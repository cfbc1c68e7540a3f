package server

import (
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// Two callers of one name would have the rights of both.
func TestTokensOf(t *testing.T) {
	of := func(name string, enabled bool, tokens ...string) *orkv1.Katalog {
		auth := &orkv1.GatewayAuth{}
		for _, token := range tokens {
			auth.Tokens = append(auth.Tokens, orkv1.GatewayToken{Name: token})
		}
		one := &orkv1.Katalog{Gateway: &orkv1.Gateway{API: &orkv1.GatewayAPI{Enabled: enabled, Auth: auth}}}
		one.Name = name
		return one
	}
	all, err := tokensOf([]*orkv1.Katalog{of("a", true, "portal", "reader"), {}, of("b", false, "portal"), of("c", true, "other")})
	if err != nil || len(all) != 3 {
		t.Errorf("tokens of several Katalogs: %v, %v", all, err)
	}
	_, err = tokensOf([]*orkv1.Katalog{of("a", true, "portal"), of("b", true, "portal")})
	if err == nil || !strings.Contains(err.Error(), "the token portal is declared by two Katalogs, a and b") {
		t.Errorf("two of one name: %v", err)
	}
}

// One cluster may be that of several Katalogs, and a name is that of one.
func TestClustersOf(t *testing.T) {
	of := func(name, endpoint string) *orkv1.Katalog {
		one := &orkv1.Katalog{Gateway: &orkv1.Gateway{Clusters: map[string]orkv1.Cluster{
			"eu": {Endpoint: endpoint, SecretRef: &orkv1.SecretKey{Name: "eu", Key: "kubeconfig"}},
		}}}
		one.Name = name
		return one
	}
	all, err := clustersOf([]*orkv1.Katalog{of("a", "https://eu.example"), {}, of("b", "https://eu.example")})
	if err != nil || len(all) != 1 {
		t.Errorf("one cluster of two Katalogs: %v, %v", all, err)
	}
	_, err = clustersOf([]*orkv1.Katalog{of("a", "https://eu.example"), of("b", "https://other.example")})
	if err == nil || err.Error() != "the cluster eu is declared by two Katalogs in two ways, of which b has one" {
		t.Errorf("two of one name: %v", err)
	}
}

// What is kept of an intent is said for each Katalog.
func TestServedIntent(t *testing.T) {
	for said, want := range map[string]int{"": 0, ", intentAnnotationMaxBytes: 512": 512} {
		text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\ngateway: {api: {enabled: true" + said + "}}\n" +
			"spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}, serve: {enabled: true, namespace: shop}}}}"
		loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		schemas := func(string) map[string]*roots.Props { return nil }
		declared := loaded.Documents[0].Katalog
		g := &state{opts: Options{Schemas: schemas}}
		g.entries, _ = entry.Compile(declared, schemas)
		served, errs := g.served(declared)
		if len(errs) > 0 || len(served) != 1 || served[0].MaxIntent != want {
			t.Errorf("%q: served %v, %v, want %d bytes to be kept", said, served, errs, want)
		}
	}
}
