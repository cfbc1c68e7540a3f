package katalog

import (
	"reflect"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const useCustom = "not supported; declare the object in custom"

const besideBox = "not a key of the box; write it beside operatorBox"

const inProviders = "is no list of children; write operatorBox.providers."

// hints tell what to write in place of keys that were removed or never worked, by the type that would hold them.
var hints = map[reflect.Type]map[string]string{
	typeImport: {
		"version": "belongs to Motifs of a registry, which are " + notYet,
		"auth":    "belongs to Motifs of a registry, which are " + notYet,
	},
	typeMotif: {
		"validation": "write admission.validation",
		"mutation":   "write admission.mutation",
		"spec":       "a Motif has no spec; its parts stand at the top",
	},
	typeCRD: {
		"customOperator": "no longer supported; write operatorBox.reconciler.constructor",
		"name":           "the name is the key of the declaration in spec.crds",
		"idp":            "no longer supported; write serve",
	},
	typeBox: {
		"customOperator":       "no longer supported; write reconciler.constructor",
		"runtime":              "not a key of the box; write autoscale directly below operatorBox, and deletionProtection beside operatorBox",
		"deletionProtection":   besideBox,
		"allowedNamespaces":    besideBox,
		"restrictedNamespaces": besideBox,
	},
	reflect.TypeFor[orkv1.Gateway](): {
		"admission": "no longer supported; write gateway.webhooks for sources of intents, and security.webhooks.admission for rules at admission",
	},
	reflect.TypeFor[orkv1.GatewayAPI](): { //nolint:gosec // the name of a key, no credential
		"tokens": "write auth.tokens",
		"tls":    "the API is always served over TLS, with the certificate of the webhooks: leave this out, and write security.certManager",
	},
	reflect.TypeFor[orkv1.WebhookSecurity](): {
		"deletion":   "no longer supported; write security.deletionProtection",
		"namespace":  "write security.namespaceProtection",
		"conversion": "write security.conversion",
	},
	reflect.TypeFor[orkv1.CrossRead](): {
		"labels": "no longer supported; write labelSelector",
	},
	reflect.TypeFor[orkv1.CrossSource](): { //nolint:gosec // names of keys, no credentials
		"type":  "no longer supported; write protocol",
		"token": "no longer supported; write auth.token",
	},
	reflect.TypeFor[orkv1.Serve](): {
		"matchFields": "no longer supported; write fieldSelector on a target",
	},
	reflect.TypeFor[orkv1.ServeTarget](): {
		"matchFields": "no longer supported; write fieldSelector, a map from path to value",
	},
	reflect.TypeFor[orkv1.Block]():          blockHints,
	reflect.TypeFor[orkv1.MotifResources](): blockHints,
}

var blockHints = map[string]string{
	"aws":                         inProviders + "aws",
	"mongodb":                     inProviders + "mongodb",
	"postgres":                    inProviders + "postgres",
	"serviceMonitors":             useCustom,
	"priorityClasses":             useCustom,
	"runtimeClasses":              useCustom,
	"podTemplates":                useCustom,
	"podSecurityPolicies":         useCustom,
	"priorityLevelConfigurations": useCustom,
	"volumes":                     "not supported; volumes belong to a workload, other objects to custom",
	"volumeMounts":                "not supported; volume mounts belong to a workload, other objects to custom",
	"storageClasses":              useCustom,
	"storageLocations":            useCustom,
	"storagePools":                useCustom,
	"storageBackups":              useCustom,
	"storageSnapshots":            useCustom,
	"storageVolumes":              useCustom,
}

func hintFor(t reflect.Type, key string) string {
	return hints[t][key]
}
