package engine

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// stamp writes the state of the entry on a resource that says otherwise. A resource that says nothing is one of an entry that has
// been well: it gets a stamp only when a patch of its metadata is due anyway, so that a resource that is well costs no request.
func (e *entry) stamp(ctx context.Context, r *running, name types.NamespacedName) {
	object := r.resources.Get(name)
	if object == nil || object.GetDeletionTimestamp() != nil {
		return
	}
	stamps := e.stamps(object)
	if len(stamps) == 0 || object.GetAnnotations()[orkv1.AnnotationHealth] == "" && e.health.Snapshot().State == health.Healthy {
		return
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": stamps}})
	if err == nil {
		_, err = r.resources.Write(name, func() (*unstructured.Unstructured, error) {
			return e.engine.client.Resource(r.definition.GroupVersionResource).Namespace(name.Namespace).
				Patch(ctx, name.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
		})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		logf.FromContext(ctx).Error(err, "the state of the CRD is not written on the resource, the next cycle tries again")
	}
}

// stamps are the annotations that tell the state of the entry, nil when the resource has them, when there is nothing certain to tell,
// or when the Katalog keeps the state to itself.
func (e *entry) stamps(object *unstructured.Unstructured) map[string]string {
	snapshot := e.health.Snapshot()
	// Before the first success nothing is known: a restart must not write on every resource.
	if !e.tells() || snapshot.State != health.Healthy && snapshot.State != health.Degraded {
		return nil
	}
	var told struct {
		State health.State `json:"state"`
	}
	if text := object.GetAnnotations()[orkv1.AnnotationHealth]; text != "" && json.Unmarshal([]byte(text), &told) == nil && told.State == snapshot.State {
		return nil
	}
	sample := e.sample()
	// Figures are those of the moment in which the state changed.
	return map[string]string{
		orkv1.AnnotationHealth: fmt.Sprintf(`{"state":%q,"healthy":%t,"statusCode":%d}`, snapshot.State, snapshot.State == health.Healthy, snapshot.StatusCode()),
		orkv1.AnnotationCrossMetrics: fmt.Sprintf(`{"workers":%d,"queueDepth":%d,"errorRatePercent":%.0f}`,
			sample.Workers, sample.QueueDepth, sample.ErrorRatePercent()),
	}
}

// tells reports whether others may see the state of the entry on its resources.
func (e *entry) tells() bool {
	crd := &e.declared.crd // a copy would be one for each cycle
	if crd.CrossAccess != nil && !*crd.CrossAccess {
		return false
	}
	return live.ShowsHealth(crd)
}
