package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/json"
)

// apiError is a failure that a caller is told of.
type apiError struct {
	status int
	// short says what it is, and detail what is wrong.
	short, detail string
}

func (e *apiError) Error() string { return e.short + ": " + e.detail }

func badRequest(format string, args ...any) error {
	return &apiError{status: http.StatusBadRequest, short: "bad request", detail: fmt.Sprintf(format, args...)}
}

// errUnauthenticated says no more to anybody than that.
var errUnauthenticated = &apiError{status: http.StatusUnauthorized, short: "unauthenticated", detail: "a valid bearer token is needed"}

// envelope is the answer to a request that failed.
type envelope struct {
	Error     string `json:"error"`
	Message   string `json:"message"`
	RequestID string `json:"requestId,omitempty"` //nolint:tagliatelle // its public name
}

// failed is the answer to a failure.
func (a *API) failed(c *call, w http.ResponseWriter, err error) *answer {
	status, short, detail := a.explain(c, err)
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		after, _ := apierrors.SuggestsClientDelay(err)
		w.Header().Set("Retry-After", strconv.Itoa(max(after, 1)))
	}
	return &answer{status: status, body: envelope{Error: short, Message: detail, RequestID: c.id}}
}

// explain tells a caller of a failure. What is nobody's business is logged, under the id that the caller is told.
func (a *API) explain(c *call, err error) (status int, short, detail string) {
	if one, ok := errors.AsType[*apiError](err); ok {
		return one.status, one.short, one.detail
	}
	if one, ok := errors.AsType[*deniedError](err); ok {
		return http.StatusForbidden, "forbidden", one.why
	}
	if one, ok := statusOf(err); ok {
		code, short := codeOf(one.Reason)
		if code == http.StatusInternalServerError { // such as that the gateway itself is not known
			logf.FromContext(c.Context()).Error(err, "a cluster failed", "id", c.id, "path", c.URL.Path)
		}
		return code, short, one.Message
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return http.StatusGatewayTimeout, "timeout", "the cluster did not answer in time"
	}
	logf.FromContext(c.Context()).Error(err, "a request failed", "id", c.id, "path", c.URL.Path)
	return http.StatusInternalServerError, "internal error", "see the gateway's log"
}

// statusOf is what the API server says of a failure.
func statusOf(err error) (metav1.Status, bool) {
	one, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return metav1.Status{}, false
	}
	return one.ErrStatus, true
}

// codeOf is the status for what the API server says.
func codeOf(reason metav1.StatusReason) (code int, short string) {
	switch reason { //nolint:exhaustive // all others are internal
	case metav1.StatusReasonNotFound:
		return http.StatusNotFound, "not found"
	case metav1.StatusReasonForbidden:
		return http.StatusForbidden, "forbidden"
	case metav1.StatusReasonConflict, metav1.StatusReasonAlreadyExists:
		return http.StatusConflict, "conflict"
	case metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest:
		return http.StatusUnprocessableEntity, "invalid"
	case metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout:
		return http.StatusGatewayTimeout, "timeout"
	case metav1.StatusReasonExpired, metav1.StatusReasonGone: // a list cannot be continued
		return http.StatusGone, "gone"
	case metav1.StatusReasonTooManyRequests:
		return http.StatusTooManyRequests, "too many requests"
	case metav1.StatusReasonServiceUnavailable:
		return http.StatusServiceUnavailable, "unavailable"
	}
	return http.StatusInternalServerError, "internal error"
}

// parse reads JSON of an object, in which numbers keep their types. A key that is there twice would be another one to who reads the first.
func parse(_ context.Context, text []byte) (map[string]any, error) {
	var out map[string]any
	twice, err := json.UnmarshalStrict(text, &out, json.DisallowDuplicateFields)
	if err != nil || out == nil {
		return nil, badRequest("the body is no JSON object")
	}
	if len(twice) > 0 {
		return nil, badRequest("the body has a key twice: %s", twice[0])
	}
	return out, nil
}
