package livehttp

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/nearest"
)

// Answer writes a value as JSON.
func Answer(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		Refuse(w, http.StatusInternalServerError, "InternalError", "the answer is no JSON: "+err.Error())
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

// Refuse answers an error: a text for people, and a reason for programs.
func Refuse(w http.ResponseWriter, status int, reason, message string) {
	Answer(w, status, refusal{Error: message, Reason: reason})
}

// Unknown answers that there is nothing at a path.
func Unknown(w http.ResponseWriter, r *http.Request) {
	Refuse(w, http.StatusNotFound, "NotFound", "there is nothing at "+r.URL.Path+"; begin with /katalog")
}

// UnknownCRD answers that no Katalog has a CRD of a name, and which there are.
func UnknownCRD(w http.ResponseWriter, name string, names []string) {
	said := "there is no CRD " + name
	if near := nearest.Word(name, names); near != "" {
		said += ": did you mean " + near + "?"
	} else {
		said += " (valid: " + strings.Join(names, ", ") + ")"
	}
	Refuse(w, http.StatusNotFound, "NotFound", said)
}

// OnlyReads refuses everything but GET and HEAD: the API changes nothing.
func OnlyReads(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			Refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed", "only GET and HEAD are answered")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Authorized asks for a token, and for nothing where that is empty. Hashes are compared, so that the time tells nothing of the token, nor of its length.
func Authorized(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(token)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			Refuse(w, http.StatusUnauthorized, "Unauthorized", "send the token of the live API: Authorization: Bearer <token>")
			return
		}
		next.ServeHTTP(w, r)
	})
}
