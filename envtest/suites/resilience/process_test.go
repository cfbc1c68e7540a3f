package resilience_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gexec"
)

// buildOrk builds the command. It is gone at the end of the container that asks for it.
func buildOrk() string {
	GinkgoHelper()
	binary, err := gexec.Build("github.com/orkestra-runtime/orkestra", "-buildvcs=false")
	Expect(err).NotTo(HaveOccurred())
	return binary
}

// process is a running ork run.
type process struct {
	*gexec.Session
	probes, metrics string // addresses
}

// run starts ork run against the API server, with ports of its own.
func run(ctx context.Context, binary string, args ...string) *process {
	GinkgoHelper()
	p := &process{probes: freeAddress(ctx), metrics: freeAddress(ctx)}
	command := exec.CommandContext(context.WithoutCancel(ctx), binary, append([]string{
		"run", "--kubeconfig", env.Kubeconfig(), "--health-probe-bind-address", p.probes, "--metrics-bind-address", p.metrics, "--log-format=json",
	}, args...)...)
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "KUBERNETES_SERVICE_HOST=") })
	var err error
	p.Session, err = gexec.Start(command, GinkgoWriter, GinkgoWriter)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { p.Kill().Wait() })
	return p
}

func freeAddress(ctx context.Context) string {
	GinkgoHelper()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// log is what the process has logged so far.
func (p *process) log() string { return string(p.Err.Contents()) }

// get returns the body of an answer with 200, or nothing.
func get(ctx context.Context, url string) func() string {
	return func() string {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err.Error()
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err.Error()
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			return answer.Status
		}
		return string(body)
	}
}
