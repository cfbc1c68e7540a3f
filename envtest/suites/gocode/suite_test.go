package gocode_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest"
	echov1 "github.com/orkestra-runtime/orkestra/examples/constructor/api/v1"
	licensev1 "github.com/orkestra-runtime/orkestra/examples/hybrid/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

var (
	env *envtest.Environment
	// cluster is the hand of everybody but the engine.
	cluster client.Client
	scheme  = runtime.NewScheme()
)

func TestGoCode(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Go code")
}

var _ = BeforeSuite(func(ctx context.Context) {
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(20 * time.Second)
	SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	SetDefaultConsistentlyPollingInterval(50 * time.Millisecond)
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, licensev1.AddToScheme, echov1.AddToScheme} {
		Expect(add(scheme)).To(Succeed())
	}
	var err error
	env, err = envtest.Start(ctx, envtest.Options{CRDPaths: []string{"../../../examples/hybrid/crd.yaml", "../../../examples/constructor/crd.yaml"}})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	cluster, err = client.New(env.Config(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(2*time.Minute))

// operate starts an engine for the resources of a namespace of its own. The box is the YAML of operatorBox.
func operate(ctx context.Context, kind, box string, opts engine.Options) (namespace string, running *engine.Engine) {
	GinkgoHelper()
	return operateEntry(ctx, kind, "operatorBox:\n"+indented(box, 2), opts)
}

func indented(text string, by int) string {
	return strings.ReplaceAll("\n"+strings.Trim(text, "\n"), "\n", "\n"+strings.Repeat(" ", by))
}

// operateEntry is operate with YAML of the entry, without apiTypes.
func operateEntry(ctx context.Context, kind, entry string, opts engine.Options) (namespace string, running *engine.Engine) {
	GinkgoHelper()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "gocode-"}}
	Expect(cluster.Create(ctx, space)).To(Succeed())
	group, plural := strings.ToLower(kind)+".example.com", strings.ToLower(kind)+"s"
	if kind == "Echo" {
		plural = "echoes"
	}
	text := fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: gocode}
spec:
  crds:
    %s:
      apiTypes: {group: %s, version: v1, kind: %s, plural: %s}
      namespace: %s
%s
`, space.Name, group, kind, plural, space.Name, indented(entry, 6))
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	mgr, err := ctrl.NewManager(env.Config(), ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	opts.Katalogs, opts.Namespace = []*orkv1.Katalog{result.Documents[0].Katalog}, space.Name
	running, err = engine.New(mgr, opts)
	Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	DeferCleanup(func() {
		cancel()
		Eventually(done).WithTimeout(30 * time.Second).Should(Receive(BeNil()))
	})
	Eventually(func() bool { return running.States()[0].Running }).Should(BeTrue())
	return space.Name, running
}

func license(namespace, name string) *licensev1.License {
	return &licensev1.License{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       licensev1.LicenseSpec{Product: "editor", Customer: "Acme", Seats: 3},
	}
}

// create makes an object. The server holds back the first objects of a new definition until it is two seconds old.
func create(ctx context.Context, object client.Object) {
	GinkgoHelper()
	Eventually(func() error { return cluster.Create(ctx, object) }).Should(Succeed())
}

// get reads an object anew, for Eventually.
func get[T client.Object](ctx context.Context, object T) func(Gomega) T {
	return func(g Gomega) T {
		g.Expect(cluster.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		return object
	}
}

// ready is Ready of a license: status, reason and message.
func ready(l *licensev1.License) []string {
	for _, condition := range l.Status.Conditions {
		if condition.Type == orkv1.ConditionReady {
			return []string{string(condition.Status), condition.Reason, condition.Message}
		}
	}
	return nil
}
