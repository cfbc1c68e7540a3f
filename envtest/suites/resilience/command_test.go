package resilience_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/gexec"
)

var _ = Describe("ork run", Ordered, func() {
	var binary string
	BeforeAll(func() {
		var err error
		binary, err = gexec.Build("github.com/orkestra-runtime/orkestra", "-buildvcs=false")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(gexec.CleanupBuildArtifacts)
	})

	// ork runs a Katalog against the API server, with the environment.
	var environment []string
	BeforeEach(func() {
		environment = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "KUBERNETES_SERVICE_HOST=") })
	})
	ork := func(katalog string, args ...string) *gexec.Session {
		GinkgoHelper()
		file := filepath.Join(GinkgoT().TempDir(), "katalog.yaml")
		Expect(os.WriteFile(file, []byte(katalog), 0o600)).To(Succeed())
		command := exec.Command(binary, append([]string{"run", "-f", file, "--kubeconfig", env.Kubeconfig(), "--health-probe-bind-address=0"}, args...)...)
		command.Env = environment
		session, err := gexec.Start(command, GinkgoWriter, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { session.Kill().Wait() })
		return session
	}

	It("settles resources of files that name no namespace", func(ctx SpecContext) {
		const group = "unplaced.example.com"
		install(ctx, widgets(group))
		file := filepath.Join(GinkgoT().TempDir(), "cr.yaml")
		Expect(os.WriteFile(file, []byte("{apiVersion: unplaced.example.com/v1, kind: Widget, metadata: {name: one}, spec: {size: 1}}"), 0o600)).To(Succeed())
		session := ork(katalogText("unplaced", entryText("unplaced", group, "\n      crFiles: ["+file+"]")), "--metrics-bind-address=0", "--until-settled=20s")
		Eventually(session, 30*time.Second).Should(gexec.Exit(0))
		Expect(session.Out).To(gbytes.Say("namespace: default"))
	})

	It("ends at the first interrupt while it waits for its input", func() {
		reading, writing, err := os.Pipe()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _, _ = writing.Close(), reading.Close() })
		command := exec.Command(binary, "validate", "-f", "-")
		command.Stdin = reading
		session, err := gexec.Start(command, GinkgoWriter, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { session.Kill().Wait() })
		// A pipe holds less than this: when all is written, the command has begun to read, and knows what to do with an interrupt.
		written := make(chan error, 1)
		go func() {
			_, err := io.Copy(writing, strings.NewReader(strings.Repeat("# more follows\n", 20_000)))
			written <- err
		}()
		Eventually(written, 30*time.Second).Should(Receive(BeNil()))
		session.Interrupt()
		Eventually(session, 5*time.Second).Should(gexec.Exit(1))
		Expect(session.Err).To(gbytes.Say("interrupted while reading"))
	})

	// Row 123.
	It("finishes the cycles that have begun when it is told to end, and reports no failure", func(ctx SpecContext) {
		const group = "sigterm.example.com"
		install(ctx, widgets(group))
		session := ork(katalogText("sigterm", `
    sigterm:
      apiTypes: {group: sigterm.example.com, version: v1, kind: Widget, plural: widgets}
      operatorBox:
        onReconcile:
          configMaps:
            - {name: "{{ .metadata.name }}-first"}
            - {name: "{{ .metadata.name }}-second", sleep: 2s}
`), "--metrics-bind-address=0")
		space := namespace(ctx)
		one := widget(group, space, "one", nil)
		create(ctx, one)
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 10*time.Second, 10*time.Millisecond).Should(HaveKey("one-first"))
		begin := time.Now()
		session.Terminate()
		Eventually(session, 15*time.Second).Should(gexec.Exit(0))
		Expect(time.Since(begin)).To(BeNumerically(">", time.Second))
		Expect(sizes(ctx, space)).To(HaveKey("one-second"))
		Expect(ready(ctx, one)()).To(BeTrue())
		Expect(string(session.Err.Contents())).NotTo(ContainSubstring(`"level":"error"`))
	})

	It("ends at once when it is told twice", func(ctx SpecContext) {
		const group = "twice.example.com"
		install(ctx, widgets(group))
		session := ork(katalogText("twice", `
    twice:
      apiTypes: {group: twice.example.com, version: v1, kind: Widget, plural: widgets}
      operatorBox:
        onReconcile:
          configMaps:
            - {name: "{{ .metadata.name }}-first"}
            - {name: "{{ .metadata.name }}-second", sleep: 15s}
`), "--metrics-bind-address=0")
		space := namespace(ctx)
		create(ctx, widget(group, space, "one", nil))
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 10*time.Second, 10*time.Millisecond).Should(HaveKey("one-first"))
		session.Terminate()
		Eventually(session.Err, 5*time.Second).Should(gbytes.Say("Stopping and waiting"))
		session.Terminate()
		Eventually(session, 2*time.Second).Should(gexec.Exit(128 + int(syscall.SIGTERM)))
	})

	It("tells wrong usage by its exit code", func() {
		session := ork(katalogText("usage", entryText("usage", "usage.example.com", "")), "--data-dir", "data")
		Eventually(session, 5*time.Second).Should(gexec.Exit(2))
		Expect(string(session.Err.Contents())).To(Equal("ork: --data-dir goes with --embedded; see ork --help\n"))
	})

	It("until settled prints what there is, or names what is not ready", func(ctx SpecContext) {
		const group = "settled.example.com"
		install(ctx, widgets(group))
		space := namespace(ctx)
		one := widget(group, space, "one", map[string]any{"size": "1"})
		create(ctx, one)
		katalog := katalogText("settled", entryText("settled", group, ""))
		session := ork(katalog, "--metrics-bind-address=0", "--until-settled=20s")
		Eventually(session, 25*time.Second).Should(gexec.Exit(0))
		Expect(string(session.Out.Contents())).To(And(ContainSubstring("reason: ReconcileSucceeded"), ContainSubstring("# ConfigMap")))

		session = ork(katalogText("settled", entryText("settled", group, ""), entryText("absent", "absent.example.com", "")),
			"--metrics-bind-address=0", "--until-settled=2s")
		Eventually(session, 15*time.Second).Should(gexec.Exit(1))
		Expect(string(session.Err.Contents())).To(ContainSubstring("ork: not settled after 2s:\n  CRD absent: CRD widgets.absent.example.com is not installed"))
	})

	It("fails at once when it cannot do what it is for, and does not wait for the time limit", func(ctx SpecContext) {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		environment = append(environment, "KUBERNETES_SERVICE_HOST=127.0.0.1") // in a cluster a port is not given up
		session := ork(katalogText("fails", entryText("fails", "fails.example.com", "")), "--leader-elect=false", "--namespace=default",
			"--metrics-bind-address="+listener.Addr().String(), "--until-settled=1m")
		Eventually(session, 20*time.Second).Should(gexec.Exit(1))
		Expect(string(session.Err.Contents())).To(ContainSubstring("address already in use"))
	})

	It("leaves a port to whoever has it", func(ctx SpecContext) {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		const group = "port.example.com"
		install(ctx, widgets(group))
		session := ork(katalogText("port", entryText("port", group, "")), "--metrics-bind-address="+listener.Addr().String(), "--log-format=json")
		Eventually(session.Err, 10*time.Second).Should(gbytes.Say(`address is in use and left to whoever has it`))
		one := widget(group, namespace(ctx), "one", map[string]any{"size": "1"})
		create(ctx, one)
		Eventually(ready(ctx, one), 10*time.Second).Should(BeTrue())
		session.Interrupt()
		Eventually(session, 10*time.Second).Should(gexec.Exit(0))
	})
})
