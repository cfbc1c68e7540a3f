// Command controlplane is one binary that holds every part of a local Kubernetes control plane: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kwok and kubectl.
//
// The part is chosen by the name the binary is started by, as busybox does, so a folder of links to it is a valid
// KUBEBUILDER_ASSETS folder. Started by another name, the first argument chooses.
//
// It is a module of its own because the Kubernetes server modules pin, and replace, versions that no user of Orkestra
// as a library should be bound to.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	// CronJobs name time zones, and the machine may have no zone database.
	_ "time/tzdata"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	// The servers' own main packages import these for the JSON log format and for their client and build metrics.
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// parts maps the name of a part to its main function, which returns the exit code.
var parts = map[string]func() int{
	"etcd": func() int {
		etcdmain.Main(os.Args)
		return 0
	},
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubectl":                 func() int { return cli.Run(kubectl.NewDefaultKubectlCommand()) },
	"kwok":                    runKwok,
	"kwok-stages":             printStages,
}

func main() {
	run, ok := parts[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		os.Args = os.Args[1:]
		run, ok = parts[os.Args[0]]
	}
	if !ok {
		names := slices.Sorted(maps.Keys(parts))
		fmt.Fprintf(os.Stderr, "usage: controlplane %s [ARG ...]\n", strings.Join(names, "|"))
		os.Exit(2)
	}
	os.Exit(run())
}
