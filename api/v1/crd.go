package v1

// CRD declares one custom resource definition, or built-in kind, and how its resources are operated.
type CRD struct {
	// Enabled false neither watches nor reconciles. Defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Description of the CRD, for people.
	// +optional
	Description string `json:"description,omitempty"`
	// Mode defaults to typed when apiTypes has a location, else to dynamic.
	// +optional
	Mode Mode `json:"mode,omitempty"`
	// APITypes name the kind. What CRDFile tells, or the table of built-in kinds, can be left out.
	// +optional
	APITypes APITypes `json:"apiTypes,omitempty"`
	// CRDFile is the path of the CustomResourceDefinition. It is applied outside a cluster alone.
	// +optional
	CRDFile string `json:"crdFile,omitempty"`
	// CRFiles are paths of resources that are applied, in order, once the CRD is there. Outside a cluster alone.
	// +optional
	CRFiles []string `json:"crFiles,omitempty"`
	// Setup is applied first. Outside a cluster alone.
	// +optional
	Setup *Setup `json:"setup,omitempty"`
	// Namespaced is the scope of the kind. Defaults to what CRDFile says, else to true.
	// +optional
	Namespaced *bool `json:"namespaced,omitempty"`
	// Namespace to watch. Defaults to all.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// LabelSelector narrows what is watched. A built-in kind needs one.
	// +optional
	LabelSelector map[string]string `json:"labelSelector,omitempty"`
	// FieldSelector narrows what is watched. All kinds have metadata.name and metadata.namespace.
	// +optional
	FieldSelector map[string]string `json:"fieldSelector,omitempty"`
	// Labels are written on every resource.
	// +optional
	Labels map[string]Template `json:"labels,omitempty"`
	// DependsOn are CRDs that must be there first, by name.
	// +optional
	DependsOn map[string]Dependency `json:"dependsOn,omitempty"`
	// RestrictedNamespaces are left alone, by names or globs. It excludes AllowedNamespaces.
	// +optional
	RestrictedNamespaces []string `json:"restrictedNamespaces,omitempty"`
	// AllowedNamespaces are the only ones operated, by names or globs. Without an element, all are.
	// +optional
	AllowedNamespaces []string `json:"allowedNamespaces,omitempty"`
	// Endpoints of the live API.
	// +optional
	Endpoints *Endpoints `json:"endpoints,omitempty"`
	// CrossAccess false hides the resources from the cross reads of other CRDs. Defaults to the Katalog's.
	// +optional
	CrossAccess *bool `json:"crossAccess,omitempty"`
	// IgnoreStatusPatch never writes a status.
	// +optional
	IgnoreStatusPatch bool `json:"ignoreStatusPatch,omitempty"`
	// IgnoreObservedGeneration leaves observedGeneration out of the status.
	// +optional
	IgnoreObservedGeneration bool `json:"ignoreObservedGeneration,omitempty"`
	// RemoveFinalizers takes finalizers away instead of adding them, for tests.
	// +optional
	RemoveFinalizers bool `json:"removeFinalizers,omitempty"`
	// OnRemoval is what becomes of the resources and their children when the Katalog has this CRD no more. Defaults to keep.
	// +optional
	OnRemoval RemovalPolicy `json:"onRemoval,omitempty"`
	// DeletionProtection overrides that of the Katalog, and has no effect without it.
	// +optional
	DeletionProtection *ResourceProtection `json:"deletionProtection,omitempty"`
	// ForceConflict false makes a field that another manager owns an error. Defaults to true.
	// +optional
	ForceConflict *bool `json:"forceConflict,omitempty"`
	// Enrich reads more about the children, for template functions. It excludes EnrichAll.
	// +optional
	Enrich []Enrichment `json:"enrich,omitempty"`
	// EnrichAll reads everything that Enrich can name. Defaults to false.
	// +optional
	EnrichAll bool `json:"enrichAll,omitempty"`
	// Normalize changes the resource in memory before anything reads it.
	// +optional
	Normalize *Normalize `json:"normalize,omitempty"`
	// Validation lists rules that a resource must meet. One that is denied keeps its children as they are.
	// +optional
	Validation *Validation `json:"validation,omitempty"`
	// Mutation lists rules that set fields of a resource: in memory in each cycle, and at admission.
	// +optional
	Mutation *Mutation `json:"mutation,omitempty"`
	// Conversion turns resources of one served version into another.
	// +optional
	Conversion *Conversion `json:"conversion,omitempty"`
	// Webhooks tell which admission webhooks the CRD has. Defaults to both.
	// +optional
	Webhooks *ResourceWebhooks `json:"webhooks,omitempty"`
	// Serve exposes the CRD through the gateway's API. Absent, it is not exposed.
	// +optional
	Serve *Serve `json:"serve,omitempty"`
	// Imports are Motifs whose parts are added to this CRD.
	// +optional
	Imports []Import `json:"imports,omitempty"`
	// OperatorBox tells how the resources are operated.
	// +optional
	OperatorBox OperatorBox `json:"operatorBox,omitempty"`

	// KatalogName is the name of the Katalog that a composed CRD came from, for people.
	// +optional
	KatalogName string `json:"katalogName,omitempty"`
	// KatalogNamespace is the namespace of the Katalog that a composed CRD came from, for people.
	// +optional
	KatalogNamespace string `json:"katalogNamespace,omitempty"`
	// KatalogDescription describes the Katalog that a composed CRD came from, for people.
	// +optional
	KatalogDescription string `json:"katalogDescription,omitempty"`
	// KatalogVersion is the version of the Katalog that a composed CRD came from, for people.
	// +optional
	KatalogVersion string `json:"katalogVersion,omitempty"`
}

// Mode tells whether resources are Go types or unstructured.
//
// +kubebuilder:validation:Enum=typed;dynamic
type Mode string

// The modes of a CRD.
const (
	ModeTyped   Mode = "typed"
	ModeDynamic Mode = "dynamic"
)

// RemovalPolicy is what becomes of the resources of a CRD that a Katalog has no more, and of their children.
//
// +kubebuilder:validation:Enum=keep;orphan;delete
type RemovalPolicy string

// The policies of a removal. Each takes our finalizers off the resources.
const (
	// RemovalKeep leaves the children as they are: they go with their resource.
	RemovalKeep RemovalPolicy = "keep"
	// RemovalOrphan has the children belong to nobody: they survive their resource.
	RemovalOrphan RemovalPolicy = "orphan"
	// RemovalDelete deletes the children.
	RemovalDelete RemovalPolicy = "delete"
)

// APITypes name a kind and, in typed mode, its Go types.
type APITypes struct {
	// Group is empty for the core group.
	// +optional
	Group string `json:"group,omitempty"`
	// Version of the API, such as v1. Defaults to the stored version of CRDFile; a built-in kind needs none.
	// +optional
	Version string `json:"version,omitempty"`
	// Kind in CamelCase, such as Website. Defaults to that of CRDFile.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Plural is the lower-case name in URLs. Absent, discovery tells.
	// +optional
	Plural string `json:"plural,omitempty"`
	// APIPath defaults to /api for the core group and to /apis for every other.
	// +optional
	APIPath string `json:"apiPath,omitempty"`
	// Location is the Go import path of the types.
	// +optional
	Location string `json:"location,omitempty"`
	// Object is the Go type of one resource. Defaults to Kind.
	// +optional
	Object string `json:"object,omitempty"`
	// ObjectList is the Go type of a list. Defaults to Object and "List".
	// +optional
	ObjectList string `json:"objectList,omitempty"`
	// Alias of the import in generated code. Defaults to the last two parts of Location.
	// +optional
	Alias string `json:"alias,omitempty"`
}

// Setup is what a CRD needs in the cluster before it starts. A file may give the list of paths alone.
type Setup struct {
	// Apply lists paths, applied in order.
	// +optional
	Apply []string `json:"apply,omitempty"`
	// Wait lists objects that must be there before the start.
	// +optional
	Wait []SetupWait `json:"wait,omitempty"`
}

// SetupWait waits for one object.
type SetupWait struct {
	// APIVersion is needed for kinds that are not built in.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object.
	Name string `json:"name"`
	// Namespace of the object. Defaults to default; a cluster-scoped kind has none.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Timeout defaults to 1m.
	// +optional
	Timeout *Duration `json:"timeout,omitempty"`
}

// Dependency tells what another CRD must have reached. A file may give the condition alone.
type Dependency struct {
	// Condition defaults to started.
	// +optional
	Condition DependencyCondition `json:"condition,omitempty"`
}

// DependencyCondition is what a CRD must have reached for those that depend on it.
//
// +kubebuilder:validation:Enum=started;healthy
type DependencyCondition string

// The conditions of a dependency.
const (
	// DependencyStarted is reached when the workers run.
	DependencyStarted DependencyCondition = "started"
	// DependencyHealthy is reached when they have reconciled successfully and no resource has failed failureThreshold times in a
	// row.
	DependencyHealthy DependencyCondition = "healthy"
)

// Endpoints tell what the live API shows of a CRD. Each defaults to true.
type Endpoints struct {
	// Enabled is the default of Health and Info. Defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Health shows how the CRD is doing. Defaults to Enabled.
	// +optional
	Health *bool `json:"health,omitempty"`
	// Info shows the settings and statistics of the CRD. Defaults to Enabled.
	// +optional
	Info *bool `json:"info,omitempty"`
}

// Enrichment reads one more thing about the children. A file may give the name alone.
type Enrichment struct {
	Conditions `json:",inline"`
	// Name of what is read.
	Name EnrichmentName `json:"name"`
}

// EnrichmentName is what can be read besides the children.
//
// +kubebuilder:validation:Enum=pods;events;endpoints;service;replicasets;pvcs;pvc;storageclass;hpa;ingress;cronjob;node;owner
type EnrichmentName string

// Normalize changes the resource in memory before anything reads it.
type Normalize struct {
	// Audit records which fields changed.
	// +optional
	Audit bool `json:"audit,omitempty"`
	// Spec maps dot paths below spec to their new values. Each value sees the resource as it was.
	// +optional
	Spec map[string]Template `json:"spec,omitempty"`
}
