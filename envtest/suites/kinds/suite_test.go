package kinds_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
)

// example declares every kind.
const example = "../../../examples/every-kind/"

var (
	env *envtest.Environment
	// cluster is the hand of everybody but the engines.
	cluster client.Client
)

func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Kinds")
}

var _ = BeforeSuite(func(ctx context.Context) {
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{Controllers: true, CRDPaths: []string{"testdata/crds", example + "crd.yaml"}})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	cluster, err = client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(2*time.Minute))

// operate runs a Katalog until the node ends.
func operate(ctx context.Context, result *katalog.Result, err error) *operator.Operator {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	within, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	o, err := operator.Start(within, strictly(env.Config()), result.Documents[0].Katalog, "default")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
	return o
}
