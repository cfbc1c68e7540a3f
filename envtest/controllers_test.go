package envtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/orkestra-runtime/orkestra/envtest"
)

// TestControllers runs beside TestKeptFolder, as two suites with environments of their own do.
func TestControllers(t *testing.T) {
	needBinaries(t, true)
	t.Parallel()
	env := start(t, envtest.Options{Controllers: true, Nodes: 3})
	client := clientFor(t, env.Config())

	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 3 {
		t.Errorf("want 3 nodes, got %d", len(nodes.Items))
	}
	t.Run("DeploymentBecomesReady", func(t *testing.T) { checkDeployment(t, client, "first") })
	t.Run("DependentIsCollected", func(t *testing.T) { checkCollection(t, client) })
	t.Run("ControllersSurviveRestart", func(t *testing.T) {
		if err := env.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkDeployment(t, client, "second")
	})
}

func checkDeployment(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example/web:1"}}},
			},
		},
	}
	deployments := client.AppsV1().Deployments("default")
	if _, err := deployments.Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, func(ctx context.Context) error {
		got, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if got.Status.AvailableReplicas != 2 {
			return fmt.Errorf("%d of 2 replicas are available", got.Status.AvailableReplicas)
		}
		return nil
	})
	pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + name})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		if pod.Spec.ServiceAccountName != "default" {
			t.Errorf("the pod %s runs as %q: ServiceAccount admission is to be on", pod.Name, pod.Spec.ServiceAccountName)
		}
	}
}

func checkCollection(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	configMaps := client.CoreV1().ConfigMaps("default")
	owner, err := configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dependent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:            "dependent",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}},
	}}
	if _, err := configMaps.Create(t.Context(), dependent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := configMaps.Delete(t.Context(), owner.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, func(ctx context.Context) error {
		_, err := configMaps.Get(ctx, "dependent", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("the dependent is still there"), err)
	})
}
