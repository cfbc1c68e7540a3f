package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// answers is ready for a server that says 200 at an address.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error { return getJSON(ctx, url, nil) }
}

// getJSON reads a JSON answer with status 200 into a value, unless that is nil.
func getJSON(ctx context.Context, url string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", url, answer.StatusCode)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
