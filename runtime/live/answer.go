package live

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		refuse(w, http.StatusInternalServerError, "InternalError", "the answer is no JSON: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // who asked has gone
}

// refusal is the body of every answer that is an error.
type refusal struct {
	// Error is for people, Reason for programs.
	Error  string `json:"error"`
	Reason string `json:"reason"`
}

func refuse(w http.ResponseWriter, status int, reason, message string) {
	answer(w, status, refusal{Error: message, Reason: reason})
}

// age is how long something has been there, as kubectl writes it.
func (a *api) age(since time.Time) string {
	if since.IsZero() {
		return "unknown"
	}
	return duration.HumanDuration(a.Now().Sub(since))
}
