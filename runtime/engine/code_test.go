package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/args"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// naming is a Katalog of two CRDs: one that names a hook, and one that names a constructor.
func naming() *orkv1.Katalog {
	k := declaring("code", "hybrid", "fine")
	own := k.Spec.CRDs["hybrid"]
	hooked := own
	hooked.OperatorBox.Reconciler = &orkv1.Reconciler{Hooks: &orkv1.Hooks{GoFunction: orkv1.GoFunction{Location: "example.com/hooks", Function: "W"}}}
	own.APITypes.Kind, own.APITypes.Plural = "Own", "owns"
	own.OperatorBox = orkv1.OperatorBox{Reconciler: &orkv1.Reconciler{
		Default:     new(false),
		Constructor: &orkv1.Constructor{GoFunction: orkv1.GoFunction{Location: "example.com/own", Function: "New", Args: map[string]orkv1.JSON{"days": {Value: int64(3)}}}},
	}}
	k.Spec.CRDs = map[string]orkv1.CRD{"hybrid": hooked, "own": own}
	return k
}

func hookOf[T client.Object]() *hook.Hook {
	return hook.New(hook.Hooks[T]{OnReconcile: func(context.Context, *hook.Request[T]) (reconcile.Result, error) {
		return reconcile.Result{}, nil
	}})
}

func constructing(made reconcile.Reconciler, err error) constructor.Func {
	return func(manager.Manager, args.Args) (reconcile.Reconciler, error) { return made, err }
}

var nothing = reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })

func TestNewRefusesCode(t *testing.T) {
	good := hookOf[*unstructured.Unstructured]()
	cases := map[string]struct {
		reason       string
		hooks        map[string]*hook.Hook
		constructors map[string]constructor.Func
		want         []string
	}{
		"Nothing": {
			reason: "all that is missing is named at once, with the remedy",
			want: []string{
				"CRD hybrid of katalog code: hook example.com/hooks.W is not registered in this program: add it to Hooks of engine.Options",
				"CRD own of katalog code: constructor example.com/own.New is not registered in this program: add it to Constructors of engine.Options",
			},
		},
		"Misspelt": {
			reason: "a name that is close is probably meant",
			hooks:  map[string]*hook.Hook{"example.com/hook.W": good}, constructors: map[string]constructor.Func{"example.com/own.New": constructing(nothing, nil)},
			want: []string{"did you mean example.com/hook.W?"},
		},
		"WrongType": {
			reason: "the expected shape is told",
			hooks:  map[string]*hook.Hook{"example.com/hooks.W": hookOf[*corev1.Pod]()}, constructors: map[string]constructor.Func{"example.com/own.New": constructing(nothing, nil)},
			want: []string{"CRD hybrid of katalog code: hook example.com/hooks.W takes *v1.Pod, of kind Pod of v1; want hook.Hooks of"},
		},
		"Defect85: registered and nil": {
			reason: "what is registered and nil is no code",
			hooks:  map[string]*hook.Hook{"example.com/hooks.W": nil}, constructors: map[string]constructor.Func{"example.com/own.New": nil},
			want: []string{"hook example.com/hooks.W is nil", "constructor example.com/own.New is nil"},
		},
		"Defect85: no reconciler": {
			reason: "a constructor that makes nothing would reconcile nothing",
			hooks:  map[string]*hook.Hook{"example.com/hooks.W": good}, constructors: map[string]constructor.Func{"example.com/own.New": constructing(nil, nil)},
			want: []string{"CRD own of katalog code: constructor example.com/own.New: returned no reconciler"},
		},
		"ConstructorFails": {
			reason: "its error is told with what it is of",
			hooks:  map[string]*hook.Hook{"example.com/hooks.W": good}, constructors: map[string]constructor.Func{"example.com/own.New": constructing(nil, errors.New("no image"))},
			want: []string{"CRD own of katalog code: constructor example.com/own.New: no image"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := engine.New(newManager(t), engine.Options{Katalogs: []*orkv1.Katalog{naming()}, Hooks: tc.hooks, Constructors: tc.constructors})
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s\nNew(...) = %v, want %q", tc.reason, err, want)
				}
			}
		})
	}
}

// A constructor is called once for an entry, also when other Katalogs take the place of the present ones and leave it as it is.
func TestConstructorIsCalledOnce(t *testing.T) {
	calls := 0
	options := engine.Options{
		Katalogs: []*orkv1.Katalog{naming()},
		Hooks:    map[string]*hook.Hook{"example.com/hooks.W": hookOf[*unstructured.Unstructured]()},
		Constructors: map[string]constructor.Func{"example.com/own.New": func(mgr manager.Manager, given args.Args) (reconcile.Reconciler, error) {
			calls++
			if given.Int("days") != 3 || mgr.GetClient() == nil {
				t.Errorf("days is %d, want 3", given.Int("days"))
			}
			return nothing, nil
		}},
	}
	e, err := engine.New(newManager(t), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Replace(naming(), declaring("other", "further", "fine")); err != nil {
		t.Fatal(err)
	}
	if calls != 1 {
		t.Errorf("the constructor was called %d times, want once", calls)
	}
}
