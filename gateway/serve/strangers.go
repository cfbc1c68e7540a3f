package serve

import (
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
	lru "k8s.io/apimachinery/pkg/util/cache"
)

// How often an address may fail to tell who it is in a second, and at once, how many addresses are remembered, and for how long.
const (
	strangersRate  = 5
	strangersBurst = 10
	strangersKnown = 4096
	strangersFor   = time.Minute
)

// strangers are the addresses that somebody asked from whom nobody knows. Who is known is never held up by them.
type strangers struct {
	mu    sync.Mutex // held from a look into known until the write
	known *lru.LRUExpireCache
}

func newStrangers() *strangers { return &strangers{known: lru.NewLRUExpireCache(strangersKnown)} }

// may tells whether whoever asks from an address may be told once more that nobody knows them.
func (s *strangers) may(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, _ := s.known.Get(host)
	one, ok := found.(*rate.Limiter)
	if !ok {
		one = rate.NewLimiter(strangersRate, strangersBurst)
	}
	s.known.Add(host, one, strangersFor)
	return one.Allow()
}
