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

	// An import.
	"Import.oci",

	// A box.
	"OperatorBox.emit",
	"Reconciler.remote",
	"Queue.shared",

	// A condition, and rules.
	"Condition.notify",
)

// notServed lists what the gateway has not yet, as notSupported does. A gateway refuses it; an operator, to which it makes no difference, is told.
var notServed = setOf("Gateway.webhooks")

// unsupportedBy lists what is not supported by whoever reads a Katalog.
func unsupportedBy(opts *Options) keys {
	if !opts.Gateway {
		return notSupported
	}
	all := maps.Clone(notSupported)
	maps.Copy(all, notServed)
	return all
}

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
