package deletion_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

const group = "deletion.example.com"

var (
	env *envtest.Environment
	// cluster is the hand of everybody but the engine.
	cluster client.Client
)

func TestDeletion(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Deletion")
}

var _ = BeforeSuite(func(ctx context.Context) {
	logf.SetLogger(GinkgoLogr)
	SetDefaultEventuallyTimeout(time.Minute)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	var err error
	env, err = envtest.Start(ctx, envtest.Options{Controllers: true, StartTimeout: 4 * time.Minute, CRDs: []*apiextensionsv1.CustomResourceDefinition{
		definition.Open(group, "Widget", "widgets", apiextensionsv1.NamespaceScoped), definition.Open(group, "Part", "parts", apiextensionsv1.NamespaceScoped),
		definition.Open(group, "Zone", "zones", apiextensionsv1.ClusterScoped),
	}})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	cluster, err = client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
	// The server holds back the first objects of a new definition for a moment.
	for _, kind := range []string{"Widget", "Part", "Zone"} {
		probe := object(kind, "default", "probe")
		Eventually(func() error { return cluster.Create(ctx, probe) }).Should(Succeed())
		Expect(cluster.Delete(ctx, probe)).To(Succeed())
	}
}, NodeTimeout(5*time.Minute))

// object is one of the suite's own kinds.
func object(kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind})
	o.SetName(name)
	if kind != "Zone" {
		o.SetNamespace(namespace)
	}
	return o
}

// widget is a Widget with a spec.
func widget(namespace, name string, spec map[string]any) *unstructured.Unstructured {
	w := object("Widget", namespace, name)
	w.Object["spec"] = spec
	return w
}

func create(ctx context.Context, o client.Object) {
	GinkgoHelper()
	Expect(cluster.Create(ctx, o)).To(Succeed())
}

// newNamespace makes a namespace for one spec.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "deletion-"}}
	create(ctx, namespace)
	return namespace.Name
}

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// patch is a JSON merge patch by somebody else.
func patch(ctx context.Context, o client.Object, merge string) {
	GinkgoHelper()
	Expect(cluster.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(merge)), client.FieldOwner("somebody"))).To(Succeed())
}

// exists tells for an Eventually whether an object is there.
func exists(ctx context.Context, o client.Object) func() bool {
	return func() bool { return cluster.Get(ctx, client.ObjectKeyFromObject(o), o) == nil }
}

// going tells for an Eventually whether an object is on its way out.
func going(ctx context.Context, o client.Object) func() bool {
	return func() bool { return exists(ctx, o)() && o.GetDeletionTimestamp() != nil }
}

// ready is, for an Eventually, what the condition Ready says.
func ready(ctx context.Context, o *unstructured.Unstructured) func() string {
	return func() string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return err.Error()
		}
		condition := status.Find(status.Conditions(o.Object), orkv1.ConditionReady)
		if condition == nil {
			return "none"
		}
		return fmt.Sprintf("%s %s: %s", condition.Status, condition.Reason, condition.Message)
	}
}

const isReady = "True ReconcileSucceeded: "

// operator is an engine that operates Widgets.
type operator struct {
	engine *engine.Engine
	cancel context.CancelFunc
	done   chan error
}

// katalogOf declares Widgets of a namespace, with YAML of the entry in one line each. An empty entry is a Katalog without them.
func katalogOf(namespace, entry string) *orkv1.Katalog {
	GinkgoHelper()
	text := fmt.Sprintf("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: %s}\nspec:\n  crds:\n", namespace)
	if entry != "" {
		text += fmt.Sprintf("    %s-widgets:\n      apiTypes: {group: %s, version: v1, kind: Widget, plural: widgets}\n      namespace: %s\n%s",
			namespace, group, namespace, entry)
	}
	text += fmt.Sprintf("    %s-zones: {apiTypes: {group: %s, version: v1, kind: Zone, plural: zones}, labelSelector: {none: such}, namespaced: false}\n",
		namespace, group)
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	return result.Documents[0].Katalog
}

// operate starts an engine and waits until it runs. Wrap may come between it and the server, and with changes its options.
func operate(ctx context.Context, namespace, entry string, wrap func(*rest.Config), with ...func(*engine.Options)) *operator {
	GinkgoHelper()
	o := &operator{done: make(chan error, 1)}
	cfg := env.Config()
	if wrap != nil {
		wrap(cfg)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	opts := engine.Options{Katalogs: []*orkv1.Katalog{katalogOf(namespace, entry)}, Namespace: namespace}
	for _, change := range with {
		change(&opts)
	}
	o.engine, err = engine.New(mgr, opts)
	Expect(err).NotTo(HaveOccurred())
	ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() { o.done <- mgr.Start(ctx) }()
	DeferCleanup(o.stop)
	Eventually(func() bool {
		for _, state := range o.engine.States() {
			if !state.Running {
				return false
			}
		}
		return true
	}).Should(BeTrue())
	return o
}

// stop ends the engine. A second call does nothing.
func (o *operator) stop() {
	GinkgoHelper()
	if o.cancel == nil {
		return
	}
	o.cancel()
	o.cancel = nil
	Eventually(o.done).WithTimeout(40 * time.Second).Should(Receive(BeNil()))
}
