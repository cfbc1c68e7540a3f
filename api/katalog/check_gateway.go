package katalog

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// gateway checks that what only a gateway does is not asked of nobody: whoever relies on it would be wrong.
func (c *checker) gateway(katalog *orkv1.Katalog) {
	declared := declaresGateway(katalog)
	if !declared && !c.gatewayThere {
		for _, path := range needingGateway(katalog) {
			c.errorf(path, "needs a gateway, and the Katalog declares none: add gateway: {enabled: true}, or set ORK_GATEWAY_ENDPOINT, and run ork gate "+
				"with the same Katalog")
		}
	}
	if declared && katalog.Gateway.Serves() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		if serve := katalog.Spec.CRDs[name].Serve; serve != nil && serve.Enabled {
			c.warnf(field.NewPath("spec", "crds").Key(name).Child("serve", "enabled"), "is offered to nobody without gateway.api.enabled; the rules that follow from serve hold all the same")
		}
	}
}

func declaresGateway(katalog *orkv1.Katalog) bool {
	return katalog.Gateway != nil && on(katalog.Gateway.Enabled)
}

// needingGateway are the places of what only a gateway does.
func needingGateway(katalog *orkv1.Katalog) []*field.Path {
	s := katalog.Security
	if s == nil {
		return nil
	}
	var all []*field.Path
	at := field.NewPath("security")
	if s.DeletionProtection != nil && on(s.DeletionProtection.Enabled) {
		all = append(all, at.Child("deletionProtection"))
	}
	if s.Webhooks != nil && s.Webhooks.Admission != nil && on(s.Webhooks.Admission.Enabled) {
		all = append(all, at.Child("webhooks", "admission"))
	}
	if s.Conversion != nil && on(s.Conversion.Enabled) {
		all = append(all, at.Child("conversion"))
	}
	if s.Provenance != nil && s.Provenance.Enforce != nil && *s.Provenance.Enforce {
		all = append(all, at.Child("provenance", "enforce"))
	}
	return all
}

// on is a choice, which is yes without one.
func on(choice *bool) bool { return choice == nil || *choice }
