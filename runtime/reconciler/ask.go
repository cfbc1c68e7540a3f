package reconciler

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers"
)

// DefaultProviderTimeout is how long one call of a provider may take.
const DefaultProviderTimeout = time.Minute

// providerGrace is how long a provider whose time is over has to say so itself.
const providerGrace = time.Second

// Asked is one call of a provider, as far as it is about one kind of declaration.
type Asked struct {
	Provider, Kind string
	// Deletes tells that it was Delete, and not Reconcile.
	Deletes bool
	Took    time.Duration
	// Failed tells that it ended with an error which is, or may be, about the kind.
	Failed bool
}

// question is what a provider is asked for.
type question struct {
	by       providers.Provider
	declared []providers.Declaration
	// children are as templates see them.
	children map[string]any
	deletes  bool
}

// kinds are those of the declarations, each once.
func (q *question) kinds() []string {
	var kinds []string
	for _, one := range q.declared {
		if !slices.Contains(kinds, one.Kind) {
			kinds = append(kinds, one.Kind)
		}
	}
	return kinds
}

// String is the question for people.
func (q *question) String() string {
	verb := "bring about"
	if q.deletes {
		verb = "delete"
	}
	return "provider " + q.by.Name() + " is to " + verb + " " + strings.Join(q.kinds(), ", ")
}

// ask has a provider do one thing, in bounded time, and contains its panics. Credentials are taken out of its errors.
func (d *Declarative) ask(ctx context.Context, s *scope, q question) error {
	s.steps = append(s.steps, q.String())
	log := logf.FromContext(ctx).WithValues("provider", q.by.Name())
	reader := &notingReader{reader: s.Set.Tenant(d.Kube, q.by.Name(), s.owner.Namespace, q.declared)}
	r := providers.Request{
		Object: s.effectiveCopy().Object, Declarations: q.declared, Kube: reader, Log: log, Auth: d.ProviderAuth[q.by.Name()],
		Owner: s.owner.Annotation(), OwnerName: s.owner.Name, OwnerNamespace: s.owner.Namespace,
	}
	r.Object[childrenRoot] = q.children
	hide := func(text string) string { return providers.Redact(text, append(reader.seen(), values(r.Auth)...)...) }
	start := time.Now()
	err := d.bounded(ctx, askedFor{s.Item.NamespacedName, q.by.Name()}, func(ctx context.Context) (err error) {
		defer func() {
			if recovered := recover(); recovered != nil {
				err = &panicError{value: fmt.Sprint(recovered)}
				d.Panicked()
				log.Error(errors.New(hide(err.Error())), "contained a panic of a provider", "stack", string(debug.Stack()))
			}
		}()
		if q.deletes {
			return q.by.Delete(ctx, providers.DeleteRequest{Request: r}) //nolint:wrapcheck // named below
		}
		return q.by.Reconcile(ctx, providers.ReconcileRequest{Request: r}) //nolint:wrapcheck // named below
	})
	took := time.Since(start)
	about := kindOf(err)
	for _, kind := range q.kinds() {
		d.Asked(Asked{
			Provider: q.by.Name(), Kind: kind, Deletes: q.deletes, Took: took, Failed: err != nil && (about == "" || about == kind),
		})
	}
	if err == nil {
		return nil
	}
	said := hide(err.Error())
	if about == "" {
		said = strings.Join(q.kinds(), ", ") + ": " + said
	}
	_, permanent := errors.AsType[*providers.FieldError](err)
	return &providerError{provider: q.by.Name(), said: said, err: err, permanent: permanent, deletes: q.deletes}
}

// kindOf is the kind of declaration that an error is about, empty for one that does not tell.
func kindOf(err error) string {
	if one, ok := errors.AsType[*providers.DeclarationError](err); ok {
		return one.Kind
	}
	if one, ok := errors.AsType[*providers.FieldError](err); ok {
		return one.Kind
	}
	return ""
}

func values(auth map[string]string) []string {
	all := make([]string, 0, len(auth))
	for _, value := range auth {
		all = append(all, value)
	}
	return all
}

// panicError is a panic of a provider.
type panicError struct{ value string }

func (e *panicError) Error() string { return "panic: " + e.value }

// providerError is an error of a provider, or one about it. Its text holds no credential; that of the cause may.
type providerError struct {
	provider, said string
	err            error
	// permanent tells that no further try helps before something changes.
	permanent bool
	// deletes tells that the resource is kept by it.
	deletes bool
}

func (e *providerError) Error() string {
	text := "providers: " + e.provider + ": " + e.said
	if e.deletes && e.permanent { // a condition has room for no more than this
		const remedy = "; mend it, or remove the finalizer " + orkv1.Finalizer + " by hand and leave it behind"
		text = cut(text, longestText-len(remedy)) + remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *providerError) Unwrap() error { return e.err }

// askedFor is for whom a provider does something.
type askedFor struct {
	resource types.NamespacedName
	provider string
}

// calls are those of providers that have not ended.
type calls struct {
	mu    sync.Mutex // guards under
	under map[askedFor]bool
}

func (c *calls) begin(key askedFor) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.under[key] {
		return false
	}
	if c.under == nil {
		c.under = map[askedFor]bool{}
	}
	c.under[key] = true
	return true
}

func (c *calls) end(key askedFor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.under, key)
}

// bounded makes one call. One that goes on when its time is over is left to itself, so that it holds no worker; until it ends, there is no
// other one of the same provider for the same resource.
func (d *Declarative) bounded(ctx context.Context, key askedFor, call func(context.Context) error) error {
	if !d.calling.begin(key) {
		return errors.New("the call of an earlier cycle has not ended yet")
	}
	ctx, cancel := context.WithTimeout(ctx, d.ProviderTimeout)
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		err := call(ctx)
		d.calling.end(key) // and not later: the next cycle may begin as soon as the answer is there
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(providerGrace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return fmt.Errorf("no answer, and none after its time was over (%s)", orkv1.Duration{Duration: d.ProviderTimeout})
	}
}

// notingReader reads the cluster, and notes what it read of Secrets.
type notingReader struct {
	reader providers.KubeReader

	mu      sync.Mutex // guards secrets
	secrets []string
}

var _ providers.KubeReader = (*notingReader)(nil)

// GetSecret returns the data of a Secret.
func (r *notingReader) GetSecret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	if r.reader == nil {
		return nil, errNoCluster
	}
	data, err := r.reader.GetSecret(ctx, namespace, name)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, value := range data {
		r.secrets = append(r.secrets, string(value))
	}
	return data, err //nolint:wrapcheck // names the Secret
}

// GetConfigMap returns the data of a ConfigMap.
func (r *notingReader) GetConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	if r.reader == nil {
		return nil, errNoCluster
	}
	return r.reader.GetConfigMap(ctx, namespace, name) //nolint:wrapcheck // names the ConfigMap
}

var errNoCluster = errors.New("there is no cluster to read from")

func (r *notingReader) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.secrets)
}
