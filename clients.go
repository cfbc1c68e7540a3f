//go:build !gateway

package main

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/builtin"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/docker/buildkit"
	"github.com/orkestra-runtime/orkestra/providers/docker/engine"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// withClients returns options with the clients of everything outside of the cluster, which the runtime itself does not know.
func withClients(opts cli.Options) cli.Options {
	registry, err := builtin.Registry()
	if err != nil {
		panic(err) // two providers of one name: a mistake of the program
	}
	opts.External, opts.Checkouts, opts.Builders, opts.Providers = all.Registry, checkouts, builders, registry
	return opts
}

// checkouts fetches repositories.
func checkouts(opts cli.CheckoutOptions) (checkout.Fetcher, error) {
	return git.New(git.Options{
		Dialer: opts.Dialer, Dir: opts.Dir, KnownHosts: opts.KnownHosts, Timeout: opts.Timeout, MaxBytes: opts.MaxBytes, MaxTotal: opts.MaxTotal,
	})
}

// builders are those of the daemons that there are.
func builders(d cli.Daemons) (map[orkv1.DockerBuilder]image.Builder, error) {
	known := map[orkv1.DockerBuilder]image.Builder{}
	if d.BuildKit != "" {
		builder, err := buildkit.New(d.BuildKit, buildkit.Options{TLSDir: d.BuildKitTLS})
		if err != nil {
			return nil, err //nolint:wrapcheck // names the daemon
		}
		known[orkv1.BuilderBuildKit] = builder
	}
	for name, address := range map[orkv1.DockerBuilder]string{orkv1.BuilderDocker: d.Docker, orkv1.BuilderPodman: d.Podman} {
		if address == "" {
			continue
		}
		builder, err := engine.New(address, engine.Options{TLSDir: d.DockerTLS})
		if err != nil {
			return nil, err //nolint:wrapcheck // names the daemon
		}
		known[name] = builder
	}
	return known, nil
}
