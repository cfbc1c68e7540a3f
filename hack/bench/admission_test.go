package main

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

// TestGated shows that the gateway of the benchmark checks as many rules as it is said to, at admission.
func TestGated(t *testing.T) {
	loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "gated.yaml", gatedFile)
	if err != nil {
		t.Fatal(err)
	}
	crd := loaded.Documents[0].Katalog.Spec.CRDs["website"]
	if got := len(crd.Validation.Rules) + len(crd.Mutation.Rules); got != gatedRules {
		t.Errorf("%d rules, want %d", got, gatedRules)
	}
	if len(crd.Mutation.Rules) == 0 || len(crd.Validation.Rules) == 0 {
		t.Error("one of the two webhooks is not measured")
	}
}
