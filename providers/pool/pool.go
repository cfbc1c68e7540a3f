// Package pool keeps clients of services for as long as somebody uses them.
package pool

import (
	"sync"
	"time"
)

// idle is how long a client that nobody uses is kept.
const idle = 5 * time.Minute

// Pool keeps one client for each key, which has all that makes clients different: endpoint and credential. It is safe for concurrent use.
type Pool[K comparable, T any] struct {
	open    func(K) (T, error)
	discard func(T)

	mu      sync.Mutex // guards the rest
	clients map[K]*client[T]
}

type client[T any] struct {
	value T
	users int
	// given is how often nobody used it any more.
	given int
	// unused closes the client when nobody has used it for long enough. It is nil while somebody does.
	unused *time.Timer
}

// New returns an empty Pool. Open makes a client and must not wait for its service. Discard closes one.
func New[K comparable, T any](open func(K) (T, error), discard func(T)) *Pool[K, T] {
	return &Pool[K, T]{open: open, discard: discard, clients: map[K]*client[T]{}}
}

// Use runs f with the client of a key.
func (p *Pool[K, T]) Use(key K, f func(T) error) error {
	c, err := p.take(key)
	if err != nil {
		return err
	}
	defer p.give(key, c)
	return f(c.value)
}

func (p *Pool[K, T]) take(key K) (*client[T], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.clients[key]
	if !ok {
		value, err := p.open(key)
		if err != nil {
			return nil, err
		}
		c = &client[T]{value: value}
		p.clients[key] = c
	}
	c.users++
	if c.unused != nil {
		c.unused.Stop()
		c.unused = nil
	}
	return c, nil
}

func (p *Pool[K, T]) give(key K, c *client[T]) {
	if p.orphaned(key, c) {
		p.discard(c.value)
	}
}

// orphaned notes that one less uses a client, and tells whether the Pool was closed meanwhile, so that nobody else closes it.
func (p *Pool[K, T]) orphaned(key K, c *client[T]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.users--
	if c.users > 0 {
		return false
	}
	if p.clients[key] != c {
		return true
	}
	c.given++
	given := c.given
	c.unused = time.AfterFunc(idle, func() {
		if p.forget(key, c, given) {
			p.discard(c.value)
		}
	})
	return false
}

// forget takes a client out of the Pool, unless somebody has used it since it was given back.
func (p *Pool[K, T]) forget(key K, c *client[T], given int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.users > 0 || c.given != given || p.clients[key] != c {
		return false
	}
	delete(p.clients, key)
	return true
}

// Len is how many clients there are.
func (p *Pool[K, T]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clients)
}

// Close closes all clients; those that are in use, when they are given back. The Pool may be used again.
func (p *Pool[K, T]) Close() {
	for _, value := range p.empty() {
		p.discard(value)
	}
}

// empty takes out all clients and returns those that nobody uses.
func (p *Pool[K, T]) empty() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	var unused []T
	for key, c := range p.clients {
		delete(p.clients, key)
		if c.users > 0 {
			continue
		}
		if c.unused != nil {
			c.unused.Stop()
		}
		unused = append(unused, c.value)
	}
	return unused
}
