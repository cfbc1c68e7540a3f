package servers_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

// echo answers each line with itself, until the client has said all.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of this test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(connection, connection)
				_ = connection.Close()
			}()
		}
	}()
	return listener.Addr().String()
}

// client is a connection through a Proxy that says lines.
type client struct {
	net.Conn
	lines *bufio.Reader
}

func connect(t *testing.T, p *servers.Proxy) (*client, error) {
	t.Helper()
	connection, err := net.DialTimeout("tcp", p.Address, 5*time.Second) //nolint:noctx // of this test
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = connection.Close() })
	return &client{Conn: connection, lines: bufio.NewReader(connection)}, nil
}

// say sends a line and returns what comes back within a time.
func (c *client) say(line string, within time.Duration) (string, error) {
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		return "", err
	}
	return c.hear(within)
}

func (c *client) hear(within time.Duration) (string, error) {
	if err := c.SetReadDeadline(time.Now().Add(within)); err != nil {
		return "", err
	}
	return c.lines.ReadString('\n')
}

func mustConnect(t *testing.T, p *servers.Proxy) *client {
	t.Helper()
	c, err := connect(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.say("hello", 5*time.Second); got != "hello\n" {
		t.Fatalf("through a proxy that passes everything: %q, %v", got, err)
	}
	return c
}

func TestProxy(t *testing.T) {
	t.Parallel()
	p := servers.StartProxy(t, echo(t))

	c := mustConnect(t, p)
	p.Set(servers.Hang)
	if got, err := c.say("held", 100*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a hanging proxy answers %q, %v", got, err)
	}
	p.Set(servers.Pass)
	if got, err := c.hear(5 * time.Second); got != "held\n" {
		t.Fatalf("after it hung, what was said is not lost: got %q, %v", got, err)
	}

	p.Set(servers.Refuse)
	if got, err := c.say("closed", 5*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("Refuse closes what is open, got %q, %v", got, err)
	}
	if _, err := connect(t, p); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("Refuse refuses connections, got %v", err)
	}
	p.Set(servers.Pass)
	c = mustConnect(t, p)

	p.Delay(200 * time.Millisecond)
	start := time.Now()
	if got, err := c.say("late", 5*time.Second); got != "late\n" || time.Since(start) < 200*time.Millisecond {
		t.Fatalf("Delay has an answer wait: %q, %v after %s", got, err, time.Since(start))
	}

	p.CutAfter(3)
	c, err := connect(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.say("abcdef", 5*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) || !strings.HasPrefix("abc", got) {
		t.Fatalf("CutAfter closes after three bytes: got %q, %v", got, err)
	}
	p.Set(servers.Pass)
	c = mustConnect(t, p)
	if p.Open() != 1 || p.Accepted() < 4 {
		t.Errorf("one client is connected and there were others: Open %d, Accepted %d", p.Open(), p.Accepted())
	}
	p.Drop()
	if got, err := c.say("dropped", 5*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Drop closes what is open, got %q, %v", got, err)
	}
}

func TestProxyPassesLargeAnswers(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) }))
	t.Cleanup(server.Close)
	p := servers.StartProxy(t, server.Listener.Addr().String())
	answer, err := http.Get("http://" + p.Address) //nolint:noctx // of this test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err := io.ReadAll(answer.Body); len(body) != size {
		t.Errorf("want %d bytes, got %d, %v", size, len(body), err)
	}
}
