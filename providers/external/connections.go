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
	"sync"
	"time"
)

// Bounds of the clients that Connections keep.
const (
	// unused is how long one is kept that nobody uses.
	unused = 5 * time.Minute
	// mostUnused is how many are kept that nobody uses.
	mostUnused = 64
)

// Connections keep a client of one protocol for each server, credential and size of a pool. It is safe for concurrent use. The zero value
// is not ready; see NewConnections.
type Connections[T any] struct {
	open func(*Request) (T, error)
	shut func(T)

	mu   sync.Mutex // guards the rest
	kept map[string]*connection[T]
}

// connection is a client with those who use it. Its fields are guarded by the Connections, but for what opening brings.
type connection[T any] struct {
	key    string
	users  int
	since  time.Time   // nobody uses it
	expiry *time.Timer // ends it then
	gone   bool        // it is kept no longer

	once   sync.Once
	client T
	err    error
}

// NewConnections returns Connections that open clients, which must not wait for the server, and shut them.
func NewConnections[T any](open func(*Request) (T, error), shut func(T)) *Connections[T] {
	return &Connections[T]{open: open, shut: shut, kept: map[string]*connection[T]{}}
}

// Use has a call made by the client of its server. When it fails at a client that was there before, for another reason than what the
// server says, the connections of that may be dead: the call is made once more by a new one. So it must be one that reads.
func (c *Connections[T]) Use(ctx context.Context, r *Request, do func(T) (Answer, error)) (Answer, error) {
	for again := false; ; again = true {
		one, fresh := c.take(r)
		one.once.Do(func() { one.client, one.err = c.open(r) })
		if one.err != nil {
			c.drop(one)
			c.release(one)
			return Answer{}, one.err
		}
		answer, err := contained(one.client, do)
		lost := err != nil && suspicious(ctx, err)
		if lost {
			c.drop(one)
		}
		c.release(one)
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

// take is the client of a request's server, with one user more. Fresh tells that it was not there before.
func (c *Connections[T]) take(r *Request) (one *connection[T], fresh bool) {
	key := r.server()
	c.mu.Lock()
	defer c.mu.Unlock()
	one, known := c.kept[key]
	if !known {
		one = &connection[T]{key: key}
		c.kept[key] = one
	}
	if one.expiry != nil {
		one.expiry.Stop()
	}
	one.users++
	return one, !known
}

// drop keeps a client no longer. Those who use it go on.
func (c *Connections[T]) drop(one *connection[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropLocked(one)
}

func (c *Connections[T]) dropLocked(one *connection[T]) {
	if !one.gone {
		one.gone = true
		delete(c.kept, one.key)
	}
}

// release ends the use of a client. The last user of one that is kept no longer shuts it.
func (c *Connections[T]) release(one *connection[T]) {
	c.mu.Lock()
	one.users--
	var over []*connection[T]
	switch {
	case one.users > 0:
	case one.gone:
		over = append(over, one)
	default:
		one.since = time.Now()
		one.expiry = time.AfterFunc(unused, func() { c.expire(one) })
		over = c.oldestLocked()
	}
	c.mu.Unlock()
	c.end(over)
}

// expire ends a client that nobody used for a long time.
func (c *Connections[T]) expire(one *connection[T]) {
	c.mu.Lock()
	over := []*connection[T]{}
	if one.users == 0 && !one.gone && time.Since(one.since) >= unused {
		c.dropLocked(one)
		over = append(over, one)
	}
	c.mu.Unlock()
	c.end(over)
}

// oldestLocked drops the client that nobody used for the longest time when there are too many.
func (c *Connections[T]) oldestLocked() []*connection[T] {
	var oldest *connection[T]
	idle := 0
	for _, one := range c.kept {
		if one.users > 0 {
			continue
		}
		idle++
		if oldest == nil || one.since.Before(oldest.since) {
			oldest = one
		}
	}
	if idle <= mostUnused {
		return nil
	}
	c.dropLocked(oldest)
	return []*connection[T]{oldest}
}

// Close shuts what nobody uses, and lets nobody else use the rest.
func (c *Connections[T]) Close() {
	c.mu.Lock()
	var over []*connection[T]
	for _, one := range c.kept {
		c.dropLocked(one)
		if one.users == 0 {
			over = append(over, one)
		}
	}
	c.mu.Unlock()
	c.end(over)
}

// end shuts clients that nobody has any more.
func (c *Connections[T]) end(over []*connection[T]) {
	for _, one := range over {
		if one.expiry != nil {
			one.expiry.Stop()
		}
		if one.err == nil {
			c.shut(one.client)
		}
	}
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
