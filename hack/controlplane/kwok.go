package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	nodestages "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeatstages "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podstages "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// runKwok is kwok's main function without its banner. kwok stands in for the kubelets: it makes fake nodes ready and
// runs the life of the pods that are scheduled to them.
func runKwok() int {
	// Kubernetes' component-base has put a --version of another type on the process-wide flag set; kwok reads that set
	// and would exit on the type.
	pflag.CommandLine = pflag.NewFlagSet("kwok", pflag.ContinueOnError)

	early := pflag.NewFlagSet("early", pflag.ContinueOnError)
	early.ParseErrorsAllowlist.UnknownFlags = true
	early.Usage = func() {}

	ctx := signals.SetupSignalContext()
	ctx, logger := kwoklog.InitFlags(ctx, early)
	ctx, err := config.InitFlags(ctx, early)
	if err != nil {
		logger.Error("read the configuration", "err", err)
		return 1
	}
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(early)
	if err := command.ExecuteContext(ctx); err != nil {
		logger.Error("run", "err", err)
		return 1
	}
	return 0
}

// printStages prints the rules that kwok plays on nodes and pods. kwok has none built in and exits without them, so the
// build writes this output beside the binary, for kwok's --config.
func printStages() int {
	fmt.Fprintln(os.Stdout, strings.Join([]string{
		nodestages.DefaultNodeInit,
		heartbeatstages.DefaultNodeHeartbeatWithLease,
		podstages.DefaultPodReady,
		podstages.DefaultPodComplete,
		podstages.DefaultPodDelete,
	}, "\n---\n"))
	return 0
}
