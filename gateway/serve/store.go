package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
)

// races is how often a resource is looked at that somebody changes at the same time.
const races = 5

// store applies the resource somewhere, if the caller may and it is not another surface's. What is changed is what was looked at.
func (a *API) store(ctx context.Context, c *call, s *Surface, out *translated, want wishes, where somewhere) (*answer, error) {
	for try := 1; ; try++ {
		answered, err := a.storeOnce(ctx, c, s, out, want, where, try == races)
		if !raced(err) || try == races {
			return answered, err
		}
	}
}

// raced tells whether somebody else changed, made or deleted the resource after it was looked at. Fields that somebody else holds are another conflict. What
// is there already can't be changed in the version 0.
func raced(err error) bool {
	status, ok := statusOf(err)
	if !ok {
		return false
	}
	causes := &metav1.StatusDetails{}
	if status.Details != nil {
		causes = status.Details
	}
	switch status.Reason { //nolint:exhaustive // no other is one
	case metav1.StatusReasonConflict:
		return !slices.ContainsFunc(causes.Causes, func(cause metav1.StatusCause) bool { return cause.Type == metav1.CauseTypeFieldManagerConflict })
	case metav1.StatusReasonInvalid:
		return slices.ContainsFunc(causes.Causes, func(cause metav1.StatusCause) bool { return cause.Field == "metadata.resourceVersion" })
	}
	return false
}

// storeOnce tries once. That somebody else was faster is an error, but at the last time an answer.
func (a *API) storeOnce(ctx context.Context, c *call, s *Surface, out *translated, want wishes, where somewhere, last bool) (*answer, error) {
	object := out.object.DeepCopy()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(s.CRD.GVK)
	err := where.Get(ctx, client.ObjectKeyFromObject(object), found)
	absent := apierrors.IsNotFound(err)
	if err != nil && !absent {
		return nil, where.failed(err)
	}
	operation, status := orkv1.ServeOperation("update"), http.StatusOK
	if absent {
		operation, status = "create", http.StatusCreated
		object.SetResourceVersion("0") // which nothing that is there has
	}
	if err := s.allows(c.caller.Name, onResources, operation, object.GetNamespace()); err != nil {
		return nil, err
	}
	if !absent {
		if err := a.moves(c, s, found, want); err != nil {
			return nil, err
		}
		object.SetResourceVersion(found.GetResourceVersion())
	}
	response := applied{
		DryRun: want.dryRun, Name: object.GetName(), Namespace: object.GetNamespace(), Kind: s.CRD.GVK.Kind,
		APIVersion: s.CRD.GVK.GroupVersion().String(), Warnings: slices.Clone(out.warnings),
	}
	stored, warned, err := where.write(ctx, object, want)
	response.Warnings = append(response.Warnings, warned...)
	switch {
	case raced(err) && !last:
		return nil, err
	case err != nil:
		return denied(response, s.CRD.censor(object), where.failed(err))
	}
	response.Accepted, response.PollURL, response.Payload = true, s.response.pollURL(s, stored, where.name), s.response.payloadOf(stored)
	return &answer{status: status, body: response}, nil
}

// moves tells whether a resource of another surface may come here.
func (a *API) moves(c *call, s *Surface, found *unstructured.Unstructured, want wishes) error {
	at := roots.Target(found)
	if at == "" || at == s.Name {
		return nil
	}
	stored := a.surfaces[at]
	switch {
	case !want.override:
		return &apiError{status: http.StatusConflict, short: "conflict", detail: fmt.Sprintf("it is of target %s: move it with override=true", at)}
	case stored != nil && !stored.Moves:
		return badRequest("target %s does not let its resources be moved", at)
	case stored != nil:
		// Who takes a resource away from a target changes one of it.
		if err := stored.allows(c.caller.Name, onResources, "update", found.GetNamespace()); err != nil {
			return err
		}
	}
	logf.FromContext(c.Context()).Info("a resource is moved to another target", "id", c.id, "namespace", found.GetNamespace(), "name", found.GetName(), "from", at, "to", s.Name)
	return nil
}

// write applies the resource, and returns what the API server warns of.
func (w somewhere) write(ctx context.Context, object *unstructured.Unstructured, want wishes) (*unstructured.Unstructured, []string, error) {
	opts := []client.ApplyOption{client.FieldOwner(FieldManager)}
	if want.overwrite {
		opts = append(opts, client.ForceOwnership)
	}
	if want.dryRun {
		opts = append(opts, client.DryRunAll)
	}
	var warned warnings
	stored := object.DeepCopy()
	ctx = withWarnings(ctx, &warned)
	if err := w.Apply(ctx, client.ApplyConfigurationFromUnstructured(stored), opts...); err != nil {
		return stored, warned.all(), err //nolint:wrapcheck // the API server's
	}
	stale := protection.Stale(object.GetAnnotations(), stored.GetAnnotations())
	if len(stale) == 0 || want.dryRun {
		return stored, warned.all(), nil
	}
	// Somebody else who wrote them has them stay, and they would tell of another delivery.
	gone := map[string]any{}
	for _, key := range stale {
		gone[key] = nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": gone}})
	if err != nil { // of texts, which cannot be
		return stored, warned.all(), fmt.Errorf("write a patch: %w", err)
	}
	err = w.Patch(ctx, stored, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(FieldManager))
	return stored, warned.all(), err //nolint:wrapcheck // the API server's
}

// FieldManager is that of the gateway.
const FieldManager = "orkestra-gateway"

// denied is the answer to what the API server does not store.
func denied(response applied, to censor, err error) (*answer, error) {
	status, ok := statusOf(err)
	if !ok {
		return nil, err
	}
	code, _ := codeOf(status.Reason)
	response.Message = to.text(status.Message)
	if untyped := untypedBy(status.Message); len(untyped) > 0 {
		code = http.StatusUnprocessableEntity
		for _, one := range untyped {
			one.Message = to.field(one.Field, one.Message)
			response.Violations = append(response.Violations, one)
		}
	} else if details := status.Details; details != nil {
		for _, one := range details.Causes {
			said := one.Message
			if one.Type != metav1.CauseTypeFieldManagerConflict { // which names who holds the field, and no value
				said = to.field(one.Field, said)
			}
			response.Violations = append(response.Violations, violation{Field: strings.TrimPrefix(one.Field, "."), Message: to.text(said), Severity: severityOf(one.Type)})
		}
	}
	if len(response.Violations) > 0 {
		response.Message = response.Violations[0].Message
	}
	return &answer{status: code, body: response}, nil
}

// untyped is what the API server says of a field that does not fit the schema, when it applies: with the name of a type of Go for what was sent.
var untyped = regexp.MustCompile(`(?m)(?:^|\s)\.([^\s:]+): (field not declared in schema|expected [^,\n]+)`)

// untypedBy are the fields that don't fit the schema. The API server has no other status for that than that of a failure of its own.
func untypedBy(message string) []violation {
	_, list, found := strings.Cut(message, "failed to create typed patch object (")
	if !found {
		return nil
	}
	var all []violation
	for _, one := range untyped.FindAllStringSubmatch(list, -1) {
		what := one[2]
		if what == "field not declared in schema" {
			what = "is not declared in the schema"
		}
		all = append(all, violation{Field: one[1], Message: one[1] + ": " + what, Severity: severityError})
	}
	return all
}
