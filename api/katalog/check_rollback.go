package katalog

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func (c *checker) rollback(box *orkv1.OperatorBox, path *field.Path) {
	at := path.Child("rollback")
	switch {
	case box.Rollback == nil && !box.RollBackOnError:
		return
	case box.Rollback == nil:
		at = path.Child("rollBackOnError")
	case box.RollBackOnError:
		c.errorf(path.Child("rollBackOnError"), "rollback says the same, and more; keep one of the two")
	}
	if r := box.Rollback; r != nil {
		c.rollbackTrigger(r.Trigger, at.Child("trigger"))
		if r.OnRollback != nil {
			c.onRollback(r.OnRollback, at.Child("onRollback"))
			return
		}
	}
	if !keeps(box.OnReconcile, true) && !keeps(box.OnCreate, false) {
		c.warnf(at, "has no effect, for no child is kept as declared")
	}
}

func (c *checker) rollbackTrigger(t *orkv1.RollbackTrigger, path *field.Path) {
	if t == nil {
		return
	}
	if t.ConsecutiveFailures != nil && *t.ConsecutiveFailures < 1 {
		c.errorf(path.Child("consecutiveFailures"), "must be at least 1, got %d", *t.ConsecutiveFailures)
	}
	c.positive(t.WithinDuration, path.Child("withinDuration"))
	if t.WithinDuration != nil && t.ConsecutiveFailures != nil && *t.ConsecutiveFailures == 1 {
		c.warnf(path.Child("withinDuration"), "has no effect, for one failure takes no time")
	}
}

func (c *checker) onRollback(block *orkv1.Block, path *field.Path) {
	c.block(block, blockReconcile, path)
	if !hasChild(block, func(any, *orkv1.EntryPolicy) bool { return true }) {
		c.errorf(path, "lists no child; list what is applied in place of the children of the box, or remove it to have those made of the previous spec")
	}
}

// keeps tells whether a child of the block is kept as declared. All says that they are, but for jobs.
func keeps(block *orkv1.Block, all bool) bool {
	return hasChild(block, func(child any, policy *orkv1.EntryPolicy) bool {
		_, isJob := child.(*orkv1.Job)
		return !isJob && (all || policy.Reconcile)
	})
}

// hasChild tells whether the block, or a group of it, has a child of which holds is true.
func hasChild(block *orkv1.Block, holds func(child any, policy *orkv1.EntryPolicy) bool) bool {
	if block == nil {
		return false
	}
	v := reflect.ValueOf(block).Elem()
	for _, f := range infoOf(v.Type()).fields {
		list := v.FieldByIndex(f.index)
		if list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.Struct {
			continue
		}
		for i := range list.Len() {
			policy := part[orkv1.EntryPolicy](list.Index(i))
			if policy != nil && holds(list.Index(i).Addr().Interface(), policy) {
				return true
			}
		}
	}
	for i := range block.Groups {
		if hasChild(&block.Groups[i], holds) {
			return true
		}
	}
	return false
}
