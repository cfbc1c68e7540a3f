package examples_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/command"
)

// cluster looks objects up by what the tables say of them.
type cluster struct {
	client dynamic.Interface
	mapper meta.RESTMapper
}

// newCluster knows the kinds that are served now.
func newCluster(t *testing.T, config *rest.Config) *cluster {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := restmapper.GetAPIGroupResources(served)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{client: client, mapper: restmapper.NewDiscoveryRESTMapper(groups)}
}

func (c *cluster) resource(t *testing.T, o object) dynamic.ResourceInterface {
	t.Helper()
	gvr, err := c.mapper.ResourceFor(schema.GroupVersionResource{Resource: strings.ToLower(o.kind)})
	if err != nil {
		t.Fatal(err)
	}
	if o.namespace == "" {
		return c.client.Resource(gvr)
	}
	return c.client.Resource(gvr).Namespace(o.namespace)
}

// has checks that the objects exist.
func (c *cluster) has(t *testing.T, objects []object) {
	t.Helper()
	for _, o := range objects {
		if _, err := c.resource(t, o).Get(t.Context(), o.name, metav1.GetOptions{}); err != nil {
			t.Errorf("printed, but not there: %v", err)
		}
	}
}

// awaitApplied waits until the operator has applied crFiles. What was changed before that, it would undo.
func (c *cluster) awaitApplied(t *testing.T, operator *command.Process, roots []object) {
	t.Helper()
	gomega.NewWithT(t).Eventually(func() []object { return missing(roots, applied(operator.Log())) }).
		WithTimeout(30*time.Second).WithPolling(50*time.Millisecond).
		Should(gomega.BeEmpty(), "these are not applied yet")
}

// deleteRoots deletes the resources, one after the other, and waits until each is gone with all that it made.
func (c *cluster) deleteRoots(t *testing.T, settled printed) {
	t.Helper()
	g := gomega.NewWithT(t)
	for _, root := range settled.roots() {
		if err := c.resource(t, root).Delete(t.Context(), root.name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		g.Eventually(func() []string { return c.left(t, []object{root}) }).
			WithTimeout(30*time.Second).WithPolling(100*time.Millisecond).
			Should(gomega.BeEmpty(), "a finalizer is removed when its work is done")
	}
	g.Eventually(func() []string { return c.left(t, settled.objects()) }).
		WithTimeout(60*time.Second).WithPolling(200*time.Millisecond).
		Should(gomega.BeEmpty(), "children go with their resource")
}

// left lists those of the objects that still exist.
func (c *cluster) left(t *testing.T, objects []object) []string {
	t.Helper()
	var left []string
	for _, o := range objects {
		switch found, err := c.resource(t, o).Get(t.Context(), o.name, metav1.GetOptions{}); {
		case apierrors.IsNotFound(err):
		case err != nil:
			left = append(left, err.Error())
		default:
			left = append(left, fmt.Sprintf("%s %s/%s with finalizers %v", o.kind, o.namespace, o.name, found.GetFinalizers()))
		}
	}
	return left
}

// applied are the objects that the log tells of.
func applied(log string) []object {
	var all []object
	for line := range strings.Lines(log) {
		var entry struct {
			Msg       string `json:"msg"`
			Kind      string `json:"kind"`
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err == nil && entry.Msg == "applied" {
			all = append(all, object{entry.Kind, entry.Namespace, entry.Name})
		}
	}
	return all
}

// missing are those of the objects that the others lack.
func missing(objects, others []object) []object {
	return slices.DeleteFunc(slices.Clone(objects), func(o object) bool { return slices.Contains(others, o) })
}
