package envtest_test

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/orkestra-runtime/orkestra/envtest"
)

func Example() {
	ctx := context.Background()
	env, err := envtest.Start(ctx, envtest.Options{CRDPaths: []string{"testdata/crds"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer func() { _ = env.Stop() }()

	client, err := kubernetes.NewForConfig(env.Config())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	created, err := client.CoreV1().ConfigMaps("default").Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "greeting"}, Data: map[string]string{"hello": "world"}},
		metav1.CreateOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Fprintln(os.Stdout, created.Name, created.Data["hello"])
	// Output: greeting world
}
