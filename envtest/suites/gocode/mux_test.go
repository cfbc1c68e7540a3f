package gocode_test

import (
	"context"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	echov1 "github.com/orkestra-runtime/orkestra/examples/constructor/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

const threeForms = `
operatorBox:
  onReconcile: {configMaps: [{name: "{{ .metadata.name }}-declared"}]}
serve:
  target:
    hooked:
      operatorBox:
        onReconcile: {configMaps: [{name: "{{ .metadata.name }}-beside"}]}
        reconciler: {hooks: {location: example.com/echo, function: Hook}}
    constructed:
      operatorBox:
        onReconcile: {}
        reconciler: {default: false, constructor: {location: example.com/echo, function: New}}
`

// names are those of resources that somebody was handed, in order.
type names struct {
	mu  sync.Mutex // guards all
	all []string
}

func (n *names) add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, name)
}

// different are the names, each once.
func (n *names) different() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(n.all)))
}

func (n *names) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = nil
}

var _ = It("the MuxReconciler runs one CRD's targets as declared, with hooks and with a constructor at once", func(ctx SpecContext) {
	var hooked, constructed names
	namespace, _ := operateEntry(ctx, "Echo", threeForms, engine.Options{
		Hooks: map[string]*hook.Hook{"example.com/echo.Hook": hook.New(hook.Hooks[*echov1.Echo]{
			OnReconcile: func(_ context.Context, r *hook.Request[*echov1.Echo]) (reconcile.Result, error) {
				hooked.add(r.Object.Name)
				return reconcile.Result{}, nil
			},
		})},
		Constructors: map[string]constructor.Func{"example.com/echo.New": func(manager.Manager, args.Args) (reconcile.Reconciler, error) {
			return reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
				constructed.add(r.Name)
				return reconcile.Result{}, nil
			}), nil
		}},
	})
	deliver := func(name, target string) *echov1.Echo {
		GinkgoHelper()
		e := echo(namespace, name)
		if target != "" {
			e.Annotations = map[string]string{orkv1.AnnotationServeTarget: target}
		}
		create(ctx, e)
		return e
	}
	children := func() []string {
		GinkgoHelper()
		var list corev1.ConfigMapList
		Expect(cluster.List(ctx, &list, client.InNamespace(namespace), client.HasLabels{orkv1.LabelOwner})).To(Succeed())
		found := []string{}
		for _, one := range list.Items {
			found = append(found, one.Name)
		}
		slices.Sort(found)
		return found
	}
	plain := deliver("plain", "")
	deliver("hook", "hooked")
	own := deliver("own", "constructed")
	Eventually(children).Should(Equal([]string{"hook-beside", "plain-declared"}))
	Eventually(hooked.different).Should(Equal([]string{"hook"}))
	Eventually(constructed.different).Should(Equal([]string{"own"}))

	By("a resource that goes from one form to another")
	Eventually(get(ctx, plain)).Should(HaveField("ObjectMeta.ResourceVersion", Not(BeEmpty())))
	Expect(cluster.Patch(ctx, plain, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+orkv1.AnnotationServeTarget+`":"hooked"}}}`)))).To(Succeed())
	Eventually(children).Should(Equal([]string{"hook-beside", "plain-beside"}))
	Eventually(hooked.different).Should(Equal([]string{"hook", "plain"}))
	Expect(constructed.different()).To(Equal([]string{"own"}))

	By("one that is gone, of which the form that it had is told")
	constructed.forget()
	hooked.forget()
	Expect(cluster.Delete(ctx, own, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
	Eventually(constructed.different).Should(Equal([]string{"own"}))
	Expect(hooked.different()).NotTo(ContainElement("own"))
})
