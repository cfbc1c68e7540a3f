package katalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// maxWorkers bounds the workers of one CRD.
const maxWorkers = 50

func (c *checker) box(box *orkv1.OperatorBox, path *field.Path) {
	c.reconciler(box.Reconciler, path.Child("reconciler"))
	c.finalizers(box.Finalizers, path.Child("finalizers"))
	c.block(box.OnCreate, blockCreate, path.Child("onCreate"))
	c.block(box.OnReconcile, blockReconcile, path.Child("onReconcile"))
	c.onDelete(box.OnDelete, path.Child("onDelete"))
	c.status(box.Status, path.Child("status"))
	c.preReconcile(box.PreReconcile, path.Child("preReconcile"))
	c.observe(box.Observe, path.Child("observe"))
	c.cross(box.Cross, path.Child("cross"))
	c.operatorAutoscale(box.Autoscale, path.Child("autoscale"))
	c.rollback(box, path)
	c.providers(box.Providers, path.Child("providers"))
	if r := box.Reconciler; r != nil && r.Default != nil && !*r.Default && (box.OnCreate != nil || box.OnReconcile != nil || box.Providers != nil) {
		c.warnf(path.Child("reconciler", "default"), "false ignores onCreate, onReconcile and providers")
	}
}

func (c *checker) reconciler(r *orkv1.Reconciler, path *field.Path) {
	if r == nil {
		return
	}
	if r.Workers != nil && (*r.Workers < 1 || *r.Workers > maxWorkers) {
		c.errorf(path.Child("workers"), "must be from 1 to %d, got %d", maxWorkers, *r.Workers)
	}
	if r.Resync != nil && r.Resync.Duration < 0 {
		c.errorf(path.Child("resync"), "must not be negative, got %s", r.Resync)
	}
	if r.Default != nil && !*r.Default && r.Constructor == nil && r.Remote == nil {
		c.errorf(path.Child("default"), "false needs a constructor or a remote reconciler")
	}
	if r.Constructor != nil && r.Remote != nil {
		c.errorf(path.Child("remote"), "constructor and remote exclude each other; keep one")
	}
	if r.Default != nil && *r.Default && (r.Constructor != nil || r.Remote != nil) {
		c.errorf(path.Child("default"), "a constructor or remote reconciler needs default: false")
	}
	if r.Default != nil && !*r.Default && r.Hooks != nil {
		c.warnf(path.Child("default"), "false ignores hooks")
	}
	if r.Hooks != nil {
		c.external(r.Hooks.External, path.Child("hooks", "external"))
	}
	if r.Remote != nil {
		c.callAuth(r.Remote.Auth, path.Child("remote", "auth"))
		c.positive(r.Remote.Timeout, path.Child("remote", "timeout"))
	}
	c.queue(r.Queue, path.Child("queue"))
	for i := range r.Requeue {
		c.staticDuration(r.Requeue[i].After, path.Child("requeue").Index(i).Child("after"))
		if i > 0 && isUnconditional(&r.Requeue[i-1].Conditions) {
			c.errorf(path.Child("requeue").Index(i), "is never reached, for the element before it has no conditions")
		}
	}
}

// staticDuration checks a template that holds none.
func (c *checker) staticDuration(text orkv1.Template, path *field.Path) {
	if text == "" || !isStatic(text) {
		return
	}
	if d, err := orkv1.ParseDuration(string(text)); err != nil {
		c.errorf(path, "%v", err)
	} else if d.Duration < 0 {
		c.errorf(path, "must not be negative, got %s", d)
	}
}

func isUnconditional(conditions *orkv1.Conditions) bool {
	return len(conditions.When) == 0 && len(conditions.Or) == 0
}

func (c *checker) queue(q *orkv1.Queue, path *field.Path) {
	if q == nil {
		return
	}
	if q.MaxDepth < 0 {
		c.errorf(path.Child("maxDepth"), "must not be negative, got %d; 0 is no limit", q.MaxDepth)
	}
	if q.FailureThreshold != nil && *q.FailureThreshold < 0 {
		c.errorf(path.Child("failureThreshold"), "must not be negative, got %d", *q.FailureThreshold)
	}
	c.retryBackoff(q.RetryBackoff, path.Child("retryBackoff"))
	if b := q.Behaviour; b != nil {
		c.behaviour(b, q.MaxDepth, path.Child("behaviour"))
	}
}

func (c *checker) behaviour(b *orkv1.QueueBehaviour, maxDepth int32, path *field.Path) {
	if maxDepth == 0 {
		c.errorf(path, "needs maxDepth, for it measures against it")
	}
	if l := b.OnLimit; l != nil && !l.Drop && isUnconditional(&l.Conditions) {
		c.warnf(path.Child("onLimit"), "has no effect without drop: true or conditions")
	}
	if t := b.OnThreshold; t != nil {
		if t.Value < 1 || t.Value > 100 {
			c.errorf(path.Child("onThreshold", "value"), "must be a percentage from 1 to 100, got %d", t.Value)
		}
		if t.Drop != nil && !*t.Drop {
			c.warnf(path.Child("onThreshold", "drop"), "a threshold always drops; false has no effect")
		}
	}
}

func (c *checker) retryBackoff(b *orkv1.RetryBackoff, path *field.Path) {
	if b == nil {
		return
	}
	c.positive(&b.Initial, path.Child("initial"))
	if b.Max != nil && b.Max.Duration < b.Initial.Duration {
		c.errorf(path.Child("max"), "must not be shorter than initial (%s), got %s", b.Initial, b.Max)
	}
	if b.MaxAttempts != nil && *b.MaxAttempts < 1 {
		c.errorf(path.Child("maxAttempts"), "must be at least 1, got %d", *b.MaxAttempts)
	}
	if b.Multiplier != "" && isStatic(b.Multiplier) {
		if m, err := strconv.ParseFloat(string(b.Multiplier), 64); err != nil || m < 1 {
			c.errorf(path.Child("multiplier"), "must be a number of at least 1, got %s", quote(string(b.Multiplier)))
		}
	}
}

// statusTypes are the types of a status field. The longer names are older.
var statusTypes = []string{"string", "int", "float", "bool", "auto", "str", "integer", "boolean"}

func (c *checker) status(status *orkv1.Status, path *field.Path) {
	if status == nil {
		return
	}
	for i := range status.Fields {
		f, at := &status.Fields[i], path.Child("fields").Index(i)
		c.dotPath(f.Path, at.Child("path"))
		if first, _, _ := strings.Cut(f.Path, "."); first == "status" {
			c.errorf(at.Child("path"), "is below status already; remove the leading status")
		} else if first == "conditions" || first == "observedGeneration" {
			c.errorf(at.Child("path"), "%s is written automatically; choose another path", first)
		}
		if f.Type != "" && !slices.Contains(statusTypes, f.Type) {
			c.invalidf(at.Child("type"), statusTypes[:5], "unknown value %s", quote(f.Type))
		}
		if f.ClearOnFalse && isUnconditional(&f.Conditions) {
			c.warnf(at.Child("clearOnFalse"), "has no effect without conditions")
		}
	}
}

// pathStep is one part of a dot path.
var pathStep = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9_]*$`)

// dotPath checks a path that is not empty.
func (c *checker) dotPath(path string, at *field.Path) {
	if path == "" {
		return
	}
	for step := range strings.SplitSeq(path, ".") {
		if !pathStep.MatchString(step) {
			c.errorf(at, "want a dot path such as spec.replicas, got %s", quote(path))
			return
		}
	}
}
