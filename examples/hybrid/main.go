// Command hybrid is an operator of licenses: what YAML can say stands in a Katalog, and the rest is a Go hook.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	licensev1 "github.com/orkestra-runtime/orkestra/examples/hybrid/api/v1"
	"github.com/orkestra-runtime/orkestra/examples/hybrid/hooks"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), ctrl.GetConfigOrDie(), "katalog.yaml", ctrl.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "hybrid:", err)
		os.Exit(1)
	}
}

// run runs the operator until ctx ends.
func run(ctx context.Context, config *rest.Config, file string, opts ctrl.Options) error {
	loaded, err := katalog.Load(katalog.Options{FilesOptional: true, Env: os.Getenv}, file)
	if err != nil {
		return fmt.Errorf("load the Katalog: %w", err)
	}
	opts.Scheme = runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, licensev1.AddToScheme} {
		if err := add(opts.Scheme); err != nil {
			return fmt.Errorf("fill the scheme: %w", err)
		}
	}
	// The hook reads one Secret at a time: no need to have all of the cluster in memory.
	opts.Client.Cache = &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}}}
	mgr, err := ctrl.NewManager(config, opts)
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	_, err = engine.New(mgr, engine.Options{
		Katalogs: []*orkv1.Katalog{loaded.Documents[0].Katalog},
		Hooks: map[string]*hook.Hook{
			"github.com/orkestra-runtime/orkestra/examples/hybrid/hooks.Licenses": hooks.Licenses(),
		},
	})
	if err != nil {
		return fmt.Errorf("make the engine: %w", err)
	}
	return mgr.Start(ctx) //nolint:wrapcheck // says all there is to say
}
