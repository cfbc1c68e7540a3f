package katalog

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// createdOnce reports what a declaration asks for that its child, which is made once and never changed, can't have.
func (c *checker) createdOnce(child any, p *orkv1.EntryPolicy, role blockRole, path *field.Path) {
	_, isJob := child.(*orkv1.Job)
	var asked map[string]bool
	switch recreates := p.OnImmutable == orkv1.ImmutableRecreate; {
	case isJob && recreates:
		c.errorf(path.Child("onImmutable"), "a job of this list is created once and never changed; a Job in custom can be recreated")
		return
	case role != blockCreate || p.Reconcile:
		return
	default:
		asked = map[string]bool{"onImmutable": recreates, "autoscale": autoscaleOf(child) != nil}
	}
	for key, is := range asked {
		if is {
			c.errorf(path.Child(key), "has no effect on what is created once; declare it in onReconcile, or set reconcile: true")
		}
	}
}

// autoscaleOf is the autoscaler of a workload, nil for any other child.
func autoscaleOf(child any) *orkv1.WorkloadAutoscale {
	switch typed := child.(type) {
	case *orkv1.Deployment:
		return typed.Autoscale
	case *orkv1.StatefulSet:
		return typed.Autoscale
	case *orkv1.ReplicaSet:
		return typed.Autoscale
	}
	return nil
}
