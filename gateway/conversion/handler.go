package conversion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// MaxBody is how much of a request is read, in bytes. The API server asks about a whole list at once.
const MaxBody = 64 << 20

// Handler answers ConversionReviews.
type Handler struct {
	// Programs finds the conversion of a kind. It is asked for each object. Nil: there is none.
	Programs func(schema.GroupKind) *Program
	// Converted is told of each object of a kind that has a conversion: what it was, how long it took, and what was wrong. Nil: nobody is.
	Converted func(from schema.GroupVersionKind, took time.Duration, err error)
	// Lost is told of each object that lost some of its spec, which preserve was to keep and which was too large for that. Nil: nobody is.
	Lost func(from schema.GroupVersionKind)
}

// ServeHTTP answers one review.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "a ConversionReview is posted", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, fmt.Sprintf("the review is larger than %d bytes", MaxBody), http.StatusRequestEntityTooLarge)
		return
	}
	review := &apiextensionsv1.ConversionReview{}
	if err == nil {
		err = json.Unmarshal(body, review)
	}
	if err != nil || review.Request == nil {
		http.Error(w, "the body is no ConversionReview with a request", http.StatusBadRequest)
		return
	}
	review.Response = h.review(review.Request)
	if review.Response.Result.Status != metav1.StatusSuccess {
		logf.FromContext(r.Context()).Info("conversion failed", "reason", review.Response.Result.Message)
	}
	review.Request = nil
	answer, err := json.Marshal(review)
	if err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // whoever asked is gone
}

// review converts all objects of a request, or none.
func (h *Handler) review(request *apiextensionsv1.ConversionRequest) *apiextensionsv1.ConversionResponse {
	response := &apiextensionsv1.ConversionResponse{UID: request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	failed := func(err error) *apiextensionsv1.ConversionResponse {
		response.ConvertedObjects = nil
		response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error(), Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity}
		return response
	}
	desired, err := schema.ParseGroupVersion(request.DesiredAPIVersion)
	if err != nil {
		return failed(fmt.Errorf("desiredAPIVersion %q: %w", request.DesiredAPIVersion, err))
	}
	response.ConvertedObjects = make([]runtime.RawExtension, 0, len(request.Objects))
	for i, raw := range request.Objects {
		object := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(raw.Raw, &object.Object); err != nil || object.Object == nil {
			return failed(fmt.Errorf("object %d is no object", i))
		}
		began := time.Now()
		converted, lost, err := h.convert(object, desired)
		if from := object.GroupVersionKind(); h.Converted != nil && h.Programs(from.GroupKind()) != nil {
			h.Converted(from, time.Since(began), err)
		}
		if lost && h.Lost != nil {
			h.Lost(object.GroupVersionKind())
		}
		if err != nil {
			return failed(fmt.Errorf("%s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err))
		}
		response.ConvertedObjects = append(response.ConvertedObjects, runtime.RawExtension{Object: converted})
	}
	return response
}

func (h *Handler) convert(object *unstructured.Unstructured, desired schema.GroupVersion) (_ *unstructured.Unstructured, lost bool, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("the conversion panics: %v", recovered)
		}
	}()
	kind := object.GroupVersionKind().GroupKind()
	program := h.Programs(kind)
	switch {
	case kind.Group != desired.Group:
		return nil, false, fmt.Errorf("it is of the group %q, and %q is asked for", kind.Group, desired.Group)
	case program == nil:
		return nil, false, errors.New("no Katalog declares a conversion of its kind")
	}
	return program.convert(object, desired.Version)
}
