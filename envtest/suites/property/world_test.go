package property_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
)

// names of resources. There are resources of one name in two namespaces.
var names = []string{"one", "two"}

// longest is how long things may take to come to rest: garbage collection learns of a new kind within half a minute.
const longest = time.Minute

// world is one run.
type world struct {
	*cluster
	t      *testing.T
	seed   uint64
	random *rand.Rand
	// katalogs are the versions, and version the one that the operator runs, or runs next if it is stopped.
	katalogs map[string]*katalog.Document
	version  string
	operator *operator.Operator // nil: stopped
	// specs are those of the resources that there are to be, by namespace/name.
	specs map[string]map[string]any
	// foreign are the children to which somebody has added fields.
	foreign map[types.UID]bool
	taken   []string
}

func newWorld(t *testing.T, c *cluster, seed uint64) *world {
	t.Helper()
	return &world{
		cluster: c, t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 0)),
		katalogs: readVersions(t), version: "as it is", specs: map[string]map[string]any{}, foreign: map[types.UID]bool{},
	}
}

func pick[T any](w *world, list []T) T { return list[w.random.IntN(len(list))] }

// shop is a resource as a key to read it.
func shop(called string) *unstructured.Unstructured {
	for _, namespace := range namespaces {
		for _, name := range names {
			if one := object(shopKind, namespace, name); called == key(one) {
				return one
			}
		}
	}
	panic("no resource is called " + called)
}

// present is one of the resources that there are to be, empty when there is none.
func (w *world) present() string {
	if len(w.specs) == 0 {
		return ""
	}
	return pick(w, slices.Sorted(maps.Keys(w.specs)))
}

// randomSpec is the spec of a new resource.
func (w *world) randomSpec() map[string]any {
	spec := map[string]any{
		"size": int64(1), "text": "alpha", "mode": "red", "profile": "tiny", "part": "true", "kept": "true", "first": "true",
		"keys": map[string]any{"k1": "x", "k2": "y"}, "targets": w.some(targets),
		"items": []any{map[string]any{"name": "a", "value": "v"}, map[string]any{"name": "b", "value": "w"}},
	}
	for range 4 {
		w.changeSpec(spec)
	}
	return spec
}

// create makes a resource, as soon as that is possible.
func (w *world) create(called string) {
	w.t.Helper()
	one := shop(called)
	one.Object["spec"] = w.specs[called]
	gomega.NewWithT(w.t).Eventually(func() error {
		return w.Create(w.t.Context(), one.DeepCopy())
	}).WithTimeout(longest).WithPolling(20*time.Millisecond).Should(gomega.Succeed(), func() string { return w.story("create " + called) })
}

// update writes the spec of a resource, which exists.
func (w *world) update(called string) {
	w.t.Helper()
	one := shop(called)
	if err := w.Get(w.t.Context(), client.ObjectKeyFromObject(one), one); err != nil {
		w.failf("read %s: %v", called, err)
	}
	was := client.MergeFrom(one.DeepCopy())
	one.Object["spec"] = runtime.DeepCopyJSON(w.specs[called])
	if err := w.Patch(w.t.Context(), one, was); err != nil {
		w.failf("change %s: %v", called, err)
	}
}

// run starts the operator, unless it runs.
func (w *world) run() {
	w.t.Helper()
	if w.operator != nil {
		return
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), longest)
	defer cancel()
	var err error
	if w.operator, err = operator.Start(ctx, w.env.Config(), w.katalogs[w.version].Katalog, ownNamespace); err != nil {
		w.failf("start the operator: %v", err)
	}
}

func (w *world) stop() {
	w.t.Helper()
	if w.operator == nil {
		return
	}
	stopped := w.operator
	w.operator = nil
	if err := stopped.Stop(); err != nil {
		w.failf("stop the operator: %v", err)
	}
}

// tidyUp leaves the cluster to the next run as this one found it.
func (w *world) tidyUp() {
	if w.t.Failed() { // there is no next one
		if w.operator != nil {
			_ = w.operator.Stop()
		}
		return
	}
	w.stop()
	for _, namespace := range namespaces {
		for _, name := range names {
			if err := client.IgnoreNotFound(w.Delete(w.t.Context(), unowned(namespace, name))); err != nil {
				w.t.Error(err)
			}
		}
	}
}

// unowned is an object that somebody else makes, called as a child of a resource may be.
func unowned(namespace, name string) *unstructured.Unstructured {
	return object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), namespace, name+"-kept")
}

// read reads an object as it is, nil when it is not there.
func (w *world) read(one *unstructured.Unstructured) *unstructured.Unstructured {
	w.t.Helper()
	live := one.DeepCopy()
	err := w.Get(w.t.Context(), client.ObjectKeyFromObject(one), live)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		w.failf("read %s: %v", key(one), err)
	}
	return live
}
