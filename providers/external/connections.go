package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers/pool"
)

// Connections keep a client of one protocol for each server, credential and size of a pool. It is safe for concurrent use. The zero value
// is not ready; see NewConnections.
type Connections[T any] struct {
	open    func(*Request) (T, error)
	clients *pool.Pool[string, T]
}

// NewConnections returns Connections that open clients, which must not wait for the server, and shut them.
func NewConnections[T any](open func(*Request) (T, error), shut func(T)) *Connections[T] {
	return &Connections[T]{open: open, clients: pool.New[string](shut)}
}

// Close shuts what nobody uses, and lets nobody else use the rest.
func (c *Connections[T]) Close() { c.clients.Close() }

// Use has a call made by the client of its server. When it fails at a client that was there before, for another reason than what the
// server says, the connections of that may be dead: the call is made once more by a new one. So it must be one that reads.
func (c *Connections[T]) Use(ctx context.Context, r *Request, do func(T) (Answer, error)) (Answer, error) {
	for again := false; ; again = true {
		one, fresh, err := c.clients.Take(r.server(), func(string) (T, error) { return c.open(r) })
		if err != nil {
			return Answer{}, err //nolint:wrapcheck // open's
		}
		answer, err := contained(one.Value(), do)
		lost := err != nil && suspicious(ctx, err)
		if lost {
			c.clients.Drop(one)
		}
		c.clients.Give(one)
		if !lost || fresh || again {
			return answer, err
		}
	}
}

// suspicious tells whether an error may come from a connection that was there before. When the time is over, clients end theirs themselves.
func suspicious(ctx context.Context, err error) bool {
	if said(err) != nil || ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	operation, ok := errors.AsType[*net.OpError](err)
	return !ok || operation.Op != "dial"
}

// contained turns a panic of a client, which an answer that is none may bring about, into an error.
func contained[T any](client T, do func(T) (Answer, error)) (answer Answer, err error) {
	defer func() {
		if recover() != nil {
			answer, err = Answer{}, errors.New("the answer makes no sense")
		}
	}()
	return do(client)
}

// Size of the pool of connections.
func (r *Request) Size() int {
	if r.PoolSize > 0 {
		return r.PoolSize
	}
	return DefaultPoolSize
}

// server is the same for requests that may share connections. Of the credential it has no more than a hash.
func (r *Request) server() string {
	hash := sha256.New()
	target := strings.TrimSpace(r.URL)
	fmt.Fprintf(hash, "%d:%s%d:%s%d:%t", len(target), target, len(r.credential), r.credential, r.Size(), r.Auth != nil)
	return hex.EncodeToString(hash.Sum(nil))
}
