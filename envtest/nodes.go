package envtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func nodeName(i int) string { return "node-" + strconv.Itoa(i) }

// node returns a fake node. The scheduler fits pods into what it says it has.
func node(name string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("32"),
		corev1.ResourceMemory:           resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("1000"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: "amd64",
			},
		},
		Status: corev1.NodeStatus{Allocatable: room, Capacity: room},
	}
}

// createNodes creates the nodes that an earlier start has not.
func createNodes(ctx context.Context, client kubernetes.Interface, count int) error {
	for i := range count {
		_, err := client.CoreV1().Nodes().Create(ctx, node(nodeName(i)), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create the fake node %s: %w", nodeName(i), err)
		}
	}
	return nil
}

// podsCanRun returns nil when pods in the default namespace are admitted and scheduled: its ServiceAccount is there and the
// nodes are ready and without taints.
func podsCanRun(ctx context.Context, client kubernetes.Interface, nodes int) error {
	if _, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{}); err != nil {
		return fmt.Errorf("get the default ServiceAccount: %w", err)
	}
	for i := range nodes {
		n, err := client.CoreV1().Nodes().Get(ctx, nodeName(i), metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("get the node %s: %w", nodeName(i), err)
		}
		if !nodeReady(n) {
			return errors.New("the node " + n.Name + " is not ready")
		}
		if len(n.Spec.Taints) > 0 {
			return fmt.Errorf("the node %s has the taint %s", n.Name, n.Spec.Taints[0].ToString())
		}
	}
	return nil
}

func nodeReady(n *corev1.Node) bool {
	for _, condition := range n.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
