package box

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// Set is all that is compiled of one CRD entry. It never changes.
type Set struct {
	// Katalog and Name identify the entry: metadata.name of the Katalog, and the key in spec.crds.
	Katalog, Name string
	// GVK and Plural name the kind; Plural is empty when only discovery knows it.
	GVK    schema.GroupVersionKind
	Plural string

	// Watch selects the resources.
	Watch Watch
	// Workers is how many resources are reconciled at once.
	Workers int
	// Capacity is how much the controller takes on as declared, and Autoscale when it takes on more or less. Nil: never.
	Capacity  Capacity
	Autoscale *Scaling
	// FailureThreshold is how many failures in a row make a resource count as failing.
	FailureThreshold int
	// Retry spaces the first tries of a cycle that fails. Nil: each failure counts.
	Retry *Retry
	// Delayed tries a failed cycle again after DelayedRetry each time, and not after ever longer pauses.
	Delayed bool
	// Limits tell which events are dropped while the queue is full. Nil: none are.
	Limits *gate.Limits
	// Namespaces guards which namespaces are operated.
	Namespaces namespaces.Guard
	// Labels are kept on every resource.
	Labels map[string]*template.Program
	// LabelsWait tells that a label reads what is only there when the children are observed.
	LabelsWait bool
	// DependsOn are the entries that must be there first.
	DependsOn map[string]orkv1.Dependency
	// Normalize, Mutation and Validation look at a resource before its box does; nil ones do nothing. MutateFirst has the mutation
	// before the validation.
	Normalize   *rules.Normalize
	Mutation    *rules.Mutation
	Validation  *rules.Validation
	MutateFirst bool
	// MutationCalls and ValidationCalls are made before the rules that may read their results.
	MutationCalls, ValidationCalls call.List
	// BuildBlocks are the names of the blocks that build an image, in the order in which a cycle has them built. A block builds in the box of
	// one target, and not in that of another.
	BuildBlocks []string
	// Enrich lists what is read of children besides them.
	Enrich []Enrichment
	// StripFinalizers takes finalizers away instead of adding them.
	StripFinalizers bool
	// CrossAccess lets the resources of other CRDs read those of this one.
	CrossAccess bool
	// Protection tells which labels about their deletion the resources have. Nil: those that people put there.
	Protection *Protection
	// OnRemoval is what becomes of the resources when the Katalog has the entry no more.
	OnRemoval orkv1.RemovalPolicy

	crd     *Box
	targets map[string]*Box
}

// Watch selects the resources of a CRD that are operated.
type Watch struct {
	Namespace     string
	LabelSelector string
	FieldSelector string
	Resync        time.Duration
}

// Effective returns the box of a target, or the CRD's own when the target has none.
func (s *Set) Effective(target string) *Box {
	if b, ok := s.targets[target]; ok {
		return b
	}
	return s.crd
}

// Kinds lists the kinds of children of all boxes, in apply order.
func (s *Set) Kinds() []schema.GroupVersionKind {
	kinds := slices.Clone(s.crd.Kinds)
	for _, b := range s.Boxes() {
		for _, kind := range b.Kinds {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// Boxes are the CRD's own box, and then those of the targets that have one, in the order of their names.
func (s *Set) Boxes() []*Box {
	names := s.Targets()
	boxes := append(make([]*Box, 0, 1+len(names)), s.crd)
	for _, name := range names {
		boxes = append(boxes, s.targets[name])
	}
	return boxes
}

// Targets are the names of the targets that have a box of their own, in order.
func (s *Set) Targets() []string {
	if len(s.targets) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(s.targets))
}

// Box tells how the resources of a CRD, or of one of its targets, are operated.
type Box struct {
	// Target is empty for the CRD's own box.
	Target string
	// Sentinels are those that the gates before a cycle, and the conditions of the queue, may ask for.
	Sentinels []sentinel.Name
	// EnqueueGate decides whether an event becomes work, and ReconcileGate whether work is done now. Nil ones pass.
	EnqueueGate, ReconcileGate *gate.Gate
	// EventAware keeps the events of one resource apart until the reconcile gate.
	EventAware bool
	// Gate of the box; while it is false no child is touched. GateWaits tells that it can only be asked after the external calls.
	Gate      *conditions.Program
	GateWaits bool
	// GateWaitsForGit tells that it can only be asked after the repository is fetched.
	GateWaitsForGit bool
	// BuildWaits tells that the gate can only be asked after the builds.
	BuildWaits bool
	// Cross are the reads of other resources, once the rules are obeyed.
	Cross []*Cross
	// HookCalls are made for the args of hooks, first of all calls.
	HookCalls call.List
	// Blocks are onCreate and onReconcile, as far as declared.
	Blocks []Block
	// OnDelete is what happens before a deleted resource goes. Nil: nothing of its own.
	OnDelete *Deletion
	// Rollback tells when a resource goes back to the spec that succeeded last. Nil: never.
	Rollback *Rollback
	// Provided is what a resource needs outside of the cluster, by provider in the order in which they are asked.
	Provided []Provided
	// Hooks is Go code that runs beside the children, and Constructor Go code that reconciles in place of them. Nil: there is none.
	Hooks       *Hooks
	Constructor *GoFunction
	// KeepPreviousSurface keeps the children that other targets gave a resource, while it is here.
	KeepPreviousSurface bool
	// Kinds of the children, in apply order. Where there are targets, those of all boxes: a resource may have come from another one.
	Kinds []schema.GroupVersionKind
	// Status tells what the status says.
	Status Status
	// Finalizers are those that the Katalog declares.
	Finalizers []string
	// Requeue lists delays after a success; the first whose gate passes decides.
	Requeue []Requeue
	// Watches and EventWatches are what is observed besides the resources and their children.
	Watches      []*ObjectWatch
	EventWatches []*EventWatch

	// ReadsChildren tells whether a gate or a template of a child reads .children, and StatusReadsChildren whether one of the
	// status or of requeue does.
	ReadsChildren, StatusReadsChildren bool
	// ReadsReady tells whether anything may read whether a child is ready.
	ReadsReady bool
	// ReadsStatus tells whether anything reads .status, so that a change of the status may change what comes next.
	ReadsStatus bool
	// ReadsFeedback tells whether anything reads .health or .metrics.
	ReadsFeedback bool
}

// Block is a list of children with a gate of its own.
type Block struct {
	Name string
	Gate *conditions.Program
	// Calls are made before the children are looked at, while the gate passes; with GateWaits always, for the gate reads what they come to.
	Calls     call.List
	GateWaits bool
	// Git is fetched before the calls are made, in the same way; with GateWaitsForGit always. Nil: nothing is.
	Git             *Git
	GateWaitsForGit bool
	// Build is the image that is built before the children are looked at, behind the same gate; BuildWaits is to it what GateWaits is to Calls.
	// Nil: none.
	Build      *Build
	BuildWaits bool
	Children   []Child
	// Ordered tells that a child depends on another one. Then Children are not in the order of their declarations.
	Ordered bool
}

// Child is one declaration.
type Child struct {
	controllers.Declaration
	Gate    *conditions.Program
	ForEach *ForEach
	Value   *template.Of[any]
	chosen  *chosen
	// Identity is the part of Value that tells which objects are meant.
	Identity *template.Of[controllers.Identity]
	// CreateOnce leaves an object that exists as it is.
	CreateOnce bool
	// Force takes fields over from other field managers.
	Force bool
	// Recreate deletes an object with a field that can't be changed, to have it made anew.
	Recreate bool
	// Autoscale changes the replicas by conditions. Nil: it does not.
	Autoscale *Autoscale
	// Sleep delays the write.
	Sleep time.Duration
	// Position of the declaration in the block.
	Position int
	// Needs are the places in Block.Children, before its own, of those that must be ready before it is made.
	Needs []int
	// Depth is how many lie below it of what it depends on, and that depends on. Empty in a block that is not Ordered.
	Depth string
}

// ForEach expands a declaration.
type ForEach struct {
	Field template.Path
	// As is the name of the element beside .item.
	As string
}

// Status tells what the status of a resource says.
type Status struct {
	// Off writes no status at all.
	Off bool
	// Conditions are written unless the Katalog turns them off.
	Conditions bool
	// ObservedGeneration is written unless the Katalog turns it off.
	ObservedGeneration bool
	Fields             []StatusField
}

// StatusField is one value of the status.
type StatusField struct {
	Path        []string
	Value       *template.Program
	Type        string
	Gate        *conditions.Program
	Conditional bool
	// Transition tells that the gate reads the status: the field leads from one state to the next.
	Transition   bool
	ClearOnFalse bool
}

// Requeue is one delay after a success.
type Requeue struct {
	Gate  *conditions.Program
	After *template.Program
}
