//go:build !gateway

package main

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/docker/buildkit"
	"github.com/orkestra-runtime/orkestra/providers/docker/engine"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// builders are those of the daemons that there are.
func builders(d cli.Daemons) (map[orkv1.DockerBuilder]image.Builder, error) {
	all := map[orkv1.DockerBuilder]image.Builder{}
	if d.BuildKit != "" {
		builder, err := buildkit.New(d.BuildKit, buildkit.Options{TLSDir: d.BuildKitTLS})
		if err != nil {
			return nil, err //nolint:wrapcheck // names the daemon
		}
		all[orkv1.BuilderBuildKit] = builder
	}
	for name, address := range map[orkv1.DockerBuilder]string{orkv1.BuilderDocker: d.Docker, orkv1.BuilderPodman: d.Podman} {
		if address == "" {
			continue
		}
		builder, err := engine.New(address, engine.Options{TLSDir: d.DockerTLS})
		if err != nil {
			return nil, err //nolint:wrapcheck // names the daemon
		}
		all[name] = builder
	}
	return all, nil
}
