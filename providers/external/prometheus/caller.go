package prometheus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Caller makes calls of the protocol prometheus. It is safe for concurrent use, and keeps connections.
type Caller struct{ http *external.HTTP }

var _ external.Caller = (*Caller)(nil)

// New returns a Caller that connects with a Dialer. Nil is the one without exceptions.
func New(dialer *reach.Dialer) *Caller { return &Caller{http: external.NewHTTP(dialer)} }

// Close closes the connections that nobody uses.
func (c *Caller) Close() { c.http.Close() }

// path is that of instant queries.
const path = "/api/v1/query"

// Call makes one try. The result is the value of the first series as Prometheus writes it, raw has all series.
func (c *Caller) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	if strings.TrimSpace(r.Query) == "" {
		return external.Answer{}, &external.RequestError{Problem: "the query is empty"}
	}
	asked, err := instant(r)
	if err != nil {
		return external.Answer{}, err
	}
	answer, err := c.http.Call(ctx, asked)
	given := answer.Fields
	answer.Fields = nil
	if err != nil {
		return answer, refined(&r, given, err)
	}
	data, ok := given["data"].(map[string]any)
	if !ok || given["status"] != "success" {
		return answer, errors.New("the answer is not one of Prometheus: is the url that of its root?")
	}
	answer.Fields = map[string]any{"result": first(data), "raw": data}
	return answer, nil
}

// instant is the request of a query. The query stands in the URL, for whoever may only read may not POST.
func instant(r external.Request) (external.Request, error) {
	target, err := r.Target("http", "https")
	if err != nil {
		return r, err
	}
	if target.RawQuery != "" {
		return r, &external.RequestError{Problem: "the url has a query of its own: want that of the server's root, and the expression as query"}
	}
	if !strings.HasSuffix(target.Path, path) {
		target = target.JoinPath(path)
	}
	target.RawQuery = url.Values{"query": {r.Query}}.Encode()
	r.URL, r.Method, r.Body, r.ExpectedStatus = target.String(), http.MethodGet, "", 0
	return r, nil
}

// refined tells what the server says of a query that it does not take.
func refined(r *external.Request, given map[string]any, err error) error {
	status, ok := errors.AsType[*external.StatusError](err)
	text, told := given["error"].(string)
	if !ok || !told || status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden {
		return err
	}
	return &external.ServerError{Text: fmt.Sprintf("status %d: %s", status.Code, r.Say(text))}
}

// first is the value of the first series, empty where there is none.
func first(data map[string]any) any {
	list, _ := data["result"].([]any)
	if kind := data["resultType"]; kind == "scalar" || kind == "string" {
		return second(list)
	}
	if len(list) == 0 {
		return ""
	}
	series, _ := list[0].(map[string]any)
	if pair, ok := series["value"].([]any); ok {
		return second(pair)
	}
	pairs, _ := series["values"].([]any) // of a range
	if len(pairs) == 0 {
		return ""
	}
	last, _ := pairs[len(pairs)-1].([]any)
	return second(last)
}

// second is the value of a pair of a time and a value.
func second(pair []any) any {
	if len(pair) == 2 {
		return pair[1]
	}
	return ""
}
