package pipeline_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/envtest"
)

var (
	env *envtest.Environment
	// cluster is the hand of everybody but the engine: its requests are not counted.
	cluster client.Client
)

func TestPipeline(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Pipeline")
}

var _ = BeforeSuite(func(ctx context.Context) {
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(10 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyPollingInterval(50 * time.Millisecond)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{CRDPaths: []string{"testdata/crds"}})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	cluster, err = client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
	// The server holds back the first objects of a new definition until it is two seconds old.
	for _, kind := range []string{"Widget", "Bare", "Narrow", "Part", "Zone"} {
		probe := object(kind, "default", "probe", "")
		Eventually(func() error { return cluster.Create(ctx, probe) }).Should(Succeed())
		Expect(cluster.Delete(ctx, probe)).To(Succeed())
	}
}, NodeTimeout(time.Minute))

// newNamespace makes a namespace for one spec.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "pipeline-"}}
	Expect(cluster.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}

// timeToStorm is how long a spec looks on whether something that should be quiet is.
const timeToStorm = 2 * time.Second

// numbered names objects of a list: w-00, w-01 and so on.
func numbered(n int) string { return fmt.Sprintf("w-%02d", n) }
