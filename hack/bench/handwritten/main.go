// Command handwritten is what the benchmark measures Orkestra against: an operator of Websites written with controller-runtime,
// in two modes.
package main

import (
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
	"github.com/orkestra-runtime/orkestra/hack/bench/handwritten/controller"
)

func main() {
	// controller-runtime adds --kubeconfig.
	mode := flag.String("mode", controller.ModeCreateOrUpdate, "how children are written: "+controller.ModeCreateOrUpdate+" or "+controller.ModeApply)
	workers := flag.Int("workers", 1, "how many Websites are reconciled at once")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*mode, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "handwritten: "+err.Error())
		os.Exit(1)
	}
}

func run(mode string, workers int) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, websitev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return fmt.Errorf("build the scheme: %w", err)
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	if err := controller.Setup(mgr, mode, workers); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
