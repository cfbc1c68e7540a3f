package envtest

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	serviceRange = "10.96.0.0/16"
	podRange     = "10.244.0.0/16"

	// etcdSocket is relative to the working folder, because the system allows a socket's path only about a hundred bytes.
	etcdSocket = "unix://etcd.sock"
)

// serviceAddress is the first of serviceRange, which is the API server's own.
var serviceAddress = net.IPv4(10, 96, 0, 1)

// controllers are those that make what a user declares happen. Left out are the ones for clouds, for volumes of real disks
// and for kubelets that ask for certificates. node-lifecycle-controller takes the taint off new nodes.
var controllers = []string{
	"garbage-collector-controller", "namespace-controller", "ttl-after-finished-controller", "resourcequota-controller",
	"serviceaccount-controller", "serviceaccount-token-controller", "root-ca-certificate-publisher-controller",
	"clusterrole-aggregation-controller", "deployment-controller", "replicaset-controller", "statefulset-controller",
	"daemonset-controller", "job-controller", "cronjob-controller", "endpoints-controller", "endpointslice-controller",
	"disruption-controller", "pod-garbage-collector-controller", "persistentvolume-binder-controller",
	// Without them what they protect could never be deleted.
	"persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller",
	"node-lifecycle-controller",
}

// command returns a command for the named binary.
func (e *Environment) command(name string, args ...string) command {
	return command{
		binary: filepath.Join(e.opts.Assets, name),
		args:   args,
		dir:    e.folder.join("etcd"),
		log:    e.folder.join("logs", name+".log"),
	}
}

// etcdCommand serves on a socket in the folder: there is no port to choose, and permissions keep other users out.
func (e *Environment) etcdCommand() command {
	return e.command("etcd",
		"--name=envtest",
		"--data-dir="+e.folder.join("etcd", "data"),
		"--listen-client-urls="+etcdSocket,
		"--advertise-client-urls="+etcdSocket,
		"--listen-peer-urls=http://127.0.0.1:0",
		"--initial-advertise-peer-urls=http://127.0.0.1:0",
		"--initial-cluster=envtest=http://127.0.0.1:0",
		"--log-level=warn",
		// What is thrown away at Stop need not survive a power cut.
		"--unsafe-no-fsync="+strconv.FormatBool(e.folder.temporary),
	)
}

func (e *Environment) apiServerCommand() command {
	pki := func(file string) string { return e.folder.join("pki", file) }
	args := []string{
		"--etcd-servers=" + etcdSocket,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--external-hostname=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--secure-port=" + strconv.Itoa(e.port),
		// The environment itself holds the port.
		"--permit-port-sharing=true",
		"--tls-cert-file=" + pki("apiserver.crt"),
		"--tls-private-key-file=" + pki("apiserver.key"),
		"--client-ca-file=" + pki("ca.crt"),
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		"--service-cluster-ip-range=" + serviceRange,
		"--service-account-issuer=" + e.config.Host,
		"--service-account-jwks-uri=" + e.config.Host + "/openid/v1/jwks",
		"--service-account-key-file=" + pki("sa.key"),
		"--service-account-signing-key-file=" + pki("sa.key"),
		// There is one client, and it is not to be limited.
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight=0",
		"--max-mutating-requests-inflight=0",
		"--profiling=false",
		// Without it, a server that is asked to end waits a minute for clients to give up their watches.
		"--shutdown-watch-termination-grace-period=1s",
	}
	if !e.opts.Controllers {
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	return e.command("kube-apiserver", append(args, e.opts.APIServerFlags...)...)
}

// controllerCommands are the parts that talk to the API server, in the order in which they start. None keeps state of its
// own.
func (e *Environment) controllerCommands() []command {
	return []command{
		e.command("kube-controller-manager",
			"--kubeconfig="+e.kubeconfigOf("kube-controller-manager"),
			"--service-account-private-key-file="+e.folder.join("pki", "sa.key"),
			"--root-ca-file="+e.folder.join("pki", "ca.crt"),
			"--leader-elect=false",
			"--secure-port=0",
			"--concurrent-gc-syncs=4",
			"--controllers="+strings.Join(controllers, ",")),
		e.command("kube-scheduler",
			"--kubeconfig="+e.kubeconfigOf("kube-scheduler"),
			"--leader-elect=false",
			"--secure-port=0"),
		e.command("kwok",
			"--kubeconfig="+e.kubeconfigOf("kwok"),
			"--config="+filepath.Join(e.opts.Assets, "kwok-stages.yaml"),
			"--manage-all-nodes=true",
			"--node-lease-duration-seconds=40",
			"--cidr="+podRange),
	}
}

func (e *Environment) kubeconfigOf(name string) string {
	return e.folder.join("pki", name+".kubeconfig")
}
