package world_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	conditions "github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// fetching starts an operator that may reach this machine, with its working copies below a folder. REPO stands in the box for a URL. It ends
// with the spec, or before by stop.
func fetching(ctx context.Context, namespace, box, repo, dir string) (o *operator.Operator, stop func()) {
	GinkgoHelper()
	dialer, err := reach.New(reach.Options{Allow: []string{"127.0.0.1"}})
	Expect(err).NotTo(HaveOccurred())
	f, err := git.New(git.Options{Dialer: dialer, Dir: dir, Timeout: 3 * time.Second, Share: time.Millisecond})
	Expect(err).NotTo(HaveOccurred())
	text := katalogOf(namespace, "", "", strings.ReplaceAll(box, "REPO", repo))
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	o, err = operator.StartWith(ctx, env.Config(), engine.Options{
		Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}, Namespace: namespace,
		Checkouts: f, External: external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)},
	})
	Expect(err).NotTo(HaveOccurred())
	stop = sync.OnceFunc(func() {
		Expect(o.Stop()).To(Succeed())
		Expect(f.Close()).To(Succeed())
	})
	DeferCleanup(stop)
	heard.listen(o, namespace)
	return o, stop
}

// builds makes a ConfigMap for each commit that is new, and keeps it, as a build would be.
const builds = `
onCreate:
  configMaps:
    - name: "build-{{ .metadata.name }}-{{ gitShortCommit .git.commit }}"
      data: {commit: "{{ .git.commit }}"}
      when: [{field: git.changed, equals: "true"}]
`

const quick = `
reconciler: {resync: 1s}
status:
  fields:
    - {path: commit, value: "{{ .git.commit }}"}
    - {path: git, value: "{{ .git.called }} {{ .git.succeeded }}", when: [{field: git.called, exists: true}]}
    - {path: error, value: "{{ .git.error }}", when: [{field: git.error, exists: true}], clearOnFalse: true}
`

// builtCommits are those that were built, by their short names.
func builtCommits(ctx context.Context, namespace string) func() []string {
	return func() []string {
		list := &corev1.ConfigMapList{}
		if err := cluster.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return []string{err.Error()}
		}
		commits := []string{}
		for i := range list.Items {
			if commit := list.Items[i].Data["commit"]; commit != "" {
				commits = append(commits, commit)
			}
		}
		return commits
	}
}

// recorded is the commit of the annotation.
func recorded(ctx context.Context, w *unstructured.Unstructured) func() string {
	return func() string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(w), w); err != nil {
			return err.Error()
		}
		return w.GetAnnotations()[orkv1.AnnotationLastCommit]
	}
}

// saidReady is the condition's status and message.
func saidReady(ctx context.Context, w *unstructured.Unstructured) func() string {
	return func() string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(w), w); err != nil {
			return err.Error()
		}
		found := conditions.Find(conditions.Conditions(w.Object), orkv1.ConditionReady)
		if found == nil {
			return "none"
		}
		return string(found.Status) + " " + found.Message
	}
}

var _ = Describe("git", func() {
	// Row 101.
	It("is changed by a new commit alone, also after a restart without the working copy", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		r := g.Repository("app")
		first := r.Commit(map[string]string{"a": "1"})
		_, stop := fetching(ctx, namespace, quick+builds+"onReconcile: {git: {repo: REPO}}", g.HTTP("app"), GinkgoT().TempDir())
		w := create(ctx, namespace, "w", "")
		Eventually(builtCommits(ctx, namespace)).Should(ConsistOf(first))
		Eventually(recorded(ctx, w)).Should(Equal(first))
		Consistently(builtCommits(ctx, namespace)).Should(ConsistOf(first))
		second := r.Commit(map[string]string{"a": "2"})
		Eventually(builtCommits(ctx, namespace)).Should(ConsistOf(first, second))
		Eventually(status(ctx, w)).Should(HaveKeyWithValue("commit", second))
		Expect(recorded(ctx, w)()).To(Equal(second))
		before := w.GetResourceVersion()
		Consistently(func() string { return recorded(ctx, w)() + w.GetResourceVersion() }).Should(Equal(second+before), "nothing new is no write")
		Expect(conditions.Find(conditions.Conditions(w.Object), orkv1.ConditionReady).Status).To(Equal(metav1.ConditionTrue))

		By("another operator in its place")
		stop()
		other, _ := fetching(ctx, namespace, quick+builds+"onReconcile: {git: {repo: REPO}}", g.HTTP("app"), GinkgoT().TempDir())
		Eventually(other.Cycles).Should(BeNumerically(">", 2))
		Consistently(builtCommits(ctx, namespace)).Should(ConsistOf(first, second))
	})

	It("records the commit in the older spelling's place, and runs no cycle for what it writes itself", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		first := g.Repository("app").Commit(map[string]string{"a": "1"})
		o, _ := fetching(ctx, namespace, builds+"reconciler: {resync: 1h}\nonReconcile: {git: {repo: REPO}}", g.HTTP("app"), GinkgoT().TempDir())
		w := widget(namespace, "w", "")
		w.SetAnnotations(map[string]string{orkv1.LegacyDomain + "last-commit": strings.Repeat("a", 40)})
		Expect(cluster.Create(ctx, w)).To(Succeed())
		Eventually(recorded(ctx, w)).Should(Equal(first))
		Expect(w.GetAnnotations()).NotTo(HaveKey(orkv1.LegacyDomain + "last-commit"))
		Expect(o.Settle(ctx)).To(Succeed())
		cycles := o.Cycles()
		Consistently(o.Cycles).Should(Equal(cycles))
		Expect(cycles).To(BeNumerically("<=", 2))
		Expect(builtCommits(ctx, namespace)()).To(ConsistOf(first))
	})

	It("is not changed by a commit that leaves its path alone", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		r := g.Repository("app")
		first := r.Commit(map[string]string{"api/a": "1", "web/a": "1"})
		fetching(ctx, namespace, quick+builds+"onReconcile: {git: {repo: REPO, path: '{{ .spec.path }}'}}", g.HTTP("app"), GinkgoT().TempDir())
		w := create(ctx, namespace, "w", "path: api")
		Eventually(recorded(ctx, w)).Should(Equal(first))
		other := r.Commit(map[string]string{"web/a": "2"})
		Eventually(recorded(ctx, w)).Should(Equal(other))
		third := r.Commit(map[string]string{"api/a": "2"})
		Eventually(builtCommits(ctx, namespace)).Should(ConsistOf(first, third))
	})

	// Row 103.
	It("Defect63: a commit stays new until a whole cycle has succeeded with it", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		first := g.Repository("app").Commit(map[string]string{"a": "1"})
		var fails, asked atomic.Bool
		fails.Store(true)
		builder := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Store(true)
			if fails.Load() || r.URL.Query().Get("commit") != first || r.URL.Query().Get("changed") != "true" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}))
		DeferCleanup(builder.Close)
		fetching(ctx, namespace, quick+`
onReconcile:
  git: {repo: REPO}
  external:
    - name: build
      url: "`+builder.URL+`/?commit={{ .git.commit }}&changed={{ .git.changed }}"
      when: [{field: git.changed, equals: "true"}]
`, g.HTTP("app"), GinkgoT().TempDir())
		w := create(ctx, namespace, "w", "")
		Eventually(asked.Load).Should(BeTrue())
		Eventually(saidReady(ctx, w)).Should(ContainSubstring("False external calls: build"))
		Consistently(recorded(ctx, w)).Should(BeEmpty())
		fails.Store(false)
		Eventually(recorded(ctx, w)).Should(Equal(first))
		Eventually(saidReady(ctx, w)).Should(HavePrefix("True"))
	})

	It("is fetched once by onCreate, and shows the commit from then on", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		r := g.Repository("app")
		first := r.Commit(map[string]string{"a": "1"})
		o, _ := fetching(ctx, namespace, quick+`
onCreate: {git: {repo: REPO}}
onReconcile:
  configMaps: [{name: shown, data: {commit: "{{ .git.commit }}"}}]
`, g.HTTP("app"), GinkgoT().TempDir())
		w := create(ctx, namespace, "w", "")
		Eventually(recorded(ctx, w)).Should(Equal(first))
		r.Commit(map[string]string{"a": "2"})
		listings, _ := g.Asked()
		cycles := o.Cycles()
		Eventually(o.Cycles).Should(BeNumerically(">", cycles+2))
		Expect(data(ctx, namespace, "shown")()).To(HaveKeyWithValue("commit", first))
		now, _ := g.Asked()
		Expect(now).To(Equal(listings))
	})

	It("reads its credential from a Secret, and neither tells it nor keeps it", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		g.Protect("robot", "right-password")
		first := g.Repository("app").Commit(map[string]string{"a": "1"})
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "repo"}, Type: corev1.SecretTypeBasicAuth,
			StringData: map[string]string{"username": "robot", "password": "wrong-password"},
		}
		Expect(cluster.Create(ctx, secret)).To(Succeed())
		fetching(ctx, namespace, quick+"onReconcile: {git: {repo: REPO, auth: {secretRef: {name: repo}}}}", g.HTTP("app"), GinkgoT().TempDir())
		w := create(ctx, namespace, "w", "")
		Eventually(saidReady(ctx, w)).Should(And(HavePrefix("False git: "), ContainSubstring("the credential is refused")))
		Eventually(status(ctx, w)).Should(And(HaveKeyWithValue("git", "true false"), HaveKeyWithValue("error", ContainSubstring("the credential is refused"))),
			"fields with a gate are written after a failure, too")
		Expect(fmt.Sprint(w.Object)).NotTo(ContainSubstring("password"))
		secret.StringData = map[string]string{"password": "right-password"}
		Expect(cluster.Update(ctx, secret)).To(Succeed())
		Eventually(recorded(ctx, w)).Should(Equal(first))
		Eventually(status(ctx, w)).Should(And(HaveKeyWithValue("git", "true true"), HaveKeyWithValue("error", ""))) //nolint:dupword // as it is
	})

	It("goes on without what can't be fetched, when it is told to, and says so", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		fetching(ctx, namespace, quick+`
onReconcile:
  git: {repo: REPO, continueOnError: true}
  configMaps: [{name: shown, data: {git: "{{ .git.called }} {{ .git.succeeded }} {{ .git.changed }} <{{ .git.commit }}>"}}]
`, g.HTTP("absent"), GinkgoT().TempDir())
		w := create(ctx, namespace, "w", "")
		Eventually(data(ctx, namespace, "shown")).Should(HaveKeyWithValue("git", "true false false <>")) //nolint:dupword // as it is
		Eventually(saidReady(ctx, w)).Should(HavePrefix("True"))
		Expect(recorded(ctx, w)()).To(BeEmpty())
	})

	It("is fetched over SSH from a host whose key is known, and its working copy goes with the resource", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		first := g.Repository("app").Commit(map[string]string{"a": "1"})
		Expect(cluster.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "repo"}, Type: corev1.SecretTypeSSHAuth,
			Data: map[string][]byte{"ssh-privatekey": g.Key, "known_hosts": g.KnownHosts},
		})).To(Succeed())
		dir := GinkgoT().TempDir()
		fetching(ctx, namespace, quick+`
onReconcile:
  git: {repo: REPO, auth: {secretRef: {name: repo}}}
  configMaps: [{name: shown, data: {path: "{{ .git.path }}"}}]
`, g.SSH("app"), dir)
		w := create(ctx, namespace, "w", "")
		Eventually(recorded(ctx, w)).Should(Equal(first))
		Eventually(data(ctx, namespace, "shown")).Should(HaveKey("path"))
		path := data(ctx, namespace, "shown")()["path"]
		text, err := os.ReadFile(filepath.Join(path, "a"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(Equal("1"))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(func() error { _, err := os.Stat(path); return err }).Should(MatchError(os.ErrNotExist))
	})

	It("is an error of its resource alone while its server is silent, and is there again with the server", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		first := g.Repository("app").Commit(map[string]string{"a": "1"})
		proxy := servers.StartProxy(GinkgoT(), g.Address)
		proxy.Set(servers.Hang)
		fetching(ctx, namespace, quick+"onReconcile: {git: {repo: '{{ .spec.repo }}'}}", "", GinkgoT().TempDir())
		silent := create(ctx, namespace, "silent", "repo: http://"+proxy.Address+"/app.git")
		well := create(ctx, namespace, "well", "repo: "+g.HTTP("app"))
		Eventually(recorded(ctx, well)).Should(Equal(first))
		Eventually(saidReady(ctx, silent)).Should(ContainSubstring("not fetched within 3s"))
		proxy.Set(servers.Pass)
		Eventually(recorded(ctx, silent)).Should(Equal(first))
	})

	It("Defect97, Defect98: takes nothing of a hostile resource for an option, a command or a way to the machine itself", func(ctx context.Context) {
		namespace, g := newNamespace(ctx), servers.StartGit(GinkgoT())
		g.Repository("app").Commit(map[string]string{"a": "1"})
		fetching(ctx, namespace, quick+"onReconcile: {git: {repo: '{{ .spec.repo }}', branch: '{{ .spec.branch }}', path: '{{ .spec.path }}'}}", "", GinkgoT().TempDir())
		marker := filepath.Join(GinkgoT().TempDir(), "made")
		for name, hostile := range map[string]map[string]any{
			"option":   {"repo": "--upload-pack=touch " + marker},
			"ext":      {"repo": "ext::sh -c touch% " + marker},
			"file":     {"repo": "file://" + filepath.ToSlash(g.Repository("secret").Bare())},
			"path":     {"repo": g.Repository("other").Bare()},
			"git":      {"repo": "git://" + g.Address + "/app.git"},
			"dash":     {"repo": "ssh://-oProxyCommand=touch/app.git"},
			"branch":   {"repo": g.HTTP("app"), "branch": "--upload-pack=touch"},
			"newline":  {"repo": g.HTTP("app"), "branch": "main\nmore"},
			"dots":     {"repo": g.HTTP("app"), "branch": "../../etc"},
			"above":    {"repo": g.HTTP("app"), "path": "../../etc"},
			"metadata": {"repo": "http://169.254.169.254/latest.git"},
			"local":    {"repo": "http://127.0.0.9/app.git"},
		} {
			w := widget(namespace, name, "")
			w.Object["spec"] = hostile
			Expect(cluster.Create(ctx, w)).To(Succeed())
			Eventually(saidReady(ctx, w)).Should(HavePrefix("False git: "), name)
		}
		Expect(marker).NotTo(BeAnExistingFile())
	})

	It("is refused at start by a program that has nothing that fetches", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml",
			[]byte(katalogOf(namespace, "", "", "onReconcile: {git: {repo: 'https://example.com/app.git'}}")))
		Expect(err).NotTo(HaveOccurred())
		_, err = operator.StartWith(ctx, env.Config(), engine.Options{Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}, Namespace: namespace})
		Expect(err).To(MatchError(ContainSubstring("set Checkouts of engine.Options")))
	})
})
