package protection

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Provenance denies changes of the annotations that tell how a resource was delivered, by anybody but the gateway: the runtime chooses the box by
// them.
type Provenance struct{ Identities }

var _ admission.Handler = (*Provenance)(nil)

// Handle answers a request.
func (p *Provenance) Handle(_ context.Context, r admission.Request) admission.Response {
	if r.Operation != admissionv1.Create && r.Operation != admissionv1.Update || r.SubResource != "" ||
		is(&r.UserInfo, p.Gateway) || p.breaksGlass(&r.UserInfo) {
		return admission.Allowed("")
	}
	after, err := metadataOf(r.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	var before map[string]string
	if r.Operation == admissionv1.Update {
		object, err := metadataOf(r.OldObject.Raw)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		before = object.Annotations
	}
	changed := forged(before, after.Annotations)
	if len(changed) == 0 {
		return admission.Allowed("")
	}
	return forbidden(fmt.Sprintf("only the gateway changes %s: leave them as they are", strings.Join(changed, ", ")))
}

// forged are the gateway's annotations that differ, sorted.
func forged(before, after map[string]string) []string {
	differ := map[string]bool{}
	for _, all := range []map[string]string{before, after} {
		for key := range all {
			if reserved(key) && before[key] != after[key] {
				differ[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

// Strip takes away from what a caller wrote the annotations that are the gateway's and the runtime's own.
func Strip(annotations map[string]string) {
	maps.DeleteFunc(annotations, func(key, _ string) bool { return orkv1.IsOwn(key) })
}

// Stale are the annotations of how a resource was delivered that it has and was not given, sorted: somebody else who wrote them holds on to them.
func Stale(given, stored map[string]string) []string {
	var keys []string
	for key := range stored {
		if _, there := given[key]; reserved(key) && !there {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// reserved tells whether an annotation is the gateway's, in either domain.
func reserved(key string) bool {
	for _, domain := range []string{orkv1.Domain, orkv1.LegacyDomain} {
		if name, ok := strings.CutPrefix(key, domain); ok {
			return strings.HasPrefix(name, "serve-")
		}
	}
	return false
}
