package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// service stands before the replicas of a gateway, as a Service does: it hands each connection to the next one that takes it.
type service struct {
	listener net.Listener
	mu       sync.Mutex // guards replicas and open
	replicas []string
	// open are the connections to each replica.
	open map[string][]net.Conn
	next atomic.Int64
}

func newService() *service {
	GinkgoHelper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	s := &service{listener: listener, open: map[string][]net.Conn{}}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.hand(connection)
		}
	}()
	DeferCleanup(func() { _ = listener.Close() })
	return s
}

func (s *service) url() string { return "https://" + s.listener.Addr().String() }

func (s *service) hand(from net.Conn) {
	defer func() { _ = from.Close() }()
	s.mu.Lock()
	replicas := s.replicas
	s.mu.Unlock()
	for range replicas {
		address := replicas[int(s.next.Add(1))%len(replicas)]
		to, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
		if err == nil {
			s.mu.Lock()
			s.open[address] = append(s.open[address], from, to)
			s.mu.Unlock()
			join(from, to)
			return
		}
	}
}

// kill has a replica gone as a process is that is killed: its connections are cut, and nobody says goodbye.
func (s *service) kill(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas = slices.DeleteFunc(slices.Clone(s.replicas), func(one string) bool { return one == address })
	for _, one := range s.open[address] {
		if connection, ok := one.(*net.TCPConn); ok {
			_ = connection.SetLinger(0)
		}
		_ = one.Close()
	}
	delete(s.open, address)
}

// join copies both ways until one ends.
func join(from, to net.Conn) {
	defer func() { _ = to.Close() }()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(pair[1], pair[0])
			done <- struct{}{}
		}()
	}
	<-done
}

func (s *service) put(replicas ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas = replicas
}

// replica is one gateway.
type replica struct {
	address string
	stop    func()
}

// start starts a replica of a gateway behind a service.
func start(ctx context.Context, s *service, namespace, text string, by ...func(*server.Options)) *replica {
	GinkgoHelper()
	return startAs(ctx, env.Config(), s, namespace, text, by...)
}

// startAs starts one that asks the API server in a way of its own.
func startAs(ctx context.Context, cfg *rest.Config, s *service, namespace, text string, by ...func(*server.Options)) *replica {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	port := freePort()
	opts := server.Options{
		Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}, Namespace: namespace, URL: s.url(), Host: "127.0.0.1", Port: port,
	}
	for _, one := range by {
		one(&opts)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	_, err = server.New(mgr, opts)
	Expect(err).NotTo(HaveOccurred())
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	stop := sync.OnceFunc(func() {
		cancel()
		Expect(<-ended).To(Succeed())
	})
	DeferCleanup(stop)
	return &replica{address: fmt.Sprintf("127.0.0.1:%d", port), stop: stop}
}

func freePort() int {
	GinkgoHelper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// serve starts two replicas of the gateway of a Katalog.
func serve(ctx context.Context, namespace, text string, by ...func(*server.Options)) (*service, []*replica) {
	GinkgoHelper()
	s := newService()
	replicas := []*replica{start(ctx, s, namespace, text, by...), start(ctx, s, namespace, text, by...)}
	s.put(replicas[0].address, replicas[1].address)
	return s, replicas
}
