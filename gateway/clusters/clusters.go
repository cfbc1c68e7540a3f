package clusters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const (
	// Timeout is how long a request to another cluster may take.
	Timeout = 20 * time.Second
	// reread is how old a credential may be before it is read again.
	reread = 10 * time.Second
)

// Options of New.
type Options struct {
	// Clusters by name.
	Clusters map[string]orkv1.Cluster
	// Secret reads one that holds a credential.
	Secret func(context.Context, types.NamespacedName) (map[string][]byte, error)
	// Namespace of Secrets that name none.
	Namespace string
	// Scheme and Mapper know the kinds that are applied: no cluster is asked what it has.
	Scheme *runtime.Scheme
	Mapper meta.RESTMapper
	// Warnings handles what an API server warns of. Nil: rest's default does.
	Warnings rest.WarningHandlerWithContext
	// Reachable is told of each cluster whenever it was tried. Nil: nobody is.
	Reachable func(cluster string, yes bool)
	// Now defaults to time.Now.
	Now func() time.Time
}

// Clusters are those that are declared. They are safe for concurrent use.
type Clusters struct {
	opts Options
	all  map[string]*remote
}

// New returns the clusters. None of them is asked anything.
func New(opts Options) *Clusters {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Reachable == nil {
		opts.Reachable = func(string, bool) {}
	}
	c := &Clusters{opts: opts, all: map[string]*remote{}}
	for name, declared := range opts.Clusters {
		c.all[name] = &remote{declared: declared}
	}
	return c
}

// Names are those of the clusters, sorted.
func (c *Clusters) Names() []string { return slices.Sorted(maps.Keys(c.all)) }

// Has tells whether there is a cluster of this name.
func (c *Clusters) Has(name string) bool { return c.all[name] != nil }

// remote is one cluster.
type remote struct {
	declared orkv1.Cluster

	mu sync.Mutex // guards the rest
	// credential is what the client was made of, and read when that was last looked at.
	credential credential
	read       time.Time
	client     client.WithWatch
}

// credential is what Secrets hold of a cluster.
type credential struct{ kubeconfig, token, ca []byte }

func (c *credential) equal(other *credential) bool {
	return bytes.Equal(c.kubeconfig, other.kubeconfig) && bytes.Equal(c.token, other.token) && bytes.Equal(c.ca, other.ca)
}

// Client returns a client of a cluster, whose credential is not older than some seconds. An error names no credential.
func (c *Clusters) Client(ctx context.Context, name string) (client.WithWatch, error) {
	r := c.all[name]
	if r == nil {
		return nil, fmt.Errorf("there is no cluster %s", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := c.opts.Now()
	if r.client != nil && now.Sub(r.read) < reread {
		return r.client, nil
	}
	found, err := c.credentialOf(ctx, &r.declared)
	if err != nil {
		if r.client != nil && ctx.Err() == nil { // the Secret is away for a moment, and what it said may be as good as before
			return r.client, nil
		}
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	if r.client != nil && found.equal(&r.credential) {
		r.read = now
		return r.client, nil
	}
	made, err := c.connect(&r.declared, found)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	r.client, r.credential, r.read = made, *found, now
	return made, nil
}

func (c *Clusters) credentialOf(ctx context.Context, declared *orkv1.Cluster) (*credential, error) {
	found := &credential{}
	for _, one := range []struct {
		ref  *orkv1.SecretKey
		into *[]byte
	}{{declared.SecretRef, &found.kubeconfig}, {declared.TokenRef, &found.token}, {declared.CARef, &found.ca}} {
		if one.ref == nil {
			continue
		}
		name := types.NamespacedName{Namespace: one.ref.Namespace, Name: one.ref.Name}
		if name.Namespace == "" {
			name.Namespace = c.opts.Namespace
		}
		data, err := c.opts.Secret(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read its credential: %w", err)
		}
		value := bytes.TrimSpace(data[one.ref.Key])
		if len(value) == 0 {
			return nil, fmt.Errorf("the Secret %s has no %s", name, one.ref.Key)
		}
		*one.into = value
	}
	return found, nil
}

func (c *Clusters) connect(declared *orkv1.Cluster, found *credential) (client.WithWatch, error) {
	config, err := configOf(declared, found)
	if err != nil {
		return nil, err
	}
	config.Timeout, config.QPS, config.UserAgent, config.WarningHandlerWithContext = Timeout, -1, "orkestra-gateway", c.opts.Warnings
	made, err := client.NewWithWatch(config, client.Options{Scheme: c.opts.Scheme, Mapper: c.opts.Mapper})
	if err != nil {
		return nil, errors.New("its credential is not valid")
	}
	return made, nil
}
