package servers

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Mode is what a Proxy does with connections.
type Mode int

// Modes of a Proxy.
const (
	// Pass lets everything through.
	Pass Mode = iota
	// Refuse closes what is open, and whoever connects is refused, as by a machine where nothing listens.
	Refuse
	// Hang takes connections, and lets nothing through any more, in either direction. What is open stays open.
	Hang
)

// Proxy stands between a client and a server on 127.0.0.1 and has the network be good or bad. It is safe for concurrent use.
type Proxy struct {
	// Address is host:port, always the same.
	Address string

	target string
	t      T

	mu       sync.Mutex // guards the rest
	changed  *sync.Cond
	mode     Mode
	delay    time.Duration
	cut      int
	listener net.Listener
	accepts  chan struct{} // closed when nobody accepts at the listener any more
	open     map[net.Conn]struct{}
	accepted int
	ended    bool

	// stop is closed when ended is set.
	stop    chan struct{}
	running sync.WaitGroup
}

// StartProxy starts a Proxy before a server, in mode Pass. It ends with the test.
func StartProxy(t T, target string) *Proxy {
	t.Helper()
	p := &Proxy{Address: local(reserve(t)), target: target, t: t, open: map[net.Conn]struct{}{}, stop: make(chan struct{})}
	p.changed = sync.NewCond(&p.mu)
	if err := p.listen(); err != nil {
		t.Fatalf("start a proxy: %v", err)
	}
	t.Cleanup(p.end)
	return p
}

// Set changes what the Proxy does, from now on, with connections that are open as well. It takes back Delay and CutAfter.
func (p *Proxy) Set(mode Mode) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode, p.delay, p.cut = mode, 0, 0
	p.changed.Broadcast()
	if mode == Refuse {
		p.closeLocked()
		return
	}
	if err := p.listenLocked(); err != nil {
		p.t.Fatalf("start the proxy again: %v", err)
	}
}

// Delay has each piece of an answer wait, until the next Set.
func (p *Proxy) Delay(by time.Duration) {
	p.Set(Pass)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = by
}

// CutAfter has each connection close, with a reset, once so many bytes of an answer have come through it, until the next Set. It closes
// what is open.
func (p *Proxy) CutAfter(bytes int) {
	p.Set(Pass)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = max(bytes, 1)
	p.dropLocked()
}

// Drop closes all connections that are open.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropLocked()
}

// Open is how many connections of clients are open.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) / 2
}

// Accepted is how many connections clients have made so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

func (p *Proxy) listen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.listenLocked()
}

// listenLocked accepts connections, unless it does so already.
func (p *Proxy) listenLocked() error {
	if p.listener != nil || p.ended {
		return nil
	}
	listener, err := net.Listen("tcp", p.Address) //nolint:noctx // it lives until it is closed
	if err != nil {
		return err
	}
	accepts := make(chan struct{})
	p.listener, p.accepts = listener, accepts
	p.running.Go(func() {
		defer close(accepts)
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.serve(client) })
		}
	})
	return nil
}

// closeLocked stops accepting, and closes what is open.
func (p *Proxy) closeLocked() {
	if p.listener != nil {
		_ = p.listener.Close()
		<-p.accepts // until then the system takes connections, and resets them
		p.listener = nil
	}
	p.dropLocked()
}

func (p *Proxy) dropLocked() {
	for connection := range p.open {
		reset(connection)
	}
	clear(p.open)
}

// end waits for all that the Proxy has started.
func (p *Proxy) end() {
	p.mu.Lock()
	p.ended = true
	close(p.stop)
	p.changed.Broadcast()
	p.closeLocked()
	p.mu.Unlock()
	p.running.Wait()
}

// serve passes on one connection.
func (p *Proxy) serve(client net.Conn) {
	if !p.keep(client) {
		return
	}
	server, err := net.Dial("tcp", p.target) //nolint:noctx // of this machine
	if err != nil {
		p.forget(client)
		return
	}
	if !p.keep(server) {
		p.forget(client)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.pass(server, client, false) })
	both.Go(func() { p.pass(client, server, true) })
	both.Wait()
	p.forget(client, server)
}

// keep notes a connection, so that it can be closed, and tells whether it may live.
func (p *Proxy) keep(connection net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.mode == Refuse {
		reset(connection)
		return false
	}
	p.open[connection] = struct{}{}
	if connection.LocalAddr().String() == p.Address {
		p.accepted++
	}
	return true
}

func (p *Proxy) forget(connections ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range connections {
		_ = one.Close()
		delete(p.open, one)
	}
}

// reset closes connections at once. Who sees one of them close finds it counted no more.
func (p *Proxy) reset(connections ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range connections {
		delete(p.open, one)
		reset(one)
	}
}

// pass copies one direction until it ends.
func (p *Proxy) pass(to, from net.Conn, answer bool) {
	buffer := make([]byte, 32<<10)
	passed := 0
	for {
		n, err := from.Read(buffer)
		delay, most := p.wait(answer)
		if delay > 0 && n > 0 {
			select {
			case <-time.After(delay):
			case <-p.stop:
			}
		}
		if most > 0 && passed+n >= most {
			_, _ = to.Write(buffer[:max(0, most-passed)])
			p.reset(to, from)
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				p.reset(from)
				return
			}
			passed += n
		}
		if err != nil {
			p.close(to, err)
			return
		}
	}
}

// wait returns when something may pass, with what holds for it.
func (p *Proxy) wait(answer bool) (delay time.Duration, cut int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.mode == Hang && !p.ended {
		p.changed.Wait()
	}
	if !answer {
		return 0, 0
	}
	return p.delay, p.cut
}

// close closes one direction as the other side has ended it.
func (p *Proxy) close(to net.Conn, err error) {
	half, ok := to.(interface{ CloseWrite() error })
	if !ok || !errors.Is(err, io.EOF) {
		p.reset(to)
		return
	}
	_ = half.CloseWrite()
}

// reset closes a connection at once, also one that has something to send.
func reset(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}
