package katalog

import (
	"maps"
	"strings"
)

const notYet = "not supported yet"

// notSupported lists what a Katalog may not use yet, as the Go type that declares a field, its key and, behind an equals
// sign, the one value that is meant. What becomes supported is removed from here.
var notSupported = setOf(
	// A Katalog.
	"Katalog.lifecycle", "Katalog.notification",

	// Its security, as far as it is the gateway's.
	"Security.webhooks", "Security.conversion", "Security.certManager", "Security.serviceName",
	"Security.provenance", "Security.breakGlass", "NamespaceProtection.failurePolicy", "NamespaceProtection.cleanupOnShutdown",
	"DeletionProtection.serviceName", "WebhookSecurity.serviceName",

	// A CRD.
	"CRD.conversion", "CRD.webhooks",

	// An import.
	"Import.oci",

	// A box.
	"OperatorBox.emit",
	"Reconciler.remote",
	"Queue.shared",

	// A block.

	// A condition, and rules.
	"Condition.notify",
)

// served lists what of it a gateway supports. Where there is none it is refused: without it nothing would be safe.
var served = setOf(
	"Security.webhooks", "Security.conversion", "Security.certManager", "Security.provenance",
	"Security.breakGlass", "NamespaceProtection.failurePolicy", "NamespaceProtection.cleanupOnShutdown",
	"CRD.conversion", "CRD.webhooks",
)

// unsupportedBy lists what is not supported by whoever reads a Katalog.
func unsupportedBy(opts *Options) keys {
	if !opts.Gateway {
		return notSupported
	}
	left := maps.Clone(notSupported)
	maps.DeleteFunc(left, func(key string, _ bool) bool { return served[key] })
	return left
}

// forGateway lists what the gateway alone reads, as notSupported does. Without a gateway nothing is exposed, whatever stands there: it is
// passed over, and a warning says so. What protects or changes resources is refused instead, for without it they would not be safe.
var forGateway = setOf(
	"Katalog.gateway",
	"Serve.enabled", "Serve.modes", "Serve.fields", "Serve.labels", "Serve.annotations", "Serve.ignore", "Serve.title", "Serve.category",
	"Serve.description", "Serve.name", "Serve.namespace", "Serve.config", "Serve.tokens", "Serve.clusters", "Serve.strictFields",
	"Serve.compat",
	"ServeTarget.enabled", "ServeTarget.tokens", "ServeTarget.config", "ServeTarget.modes", "ServeTarget.fieldSelector",
	"ServeTarget.clusters",
	"ServeOverrides.resourceConflict", "ServeOverrides.targetConflict",
)

// addedTo names the fields that those of a Motif are added to, which must be supported.
var addedTo = map[string]string{
	"Motif.profiles": "Katalog.profiles", "Motif.notes": "Katalog.notes",
	"MotifAdmission.validation": "CRD.validation", "MotifAdmission.mutation": "CRD.mutation",
	"MotifResources.onDelete": "OperatorBox.onDelete",
}

// keys is a set.
type keys map[string]bool

// message tells that a field, or its value, is not supported yet, or is empty.
func (k keys) message(f *structField, value *node) string {
	key := f.owner.Name() + "." + f.name
	if same, ok := addedTo[key]; ok {
		key = same
	}
	switch {
	case k[key]:
		return notYet
	case value.kind == kindScalar && k[key+"="+value.text]:
		return strings.Join([]string{"the value", quote(value.text), "is", notYet}, " ")
	}
	return ""
}

func setOf(members ...string) keys {
	out := make(keys, len(members))
	for _, key := range members {
		out[key] = true
	}
	return out
}
