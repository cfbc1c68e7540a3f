package v1

import "strings"

// Group is the API group of Katalog, and Version its version.
const (
	Group   = "orkestra.orkspace.io"
	Version = "v1"
)

// FieldManager is the name under which the runtime writes children, resources and their status.
const FieldManager = "orkestra"

// FieldManagerGo is the name under which hooks and constructors write unless they choose another. It differs from FieldManager, so that
// one that applies a part of a child does not take away what the Katalog declares of it.
const FieldManagerGo = "orkestra-go"

// Domain prefixes every annotation, label and finalizer that Orkestra writes. LegacyDomain is accepted when reading, and so is OlderDomain for the labels of the
// protection from deletion and for the age of what is generated.
const (
	Domain       = "orkestra.konductor.io/"
	LegacyDomain = "orkestra.orkspace.io/"
	OlderDomain  = "orkestra.io/"
)

// Labels on children.
const (
	// LabelManagedBy marks every child, with the value ManagedByValue. The cache of children selects by it.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedByValue = "orkestra"
	// LabelOwner holds the short hash of the owner: its group, kind, namespace, name and target.
	LabelOwner = Domain + "owner"
	// LabelResource is on the pods of a resource's long-running workloads and holds the short hash of the resource: its group,
	// kind, namespace and name. A Service selects by it.
	LabelResource = Domain + "resource"
	// LabelWorkload is on the pods of one workload and holds its name. Together with LabelResource the workload selects by it.
	LabelWorkload = Domain + "workload"
	// LabelApp and LabelOwnerName hold the resource's name, on every child and its pods, for the selectors that people
	// write. A declaration may set LabelApp to something else.
	LabelApp       = "app"
	LabelOwnerName = "orkestra-owner"
	// LabelServeTarget is on the children of a resource whose target has a box of its own, and holds the target.
	LabelServeTarget = "orkestra-serve-target"
	// LabelDeletionProtection with the value true keeps the runtime from deleting a child. People put it there.
	LabelDeletionProtection = Domain + "deletion-protection"
	// LabelStrictExempt with the value true lets the label above be taken away in strict mode. The runtime puts it there.
	LabelStrictExempt = Domain + "strict-mode-exempt"
)

// Annotations on children.
const (
	// AnnotationOwner names the owner for people and for the way back from child to resource: Kind.group/namespace/name.
	AnnotationOwner = Domain + "owner"
	// AnnotationAppliedHash is on children that are kept as declared, and on no others: a hash of what was last written.
	AnnotationAppliedHash = Domain + "applied-hash"
	// AnnotationDepth is on the children of a block whose entries depend on each other: how many entries lie below that of the child,
	// 0 for one that depends on none. What depends on others goes before them.
	AnnotationDepth = Domain + "depth"
	// AnnotationGeneratedAt is on Secrets whose data is made anew at an age, and tells when it was made, in RFC 3339.
	// AnnotationRotateAfter tells the age, as the Katalog has it.
	AnnotationGeneratedAt = Domain + "generated-at"
	AnnotationRotateAfter = Domain + "rotate-after"
	// AnnotationLastScale is when the autoscaler of a workload last changed its replicas, as RFC 3339.
	AnnotationLastScale = Domain + "last-scale"
)

// Annotations on resources.
const (
	AnnotationManagedBy    = Domain + "managed-by"
	AnnotationManagedSince = Domain + "managed-since"
	// AnnotationDeletion is on resources whose onDelete waits: the stage, how many there are, and since when it waits, as in
	// 2/3 2026-01-01T08:00:00Z. On a job of onDelete it says that the job does not refer to its owner.
	AnnotationDeletion = Domain + "deletion"

	// AnnotationHealth and AnnotationCrossMetrics hold the state of the CRD as JSON, for readers outside of the process. They are written
	// when the state changes, not in each cycle.
	AnnotationHealth       = Domain + "health"
	AnnotationCrossMetrics = Domain + "cross-metrics"

	// AnnotationLastBuild is on resources that images are built for: what was built last for each block, as
	// onCreate <image> <digest> <source>, with a semicolon between two. Without it the image is built anew.
	AnnotationLastBuild = Domain + "last-build"

	// AnnotationPreviousSpec holds the spec that succeeded last, as gzipped JSON in base64, where a rollback is declared.
	AnnotationPreviousSpec = Domain + "previous-spec"
	// AnnotationRollbackAtGeneration holds the generation that is rolled back. Another generation is not.
	AnnotationRollbackAtGeneration = Domain + "rollback-at-generation"

	// AnnotationLastSurface is on resources that a target with a box of its own operates, or did: the target whose children the resource
	// has, as far as it has left all others. Empty: the CRD's own.
	AnnotationLastSurface = Domain + "last-surface"

	// AnnotationLastCommit is the commit of the repository that a cycle succeeded with.
	AnnotationLastCommit = Domain + "last-commit"

	// AnnotationServeTarget and the following are the gateway's: the target and the alias through which a resource came, what
	// delivered it, and for whom.
	AnnotationServeTarget   = Domain + "serve-target"
	AnnotationServeAlias    = Domain + "serve-alias"
	AnnotationServeSource   = Domain + "serve-source"
	AnnotationServeIdentity = Domain + "serve-identity"
	// AnnotationServeIntent holds what the caller sent, as JSON, without what is sensitive.
	AnnotationServeIntent = Domain + "serve-intent"
	// AnnotationServeSelectorTarget is the target whose fieldSelector a whole resource met, and AnnotationServeSelector that selector, as JSON.
	AnnotationServeSelectorTarget = Domain + "serve-selector-target"
	AnnotationServeSelector       = Domain + "serve-selector"
)

// AnnotationConversion and a version hold the spec that a resource had in that version, as JSON, where the conversion to another one loses
// some of it.
const AnnotationConversion = Domain + "conversion-"

// Finalizer is on resources whose deletion needs cleanup that garbage collection does not do.
const Finalizer = Domain + "cleanup"

// Secrets of the gateway, in its own namespace.
const (
	// SecretTLS holds the certificate that the webhooks are served with: tls.crt, tls.key and, in ca.crt, the authorities that clients
	// must know.
	SecretTLS = "orkestra-tls" //nolint:gosec // a name
	// SecretAuthority holds the authority that signs it, with its key.
	SecretAuthority = "orkestra-tls-ca" //nolint:gosec // a name
)

// Labels on what Orkestra keeps for itself.
const (
	LabelName     = "app.kubernetes.io/name"
	LabelInternal = "app.kubernetes.io/tag"
)

// InternalLabels are on what Orkestra keeps for itself. Each call returns a map of its own.
func InternalLabels() map[string]string {
	return map[string]string{LabelName: "orkestra", LabelInternal: "orkestra-internal"}
}

// OwnLabels are InternalLabels, and the one that protects from deletion where that is on. Each call returns a map of its own.
func OwnLabels(protected bool) map[string]string {
	labels := InternalLabels()
	if protected {
		labels[LabelDeletionProtection] = "true"
	}
	return labels
}

// IsOwn tells whether a label or an annotation is of Orkestra's domain, in any spelling: the gateway and the runtime know by them what is theirs.
func IsOwn(key string) bool {
	return strings.HasPrefix(key, Domain) || strings.HasPrefix(key, LegacyDomain) || strings.HasPrefix(key, OlderDomain)
}

// Spellings are a label or an annotation of Domain in the three ways that it is read. The first is the one that is written.
func Spellings(key string) []string {
	name := strings.TrimPrefix(key, Domain)
	return []string{Domain + name, LegacyDomain + name, OlderDomain + name}
}

var protects = Spellings(LabelDeletionProtection)

// ProtectedBy is the spelling in which labels protect what has them from deletion, empty where they do not.
func ProtectedBy(labels map[string]string) string { return Marked(labels, protects) }

// Marked is the one of some spellings that labels have with the value true, empty for none.
func Marked(labels map[string]string, spellings []string) string {
	for _, key := range spellings {
		if labels[key] == "true" {
			return key
		}
	}
	return ""
}
