package cli

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/providers/image"
)

// Builders makes what builds images, by the names that they have in a Katalog.
type Builders func(Daemons) (map[orkv1.DockerBuilder]image.Builder, error)

// Daemons are those that build images, by their addresses. An empty one is not there.
type Daemons struct {
	// BuildKit is tcp://host:port or unix:///path, and BuildKitTLS a folder with ca.pem, cert.pem and key.pem. Without it the connection
	// is not encrypted.
	BuildKit, BuildKitTLS string
	// Docker and Podman are those of an Engine API: unix:///path or tcp://host:port.
	Docker, Podman string
	// DockerTLS is a folder like BuildKitTLS, for a tcp address of Docker or Podman.
	DockerTLS string
}

// Where the daemons of a developer's machine listen.
const (
	dockerSocket = "unix:///var/run/docker.sock"
	podmanSocket = "unix:///run/podman/podman.sock"
)

// builderFlags tell what builds images, and how.
type builderFlags struct {
	daemons    Daemons
	registries []string
	root       string
	limit      string
	image.Options
}

func (f *builderFlags) add(cmd *cobra.Command, environment *command.Environment) {
	flags := cmd.Flags()
	f.daemons.DockerTLS = os.Getenv("DOCKER_CERT_PATH")
	docker, podman := os.Getenv("DOCKER_HOST"), os.Getenv("CONTAINER_HOST")
	if !command.InCluster() {
		docker, podman = cmp.Or(docker, dockerSocket), cmp.Or(podman, podmanSocket)
	}
	flags.StringVar(&f.daemons.BuildKit, "buildkit-addr", os.Getenv("BUILDKIT_HOST"), "BuildKit daemon that builds images: tcp://host:port or unix:///path; default: BUILDKIT_HOST")
	flags.StringVar(&f.daemons.BuildKitTLS, "buildkit-tls-dir", "", "folder with ca.pem, cert.pem and key.pem for the connection to the BuildKit daemon")
	flags.StringVar(&f.daemons.Docker, "docker-host", docker, "Docker daemon that builds images; default: DOCKER_HOST, outside of a cluster its socket")
	flags.StringVar(&f.daemons.Podman, "podman-host", podman, "Podman service that builds images; default: CONTAINER_HOST, outside of a cluster its socket")
	flags.StringSliceVar(&f.registries, "registry-allow", nil, "registries that images may be pushed to, such as registry.example.com:5000, and no others; default: all that external calls may reach")
	flags.IntVar(&f.Workers, "build-workers", 2, "how many images are built at once")
	flags.DurationVar(&f.Timeout, "build-timeout", environment.Duration("BUILD_TIMEOUT", 0), "how long building an image may take; default: BUILD_TIMEOUT, else 15m")
	flags.StringVar(&f.root, "build-root", "", "folder that images may be built from without a git step; default: none")
	flags.StringVar(&f.limit, "build-context-limit", "256Mi", "how large the folder may be that an image is built from")
}

func (f *builderFlags) check() error {
	limit, err := resource.ParseQuantity(f.limit)
	switch {
	case err != nil || limit.Value() <= 0:
		return fmt.Errorf("--build-context-limit: want a size such as 256Mi, got %q", f.limit)
	case f.Workers < 1:
		return fmt.Errorf("--build-workers must be at least 1, got %d", f.Workers)
	case f.Timeout < 0:
		return fmt.Errorf("--build-timeout must not be negative, got %s", f.Timeout)
	}
	if f.root != "" {
		if info, err := os.Stat(f.root); err != nil || !info.IsDir() {
			return fmt.Errorf("--build-root: %q is no folder that can be read", f.root)
		}
	}
	f.MaxContext = limit.Value()
	_, err = f.byDefault()
	return err
}

// byDefault is what builds an image that names no builder: what OCI_BUILDER says, else BuildKit in a cluster and where there is one, else
// Docker.
func (f *builderFlags) byDefault() (orkv1.DockerBuilder, error) {
	switch name := orkv1.DockerBuilder(os.Getenv("OCI_BUILDER")); name {
	case orkv1.BuilderBuildKit, orkv1.BuilderDocker, orkv1.BuilderPodman:
		return name, nil
	case "":
	default:
		return "", fmt.Errorf("environment variable OCI_BUILDER is %q, want buildkit, docker or podman", name)
	}
	if command.InCluster() || f.daemons.BuildKit != "" {
		return orkv1.BuilderBuildKit, nil
	}
	return orkv1.BuilderDocker, nil
}

// registries are those that images may be pushed to.
func (f *runFlags) registries() (*image.Registries, error) {
	dialer, err := f.external.Dialer()
	if err != nil {
		return nil, err
	}
	registries, err := image.NewRegistries(image.RegistriesOptions{Allow: f.builders.registries, Dialer: dialer})
	if err != nil {
		return nil, fmt.Errorf("--registry-allow: %w", err)
	}
	return registries, nil
}

// builders are those that are configured.
func (f *builderFlags) builders(of Builders) (map[orkv1.DockerBuilder]image.Builder, error) {
	if of == nil {
		return nil, nil
	}
	all, err := of(f.daemons)
	if err != nil {
		return nil, err
	}
	byDefault, err := f.byDefault()
	if err != nil {
		return nil, err
	}
	if builder := all[byDefault]; builder != nil {
		all[""] = builder
	}
	return all, nil
}
