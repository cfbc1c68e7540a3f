package informer_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

const (
	anObject  = `{"apiVersion":"test.example.com/v1","kind":"Thing","metadata":{"name":"a","resourceVersion":"1"},"spec":{"n":1,"f":1.5,"l":[null,true]}}`
	aStatus   = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"too late","code":409}`
	aSuccess  = `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	aList     = `{"apiVersion":"test.example.com/v1","kind":"ThingList","metadata":{"resourceVersion":"9"},"items":[` + anObject + `,{"metadata":{"name":"b"}}]}`
	events    = `{"type":"ADDED","object":` + anObject + `}` + "\n" + `{"type":"BOOKMARK","object":` + anObject + `}` + "\n" + `{"type":"ERROR","object":` + aStatus + `}`
	unordered = `{"spec":{"n":1},"metadata":{"name":"a"},"kind":"Thing","apiVersion":"test.example.com/v1"}`
)

// TestClientIsAsClientGo sends the same requests through the client and through client-go's own.
func TestClientIsAsClientGo(t *testing.T) {
	type api = dynamic.ResourceInterface
	get := func(c api) (any, error) { return c.Get(t.Context(), "a", metav1.GetOptions{}) }
	list := func(c api) (any, error) { return c.List(t.Context(), metav1.ListOptions{LabelSelector: "a=b"}) }
	remove := func(c api) (any, error) {
		uid := types.UID("u")
		return nil, c.Delete(t.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	}
	create := func(c api) (any, error) {
		return c.Create(t.Context(), thing("u", 1), metav1.CreateOptions{FieldManager: "m", FieldValidation: "Strict"})
	}
	update := func(c api) (any, error) {
		return c.UpdateStatus(t.Context(), thing("u", 1), metav1.UpdateOptions{FieldManager: "m"})
	}
	patch := func(c api) (any, error) {
		return c.Patch(t.Context(), "a", types.ApplyPatchType, []byte(`{"a":1}`), metav1.PatchOptions{FieldManager: "m"})
	}
	watch := func(c api) (any, error) {
		w, err := c.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		defer w.Stop()
		var seen []string
		for event := range w.ResultChan() {
			seen = append(seen, fmt.Sprintf("%s %T %v", event.Type, event.Object, event.Object))
		}
		return seen, nil
	}
	cases := map[string]struct {
		reason string
		call   func(api) (any, error)
		code   int
		kind   string
		answer string
	}{
		"Get":            {reason: "numbers keep their types", call: get, answer: anObject},
		"GetUnordered":   {reason: "the kind may come last", call: get, answer: unordered},
		"GetWithoutKind": {reason: "an object says what it is", call: get, answer: `{"metadata":{}}`},
		"GetNothing":     {reason: "an answer has a body", call: get},
		"GetText":        {reason: "no JSON", call: get, answer: "hello"},
		"GetHalf":        {reason: "an answer that was cut", call: get, answer: anObject[:50]},
		"GetStatus":      {reason: "an object of another kind is an object", call: get, answer: aStatus},
		"GetError":       {reason: "the server's own error", call: get, code: http.StatusConflict, answer: aStatus},
		"GetErrorText":   {reason: "a proxy's error", call: get, code: http.StatusBadGateway, kind: "text/html", answer: "<p>no</p>"},
		"GetErrorJSON":   {reason: "some other error", call: get, code: http.StatusBadGateway, answer: `{"a":1}`},
		"GetOtherType":   {reason: "a type that was not asked for", call: get, kind: "application/vnd.kubernetes.protobuf", answer: "k8s"},
		"List":           {reason: "elements take their kind from the list", call: list, answer: aList},
		"ListNothing":    {reason: "null is no element", call: list, answer: `{"apiVersion":"v1","kind":"PodList","items":null}`},
		"Create":         {reason: "the object is sent as it is", call: create, code: http.StatusCreated, answer: anObject},
		"Update":         {reason: "to the subresource", call: update, answer: anObject},
		"Patch":          {reason: "bytes are sent as they are", call: patch, answer: anObject},
		"Delete":         {reason: "options travel in the body", call: remove, answer: aSuccess},
		"DeleteError":    {reason: "a precondition that does not hold", call: remove, code: http.StatusConflict, answer: aStatus},
		"Watch":          {reason: "objects, bookmarks and the error that ends it", call: watch, answer: events},
		"WatchError":     {reason: "a watch that does not begin", call: watch, code: http.StatusConflict, answer: aStatus},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked = append(asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Accept")+" "+r.Header.Get("Content-Type")+" "+withoutKind(string(body)))
				kind := tc.kind
				if kind == "" {
					kind = "application/json"
				}
				w.Header().Set("Content-Type", kind)
				if tc.code != 0 {
					w.WriteHeader(tc.code)
				}
				_, _ = io.WriteString(w, tc.answer)
			}))
			defer server.Close()
			config := &rest.Config{Host: server.URL}

			theirs, err := dynamic.NewForConfigAndClient(config, server.Client())
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := tc.call(theirs.Resource(things).Namespace("shop"))
			wantAsked := asked
			asked = nil

			ours, err := informer.NewClient(config, server.Client())
			if err != nil {
				t.Fatal(err)
			}
			got, gotErr := tc.call(ours.Resource(things).Namespace("shop"))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nthe answer: -client-go, +ours:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(told(wantErr), told(gotErr)); diff != "" {
				t.Errorf("\n%s\nthe error: -client-go, +ours:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(wantAsked, asked); diff != "" {
				t.Errorf("\n%s\nthe request: -client-go, +ours:\n%s", tc.reason, diff)
			}
		})
	}
}

// told is what a caller can know of an error: all of the server's, of any other that it is one.
func told(err error) string {
	if reason := apierrors.ReasonForError(err); reason != metav1.StatusReasonUnknown {
		return fmt.Sprintf("%s: %v", reason, err)
	}
	return fmt.Sprint(err != nil)
}

// withoutKind: options name their kind in client-go's requests, and the server does not need it.
func withoutKind(body string) string {
	return strings.Replace(strings.TrimSpace(body), `"kind":"DeleteOptions","apiVersion":"v1",`, "", 1)
}
