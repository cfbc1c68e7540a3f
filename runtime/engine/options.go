package engine

import (
	"errors"
	"time"

	"k8s.io/client-go/rest"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// Options configure an Engine.
type Options struct {
	// Katalogs to run. At least one, unless Empty is set.
	Katalogs []*orkv1.Katalog
	// Empty allows to begin without Katalogs, for an engine that is given them with Replace. Defaults to false, which is an error.
	Empty bool
	// Registry of the kinds that a Katalog can declare as children. Defaults to all built-in ones.
	Registry *controllers.Registry
	// Hooks are the Go hooks that Katalogs name, by location and function with a point between them:
	// {"example.com/shop/hooks.Website": hook.New(...)}. Defaults to none.
	Hooks map[string]*hook.Hook
	// Constructors are the functions that make whole reconcilers, by the same names. Defaults to none.
	Constructors map[string]constructor.Func
	// External has a client for each protocol of external calls. Defaults to one for http that refuses the addresses which
	// reach.Options names.
	External external.Registry
	// Providers keep the infrastructure outside of the cluster that Katalogs declare. A Katalog that requires another one is not run.
	// Defaults to none.
	Providers *providers.Registry
	// ProviderTimeout bounds one call of a provider. Defaults to a minute.
	ProviderTimeout time.Duration
	// Checkouts fetches the repositories that Katalogs name, such as what git.New of providers/git returns. Nil: there is nothing that
	// does, and a Katalog with a repository is an error.
	Checkouts checkout.Fetcher
	// Builders build the images of docker steps, by the names that a step may give. The one of the empty name builds what names none.
	// Defaults to none: a Katalog that builds an image is an error.
	Builders map[orkv1.DockerBuilder]image.Builder
	// Builds bounds what is built.
	Builds image.Options
	// Registries are where images may be pushed to. Defaults to all but addresses, and names of the machine itself, that reach.Options names.
	Registries *image.Registries
	// BuildRoot is the folder that images may be built from without a git step. Defaults to none.
	BuildRoot string
	// Namespace is where the engine keeps what it must remember over a restart. Defaults to default.
	Namespace string
	// Drain is how long cycles that have begun may go on after the Manager stops. It should be less than the Manager's
	// GracefulShutdownTimeout. Defaults to 20s; negative cancels them at once.
	Drain time.Duration
	// Now is the clock of conditions and of the status. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if len(o.Katalogs) == 0 && !o.Empty {
		return errors.New("no Katalog to run")
	}
	if o.Registry == nil {
		registry, err := builtin.Registry()
		if err != nil {
			return err
		}
		o.Registry = registry
	}
	if o.External == nil {
		o.External = external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(nil)}
	}
	if o.Providers == nil {
		o.Providers = &providers.Registry{}
	}
	if o.ProviderTimeout < 0 {
		return errors.New("ProviderTimeout must not be negative")
	}
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	if o.Drain == 0 {
		o.Drain = 20 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// unthrottled leaves the rate of requests to the server's own priority and fairness: a client-side limit that nobody set would be
// the bottleneck.
func unthrottled(config *rest.Config) *rest.Config {
	if config.QPS != 0 || config.RateLimiter != nil {
		return config
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	return config
}
