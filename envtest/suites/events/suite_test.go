package events_test

import (
	"context"
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
	// cluster is the hand of everybody but the engine.
	cluster client.Client
)

func TestEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Events")
}

var _ = BeforeSuite(func(ctx context.Context) {
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{StartTimeout: 4 * time.Minute})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	cluster, err = client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(5*time.Minute))

// newNamespace makes a namespace for one spec.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "events-"}}
	Expect(cluster.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}
