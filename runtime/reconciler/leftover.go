package reconciler

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// deleteLeftover deletes what garbage collection does not of a resource that is gone without having waited for its cleanup: the API
// server loses a finalizer that is added in the moment of a deletion. One that is only not selected any more keeps its children.
func (d *Declarative) deleteLeftover(ctx context.Context, w work.Work) (apply.ChangeSet, error) {
	if w.Item.Namespace == "" || w.Set.StripFinalizers || d.Applier == nil {
		return nil, nil
	}
	owner := controllers.Owner{GVK: w.Set.GVK, Namespace: w.Item.Namespace, Name: w.Item.Name, Target: w.Box.Target}
	kinds := d.kindsOf(w.Box)
	owners := d.surfaces(owner, w.Set, kinds)
	left, err := ofEach(owners, func(owner controllers.Owner) ([]apply.Child, error) { return d.Applier.Uncollected(owner, kinds) })
	if err != nil {
		return nil, err
	}
	doubtful, err := ofEach(owners, func(owner controllers.Owner) ([]apply.Child, error) { return d.Applier.Doubtful(ctx, owner) })
	if err != nil {
		return nil, err
	}
	if left = append(left, doubtful...); len(left) == 0 {
		return nil, nil
	}
	_, err = d.Client.Resource(d.Resource.GroupVersionResource).Namespace(owner.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	switch {
	case err == nil:
		return nil, nil
	case !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("look whether the resource is gone: %w", err)
	}
	return d.Applier.Delete(ctx, left)
}
