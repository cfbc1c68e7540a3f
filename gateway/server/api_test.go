package server

import (
	"strings"
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Two callers of one name would have the rights of both.
func TestTokensOf(t *testing.T) {
	of := func(name string, enabled bool, tokens ...string) *orkv1.Katalog {
		auth := &orkv1.GatewayAuth{}
		for _, token := range tokens {
			auth.Tokens = append(auth.Tokens, orkv1.GatewayToken{Name: token})
		}
		katalog := &orkv1.Katalog{Gateway: &orkv1.Gateway{API: &orkv1.GatewayAPI{Enabled: enabled, Auth: auth}}}
		katalog.Name = name
		return katalog
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
