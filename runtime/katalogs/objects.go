package katalogs

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// Resource is that of Katalog objects.
var Resource = orkv1.GroupVersion.WithResource("katalogs")

// Checker is an engine that tells what it thinks of a Katalog, and what its entries do.
type Checker interface {
	Check(ctx context.Context, katalog *orkv1.Katalog) (misread field.ErrorList, err error)
	Overviews() []engine.Overview
	// Leads tells whether this replica is the one that writes the status.
	Leads() bool
}

// +kubebuilder:rbac:groups=orkestra.orkspace.io,resources=katalogs,verbs=get;list;watch,namespace=orkestra-system
// +kubebuilder:rbac:groups=orkestra.orkspace.io,resources=katalogs/status,verbs=update,namespace=orkestra-system

// Objects has the Katalog objects of one namespace run. On every replica it has the engine run the same; the leader writes their
// status. It is a Runnable of a Manager.
type Objects struct {
	ObjectsOptions
	// known are what the objects were when the Collection was told last, by name.
	known map[string]identity
	// seen is what is known of the objects, by name.
	seen   map[string]*seen
	status *writer
}

// ObjectsOptions configure Objects. All but Taken must be set.
type ObjectsOptions struct {
	Collection *Collection
	Engine     Checker
	Client     dynamic.Interface
	// Namespace is the operator's own: who may write there may have the operator do what it can.
	Namespace string
	// Registry is that of the engine.
	Registry *controllers.Registry
	// Taken is told how many objects are accepted as they are, and how many are not, whenever one changed. Nil: nobody is.
	Taken func(accepted, refused int)
}

// NewObjects returns Objects, which do nothing until they are started.
func NewObjects(opts ObjectsOptions) *Objects {
	return &Objects{ObjectsOptions: opts, status: newWriter(opts.Client.Resource(Resource).Namespace(opts.Namespace))}
}

// identity is a version of an object.
type identity struct {
	uid        types.UID
	generation int64
}

// seen is what became of an object.
type seen struct {
	generation int64
	errs       []string
	warnings   []string
	verdict    Verdict
}

// NeedLeaderElection is false: followers keep in memory what the objects declare.
func (o *Objects) NeedLeaderElection() bool { return false }

const (
	// gather is how long changes are gathered before they are looked at.
	gather = 100 * time.Millisecond
	// lookAgain is how often the status of the entries is looked at.
	lookAgain = time.Second
)

// Start runs until ctx ends.
func (o *Objects) Start(ctx context.Context) error {
	ctx = logf.IntoContext(ctx, logf.FromContext(ctx).WithName("katalogs"))
	objects, err := informer.Start(ctx, o.Client, informer.Options{Resource: Resource, Namespace: o.Namespace})
	if err != nil {
		return fmt.Errorf("watch Katalog objects: %w", err)
	}
	defer objects.Stop()
	changes := make(chan struct{}, 1)
	changed := func(any) {
		select {
		case changes <- struct{}{}:
		default:
		}
	}
	if _, _, err := objects.Handle(toolscache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, after any) { changed(after) }, DeleteFunc: changed,
	}); err != nil {
		return fmt.Errorf("watch Katalog objects: %w", err)
	}

	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
			select { // those of one kubectl apply come together
			case <-time.After(gather):
			case <-ctx.Done():
				return nil
			}
		case <-again.C:
		}
		if objects.HasSynced() {
			o.look(ctx, objects.List())
		}
	}
}

// look brings the Collection and the status to what the objects say.
func (o *Objects) look(ctx context.Context, objects []*unstructured.Unstructured) {
	if o.differ(objects) {
		o.take(ctx, objects)
	}
	if o.Engine.Leads() {
		o.status.write(ctx, objects, o.seen, o.Engine.Overviews())
	}
}

// differ tells whether there are other objects than before, or other generations of them.
func (o *Objects) differ(objects []*unstructured.Unstructured) bool {
	now := map[string]identity{}
	same := len(objects) == len(o.known)
	for _, object := range objects {
		now[object.GetName()] = identityOf(object)
		same = same && o.known[object.GetName()] == identityOf(object)
	}
	return !same
}

func identityOf(object *unstructured.Unstructured) identity {
	return identity{object.GetUID(), object.GetGeneration()}
}

// take tells the Collection of all objects, and remembers what became of them.
func (o *Objects) take(ctx context.Context, objects []*unstructured.Unstructured) {
	log := logf.FromContext(ctx)
	taken := make([]Object, 0, len(objects))
	next, known := map[string]*seen{}, map[string]identity{}
	for _, object := range objects {
		name := object.GetName()
		one := &seen{generation: object.GetGeneration()}
		next[name], known[name] = one, identityOf(object)
		var found *orkv1.Katalog
		found, one.errs, one.warnings = parse(object, o.Registry)
		if found != nil {
			misread, err := o.Engine.Check(ctx, found)
			for _, problem := range misread {
				one.warnings = append(one.warnings, problem.Field+": "+problem.Detail+", by the installed definition")
			}
			if err != nil {
				one.errs, found = append(one.errs, err.Error()), nil
			}
		}
		taken = append(taken, Object{
			Name: name, Age: object.GetCreationTimestamp().UTC().Format(time.RFC3339) + " " + string(object.GetUID()),
			Generation: object.GetGeneration(), Katalog: found,
		})
	}
	verdicts, err := o.Collection.SetObjects(taken)
	if err != nil {
		log.Error(err, "Katalog objects cannot be run, another try follows")
		return
	}
	refused := 0
	for name, one := range next {
		one.verdict = verdicts[name]
		if len(one.errs) > 0 || one.verdict.Conflict != nil {
			refused++
		}
		switch {
		case o.known[name] == known[name]:
		case len(one.errs) > 0:
			log.Info("Katalog object is not accepted", "katalog", name, "problems", one.errs)
		case one.verdict.Conflict != nil:
			log.Info("Katalog object is not accepted", "katalog", name, "problems", one.verdict.Conflict.Error())
		default:
			log.Info("Katalog object is accepted", "katalog", name, "generation", one.generation)
		}
	}
	o.seen, o.known = next, known
	if o.Taken != nil {
		o.Taken(len(next)-refused, refused)
	}
}
