package envtest

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const (
	defaultNodes        = 2
	defaultStartTimeout = 60 * time.Second
)

// Options describe a control plane. The zero value is an API server with its etcd in a temporary folder.
type Options struct {
	// Controllers adds the controller manager, the scheduler and kwok with fake nodes, so that Deployments become ready,
	// Jobs complete, namespaces are emptied and dependents of deleted owners are collected. It also turns ServiceAccount
	// admission on, which is off otherwise because nothing would make the accounts.
	Controllers bool

	// Nodes is the number of fake nodes, named node-0 and so on. Default 2 with Controllers; an error without.
	Nodes int

	// Dir holds data, keys, kubeconfig and logs, and is kept at Stop: a later Start with the same Dir finds its objects
	// again, and kubeconfigs and tokens of the earlier one stay valid. It is made when absent. Default: a temporary folder
	// that Stop removes.
	Dir string

	// Assets is the folder that holds the binaries. Default: what Assets finds.
	Assets string

	// CRDs are installed and served when Start returns.
	CRDs []*apiextensionsv1.CustomResourceDefinition

	// CRDPaths are files and folders, as ReadCRDs takes them, whose CustomResourceDefinitions are treated as CRDs.
	CRDPaths []string

	// APIServerFlags are appended to the API server's own flags, each in the form --name=value. Of a flag with one value
	// the last one counts; lists accumulate.
	APIServerFlags []string

	// StartTimeout bounds Start and RestartAPIServer, besides their context. Default 60s.
	StartTimeout time.Duration

	// Log receives the progress of the start and the exit of a process that nobody stopped. Default: discarded.
	Log logr.Logger
}

// withDefaults returns the options with every default filled in but Assets and Dir, which need the machine.
func (o Options) withDefaults() Options {
	if o.Controllers && o.Nodes == 0 {
		o.Nodes = defaultNodes
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = defaultStartTimeout
	}
	return o
}

func (o Options) validate() error {
	var errs []error
	if o.Nodes < 0 {
		errs = append(errs, fmt.Errorf("option Nodes is %d: give a number of nodes, or 0 for %d", o.Nodes, defaultNodes))
	}
	if o.Nodes > 0 && !o.Controllers {
		errs = append(errs, fmt.Errorf("option Nodes is %d without Controllers: nothing would run on them; set Controllers too", o.Nodes))
	}
	if o.StartTimeout < 0 {
		errs = append(errs, fmt.Errorf("option StartTimeout is %s: give a positive duration, or 0 for %s", o.StartTimeout, defaultStartTimeout))
	}
	return errors.Join(errs...)
}
