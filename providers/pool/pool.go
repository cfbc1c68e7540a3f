// Package pool keeps clients of services for as long as somebody uses them.
package pool

import (
	"errors"
	"sync"
	"time"
)

// Bounds of the clients that nobody uses.
const (
	// idle is how long one is kept.
	idle = 5 * time.Minute
	// mostIdle is how many are kept.
	mostIdle = 64
)

// Pool keeps one client for each key, which has all that makes clients different: endpoint and credential. It is safe for concurrent use:
// while one client is opened, those of other keys are used.
type Pool[K comparable, T any] struct {
	discard func(T)

	mu      sync.Mutex // guards the rest
	clients map[K]*Client[K, T]
}

// Client is a client with those who use it. Its fields are guarded by the Pool, but for what opening brings.
type Client[K comparable, T any] struct {
	key   K
	users int
	// since is when the last one gave it back, and expiry ends it then.
	since  time.Time
	expiry *time.Timer
	// gone tells that the Pool has it no longer: its last user closes it.
	gone bool

	once  sync.Once
	value T
	err   error
}

// Value is the client itself.
func (c *Client[K, T]) Value() T { return c.value }

// New returns an empty Pool. Discard closes a client.
func New[K comparable, T any](discard func(T)) *Pool[K, T] {
	return &Pool[K, T]{discard: discard, clients: map[K]*Client[K, T]{}}
}

// Use runs f with the client of a key, which open makes where there is none.
func (p *Pool[K, T]) Use(key K, open func(K) (T, error), f func(T) error) error {
	c, _, err := p.Take(key, open)
	if err != nil {
		return err
	}
	defer p.Give(c)
	return f(c.value)
}

// errOpen is what others have of a client whose opening panicked.
var errOpen = errors.New("the client could not be made")

// Take returns the client of a key, which open makes where there is none: fresh tells that there was none. Whoever takes it gives it back.
func (p *Pool[K, T]) Take(key K, open func(K) (T, error)) (c *Client[K, T], fresh bool, err error) {
	one, fresh := p.take(key)
	made := false
	defer func() {
		if !made {
			p.Drop(one)
			p.Give(one)
		}
	}()
	one.once.Do(func() {
		one.err = errOpen
		one.value, one.err = open(key)
	})
	if one.err != nil {
		return nil, fresh, one.err
	}
	made = true
	return one, fresh, nil
}

func (p *Pool[K, T]) take(key K) (c *Client[K, T], fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.clients[key]
	if !known {
		c = &Client[K, T]{key: key}
		p.clients[key] = c
	}
	if c.expiry != nil {
		c.expiry.Stop()
	}
	c.users++
	return c, !known
}

// Drop keeps a client no longer: the next one who wants it has a new one. Those who use it go on.
func (p *Pool[K, T]) Drop(c *Client[K, T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropLocked(c)
}

func (p *Pool[K, T]) dropLocked(c *Client[K, T]) {
	if !c.gone {
		c.gone = true
		delete(p.clients, c.key)
	}
}

// Give ends the use of a client. The last user of one that is kept no longer closes it.
func (p *Pool[K, T]) Give(c *Client[K, T]) {
	p.mu.Lock()
	c.users--
	var over []*Client[K, T]
	switch {
	case c.users > 0:
	case c.gone:
		over = append(over, c)
	default:
		c.since = time.Now()
		c.expiry = time.AfterFunc(idle, func() { p.expire(c) })
		over = p.oldestLocked()
	}
	p.mu.Unlock()
	p.end(over)
}

// expire ends a client that nobody used for a long time.
func (p *Pool[K, T]) expire(c *Client[K, T]) {
	p.mu.Lock()
	var over []*Client[K, T]
	if c.users == 0 && !c.gone && time.Since(c.since) >= idle {
		p.dropLocked(c)
		over = append(over, c)
	}
	p.mu.Unlock()
	p.end(over)
}

// oldestLocked drops the client that nobody used for the longest time when there are too many.
func (p *Pool[K, T]) oldestLocked() []*Client[K, T] {
	var oldest *Client[K, T]
	unused := 0
	for _, c := range p.clients {
		if c.users > 0 {
			continue
		}
		unused++
		if oldest == nil || c.since.Before(oldest.since) {
			oldest = c
		}
	}
	if unused <= mostIdle {
		return nil
	}
	p.dropLocked(oldest)
	return []*Client[K, T]{oldest}
}

// Len is how many clients there are.
func (p *Pool[K, T]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clients)
}

// Close closes all clients; those that are in use, when they are given back. The Pool may be used again.
func (p *Pool[K, T]) Close() {
	p.mu.Lock()
	var over []*Client[K, T]
	for _, c := range p.clients {
		p.dropLocked(c)
		if c.users == 0 {
			over = append(over, c)
		}
	}
	p.mu.Unlock()
	p.end(over)
}

// end closes clients that nobody has any more.
func (p *Pool[K, T]) end(over []*Client[K, T]) {
	for _, c := range over {
		if c.expiry != nil {
			c.expiry.Stop()
		}
		if c.err == nil {
			p.discard(c.value)
		}
	}
}
