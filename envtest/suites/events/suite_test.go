package events_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/envtest"
)

var (
	env *envtest.Environment
	// admin reads and writes without a cache.
	admin client.Client
)

func TestEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "events")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	logf.SetLogger(GinkgoLogr)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	admin, err = client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
})
