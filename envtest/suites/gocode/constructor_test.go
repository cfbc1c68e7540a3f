package gocode_test

import (
	"context"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	echov1 "github.com/orkestra-runtime/orkestra/examples/constructor/api/v1"
	"github.com/orkestra-runtime/orkestra/examples/constructor/controller"
	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

const constructed = `
reconciler:
  default: false
  constructor:
    location: example.com/echo
    function: New
    args: {image: "nginx:1.29"}
`

func constructors(f constructor.Func) engine.Options {
	return engine.Options{Constructors: map[string]constructor.Func{"example.com/echo.New": f}}
}

func echo(namespace, name string) *echov1.Echo {
	return &echov1.Echo{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: echov1.EchoSpec{Message: "hello", Replicas: 2}}
}

// finalizing is a reconciler with a finalizer of its own, as kubebuilder's book has them.
type finalizing struct {
	client.Client
	cleaned *atomic.Int32
}

const ownFinalizer = "echo.example.com/own"

func (f *finalizing) Reconcile(ctx context.Context, e *echov1.Echo) (reconcile.Result, error) {
	if e.DeletionTimestamp.IsZero() {
		if controllerutil.AddFinalizer(e, ownFinalizer) {
			return reconcile.Result{}, f.Update(ctx, e)
		}
		return reconcile.Result{}, nil
	}
	if controllerutil.RemoveFinalizer(e, ownFinalizer) {
		f.cleaned.Add(1)
		return reconcile.Result{}, f.Update(ctx, e)
	}
	return reconcile.Result{}, nil
}

var _ = Describe("a constructor", func() {
	It("Row 125: runs an unmodified reconciler of controller-runtime, which has status and finalizers to itself", func(ctx SpecContext) {
		namespace, _ := operate(ctx, "Echo", constructed, constructors(controller.NewEcho))
		e := echo(namespace, "a")
		create(ctx, e)
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a"}}
		Eventually(get(ctx, deployment)).Should(HaveField("Spec.Template.Spec.Containers", HaveExactElements(HaveField("Image", "nginx:1.29"))))
		Expect(deployment.OwnerReferences).To(HaveExactElements(HaveField("Kind", "Echo")))
		Eventually(get(ctx, e)).Should(HaveField("Status.Conditions", HaveExactElements(
			And(HaveField("Type", "Available"), HaveField("Status", metav1.ConditionFalse)))))
		Expect(e.Finalizers).To(BeEmpty())

		By("coming back after the RequeueAfter that it returned, while nothing watches its Deployment")
		deployment.Status.Replicas, deployment.Status.ReadyReplicas = 2, 2
		Expect(cluster.Status().Update(ctx, deployment)).To(Succeed())
		Eventually(get(ctx, e)).Should(HaveField("Status.Conditions", HaveExactElements(HaveField("Status", metav1.ConditionTrue))))
		Expect(e.Status.ReadyReplicas).To(Equal(int32(2)))
	})

	It("keeps declared finalizers and status fields beside those of the reconciler", func(ctx SpecContext) {
		cleaned := &atomic.Int32{}
		namespace, _ := operate(ctx, "Echo", `
finalizers: [echo.example.com/declared]
status: {fields: [{path: summary, value: "{{ .spec.message }}!"}]}
`+constructed, constructors(constructor.Object(func(mgr manager.Manager, _ args.Args) (reconcile.ObjectReconciler[*echov1.Echo], error) {
			return &finalizing{Client: mgr.GetClient(), cleaned: cleaned}, nil
		})))
		e := echo(namespace, "a")
		create(ctx, e)
		Eventually(get(ctx, e)).Should(And(
			HaveField("Finalizers", ConsistOf("echo.example.com/declared", ownFinalizer)),
			HaveField("Status.Summary", "hello!"), HaveField("Status.Conditions", BeEmpty())))
		Expect(cluster.Delete(ctx, e)).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(e), e)) }).Should(BeTrue())
		Expect(cleaned.Load()).To(BeNumerically(">=", 1))
	})

	It("Row 110: a panic of the reconciler is an error of its resource alone", func(ctx SpecContext) {
		var calls atomic.Int32
		namespace, running := operate(ctx, "Echo", constructed, constructors(func(manager.Manager, args.Args) (reconcile.Reconciler, error) {
			return reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
				if r.Name == "bad" {
					panic("bang")
				}
				calls.Add(1)
				return reconcile.Result{}, nil
			}), nil
		}))
		create(ctx, echo(namespace, "bad"))
		Eventually(func() string { return running.States()[0].Health.LastError }).Should(Equal("reconciler panic: bang"))
		create(ctx, echo(namespace, "good"))
		Eventually(calls.Load).Should(BeNumerically(">=", 1))
	})

	It("is tried again with back-off when its reconciler says Requeue, and not after a terminal error", func(ctx SpecContext) {
		var requeued, ended atomic.Int32
		namespace, _ := operate(ctx, "Echo", constructed, constructors(func(manager.Manager, args.Args) (reconcile.Reconciler, error) {
			return reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
				if r.Name == "ended" {
					ended.Add(1)
					return reconcile.Result{}, reconcile.TerminalError(context.Canceled)
				}
				requeued.Add(1)
				return reconcile.Result{Requeue: requeued.Load() < 5}, nil //nolint:staticcheck // forwarded as long as there is code that returns it
			}), nil
		}))
		create(ctx, echo(namespace, "requeued"))
		create(ctx, echo(namespace, "ended"))
		Eventually(requeued.Load).Should(Equal(int32(5)))
		Consistently(ended.Load, time.Second).Should(BeNumerically("<=", 1))
	})
})
