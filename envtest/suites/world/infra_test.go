package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// secrets are the Secrets of a namespace called apps, for providers that are tested without a cluster.
type secrets struct {
	mu   sync.Mutex // guards data
	data map[string]map[string][]byte
}

func (s *secrets) set(name, key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data == nil {
		s.data = map[string]map[string][]byte{}
	}
	if s.data[name] == nil {
		s.data[name] = map[string][]byte{}
	}
	s.data[name][key] = []byte(value)
}

func (s *secrets) GetSecret(_ context.Context, namespace, name string) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.data[name]
	if namespace != "apps" || !ok {
		return nil, fmt.Errorf("there is no Secret %s/%s", namespace, name)
	}
	return data, nil
}

func (s *secrets) GetConfigMap(context.Context, string, string) (map[string]string, error) {
	return nil, errors.New("there is none")
}

// declare is one declaration: a kind, and fields as key, value, key, value.
func declare(kind string, fields ...string) providers.Declaration {
	d := providers.Declaration{Kind: kind, Fields: map[string]string{}}
	for i := 0; i < len(fields); i += 2 {
		d.Fields[fields[i]] = fields[i+1]
	}
	return d
}

// asker asks a provider on behalf of resources.
type asker struct {
	t        *testing.T
	provider providers.Provider
	auth     map[string]string
	secrets  *secrets
}

func (a *asker) request(owner string, all []providers.Declaration) providers.Request {
	return providers.Request{
		Object: map[string]any{}, Declarations: all, Kube: a.secrets, Log: logr.Discard(),
		Owner: "App.example.com/apps/" + owner, OwnerName: owner, OwnerNamespace: "apps", Auth: a.auth,
	}
}

func (a *asker) reconcile(owner string, all ...providers.Declaration) error {
	return a.provider.Reconcile(a.t.Context(), providers.ReconcileRequest{Request: a.request(owner, all)})
}

func (a *asker) remove(owner string, all ...providers.Declaration) error {
	return a.provider.Delete(a.t.Context(), providers.DeleteRequest{Request: a.request(owner, all)})
}

func (a *asker) mustReconcile(owner string, all ...providers.Declaration) {
	a.t.Helper()
	if err := a.reconcile(owner, all...); err != nil {
		a.t.Fatalf("Reconcile for %s: %v", owner, err)
	}
}

func (a *asker) mustRemove(owner string, all ...providers.Declaration) {
	a.t.Helper()
	if err := a.remove(owner, all...); err != nil {
		a.t.Fatalf("Delete for %s: %v", owner, err)
	}
}

// in is the asker for a test of its own.
func (a *asker) in(t *testing.T) *asker {
	with := *a
	with.t = t
	return &with
}

// says fails unless an error says each of the texts.
func says(t *testing.T, reason string, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: want an error", reason)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: want %q in the error, got: %v", reason, text, err)
		}
	}
}

// keepsSecret fails if an error, or anything that can be had from it, has one of the texts.
func keepsSecret(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if shown := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(shown, text) {
			t.Errorf("the error tells %q: %s", text, shown)
		}
	}
}

// permanent fails unless an error is a mistake in a declaration.
func permanent(t *testing.T, reason string, err error, texts ...string) {
	t.Helper()
	says(t, reason, err, texts...)
	if _, ok := errors.AsType[*providers.FieldError](err); err != nil && !ok {
		t.Errorf("%s: want a FieldError, got a %T: %v", reason, err, err)
	}
}

// foreign fails unless an error is about what is not the owner's.
func foreign(t *testing.T, reason string, err error, texts ...string) {
	t.Helper()
	says(t, reason, err, texts...)
	if _, ok := errors.AsType[*declared.OwnerError](err); err != nil && !ok {
		t.Errorf("%s: want an OwnerError, got a %T: %v", reason, err, err)
	}
}

// within fails if something takes longer than it may.
func within(t *testing.T, most time.Duration, f func() error) error {
	t.Helper()
	start := time.Now()
	err := f()
	if took := time.Since(start); took > most {
		t.Errorf("want an answer within %s, it took %s: %v", most, took, err)
	}
	return err
}
