package envtest

import (
	"context"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"
)

// prepare does all that needs no process: it reads the CRDs, finds the binaries, locks the folder, reserves the port and
// makes the keys.
func (e *Environment) prepare(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	crds, err := ReadCRDs(e.opts.CRDPaths...)
	if err != nil {
		return nil, err
	}
	if e.opts.Assets, err = chooseAssets(e.opts.Assets, e.opts.Controllers); err != nil {
		return nil, err
	}
	if e.folder, err = openFolder(ctx, e.opts.Dir); err != nil {
		return nil, err
	}
	if e.socket, e.port, err = e.folder.reservePort(); err != nil {
		return nil, err
	}
	if e.credentials, err = loadCredentials(e.folder, "https://127.0.0.1:"+strconv.Itoa(e.port)); err != nil {
		return nil, err
	}
	if e.config, err = e.credentials.config("admin", administrators); err != nil {
		return nil, err
	}
	return append(crds, e.opts.CRDs...), writeKubeconfig(e.Kubeconfig(), e.config)
}

// startServers starts etcd and the API server together, since the latter waits for the former by itself, and returns when
// the API server is ready.
func (e *Environment) startServers(ctx context.Context) error {
	e.launcher = newLauncher()
	var err error
	if e.etcd, err = e.etcdCommand().start(e.launcher, e.folder.lock, e.opts.Log); err != nil {
		return err
	}
	if e.apiServer, err = e.apiServerCommand().start(e.launcher, e.folder.lock, e.opts.Log); err != nil {
		return err
	}
	return e.awaitAPIServer(ctx)
}

func (e *Environment) awaitAPIServer(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(e.config)
	if err != nil {
		return err
	}
	return await(ctx, "the API server is not ready", []*process{e.etcd, e.apiServer}, e.apiServer, func(ctx context.Context) error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// startControllers starts the other parts, each with an identity of its own, and creates the nodes.
func (e *Environment) startControllers(ctx context.Context) error {
	for _, c := range e.controllerCommands() {
		// The parts of a real cluster get by with less than an administrator's rights, by many more bindings than a
		// local one is worth.
		cfg, err := e.credentials.config("system:"+c.name(), administrators)
		if err != nil {
			return err
		}
		if err := writeKubeconfig(e.kubeconfigOf(c.name()), cfg); err != nil {
			return err
		}
		p, err := c.start(e.launcher, e.folder.lock, e.opts.Log)
		if err != nil {
			return err
		}
		e.controllers = append(e.controllers, p)
	}
	client, err := kubernetes.NewForConfig(e.config)
	if err != nil {
		return err
	}
	return createNodes(ctx, client, e.opts.Nodes)
}

func (e *Environment) awaitControllers(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(e.config)
	if err != nil {
		return err
	}
	processes := append([]*process{e.etcd, e.apiServer}, e.controllers...)
	return await(ctx, "pods can't be scheduled", processes, e.controllers[0], func(ctx context.Context) error {
		return podsCanRun(ctx, client, e.opts.Nodes)
	})
}
