package envtest_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/orkestra-runtime/orkestra/envtest"
)

func clientFor(t *testing.T, cfg *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// whoAmI returns the user's name as the API server sees it, and its groups.
func whoAmI(t *testing.T, cfg *rest.Config) (string, []string) {
	t.Helper()
	review, err := clientFor(t, cfg).AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("ask the API server who we are: %v", err)
	}
	return review.Status.UserInfo.Username, review.Status.UserInfo.Groups
}

// TestKeptFolder follows one folder through its life: two starts, and a restart of the API server in the first.
func TestKeptFolder(t *testing.T) {
	needBinaries(t, false)
	t.Parallel()
	dir := t.TempDir()
	env := start(t, envtest.Options{Dir: dir})
	client := clientFor(t, env.Config())

	want := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Data: map[string]string{"key": "value"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), want, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := os.ReadFile(env.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	token := serviceAccountToken(t, client)

	t.Run("OtherStartRefused", func(t *testing.T) {
		begin := time.Now()
		_, err := envtest.Start(t.Context(), envtest.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), dir+" is in use by another live environment") {
			t.Errorf("Start() on a folder in use: want an error that says so, got %v", err)
		}
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("the refusal took %s: it has to come before any process is started", took)
		}
	})
	t.Run("AddUser", func(t *testing.T) { checkUser(t, env) })
	t.Run("RestartAPIServer", func(t *testing.T) { checkRestart(t, env, client) })

	stop(t, env)
	stop(t, env) // the second time nothing happens, and it is no error
	if err := env.RestartAPIServer(t.Context()); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("RestartAPIServer() after Stop: want an error that says so, got %v", err)
	}

	again := start(t, envtest.Options{Dir: dir})
	if again.Config().Host != env.Config().Host {
		t.Errorf("the second start serves at %s, the first did at %s", again.Config().Host, env.Config().Host)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	got, err := clientFor(t, cfg).CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	if err != nil {
		t.Fatalf("get the first start's object by the first start's kubeconfig: %v", err)
	}
	if got.Data["key"] != "value" {
		t.Errorf("the object came back with the data %v", got.Data)
	}
	byToken := rest.AnonymousClientConfig(again.Config())
	byToken.BearerToken = token
	if name, _ := whoAmI(t, byToken); name != "system:serviceaccount:default:robot" {
		t.Errorf("the first start's token is %q to the second", name)
	}
}

func serviceAccountToken(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	accounts := client.CoreV1().ServiceAccounts("default")
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	request, err := accounts.CreateToken(t.Context(), "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

func checkUser(t *testing.T, env *envtest.Environment) {
	t.Helper()
	cfg, err := env.AddUser("ada", "engineers")
	if err != nil {
		t.Fatal(err)
	}
	name, groups := whoAmI(t, cfg)
	if name != "ada" || !slices.Contains(groups, "engineers") {
		t.Errorf("AddUser(ada, engineers): the API server knows %s of %v", name, groups)
	}
	if _, err := clientFor(t, cfg).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user without a role lists Secrets: want Forbidden, got %v", err)
	}
	if _, err := env.AddUser(""); err == nil {
		t.Error("AddUser() without a name: want an error")
	}
}

// checkRestart restarts the API server under a client that is in use.
func checkRestart(t *testing.T, env *envtest.Environment, client kubernetes.Interface) {
	t.Helper()
	watch, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	if err := env.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, func(context.Context) error {
		for {
			select {
			case _, open := <-watch.ResultChan():
				if !open {
					return nil
				}
			default:
				return os.ErrDeadlineExceeded // the old server's watch is still open
			}
		}
	})
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Errorf("after the restart the old client gets: %v", err)
	}
}

func TestStartFails(t *testing.T) {
	needBinaries(t, false)
	assets, err := envtest.Assets(false)
	if err != nil {
		t.Fatal(err)
	}
	half := t.TempDir()
	if err := os.Symlink(filepath.Join(assets, "etcd"), filepath.Join(half, "etcd")); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()

	cases := map[string]struct {
		reason string
		ctx    context.Context //nolint:containedctx // an argument of the call under test
		opts   envtest.Options
		want   []string
	}{
		"UnknownFlag": {
			reason: "the error names the process that ended and carries its log",
			opts:   envtest.Options{APIServerFlags: []string{"--no-such-flag"}},
			want:   []string{"kube-apiserver ended (exit status 1)", "unknown flag: --no-such-flag"},
		},
		"MissingBinary": {
			reason: "the error names the part that is missing and what brings it",
			opts:   envtest.Options{Assets: half},
			want:   []string{half, "lacks kube-apiserver:", "make control-plane"},
		},
		"Nodes": {
			reason: "all that is wrong with the options is said at once",
			opts:   envtest.Options{Nodes: 3, StartTimeout: -time.Second},
			want:   []string{"Nodes is 3 without Controllers", "StartTimeout is -1s"},
		},
		"NoDefinition": {
			reason: "a path of CRDs is checked before anything is started",
			opts:   envtest.Options{CRDPaths: []string{"testdata/namespace.yaml"}},
			want:   []string{"testdata/namespace.yaml holds no CustomResourceDefinition"},
		},
		"Canceled": {
			reason: "the end of the context ends the start, and the error says what it waited for",
			ctx:    canceled,
			want:   []string{"the API server is not ready: context canceled"},
		},
		"Timeout": {
			reason: "StartTimeout ends the start",
			opts:   envtest.Options{StartTimeout: 200 * time.Millisecond},
			want:   []string{"the API server is not ready: context deadline exceeded", "connection refused"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			ctx := tc.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			_, err := envtest.Start(ctx, tc.opts)
			if err == nil {
				t.Fatalf("\n%s\nStart(...): want an error", tc.reason)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("\n%s\nStart(...): want an error with %q, got:\n%v", tc.reason, want, err)
				}
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("a failed start leaves %v (%v)", left, err)
			}
			if left := processesOf(t, tmp); len(left) > 0 {
				t.Errorf("a failed start leaves the processes %v", left)
			}
		})
	}
}
