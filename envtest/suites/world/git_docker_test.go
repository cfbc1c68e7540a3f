package world_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/docker/buildkit"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

var _ = Describe("an image of a repository", func() {
	// What users do with both steps: a push leads to an image, and that to the children.
	It("is built of every commit that is pushed, with the events of a resource kept apart as well", func(ctx context.Context) {
		namespace, g, registry := newNamespace(ctx), servers.StartGit(GinkgoT()), servers.StartRegistry(GinkgoT())
		kit := servers.StartBuildKit(GinkgoT(), registry.Address)
		login(ctx, namespace, registry.DockerConfig(registry.Password))
		repository := g.Repository("app")
		first := repository.Commit(map[string]string{"Dockerfile": "FROM scratch\nCOPY hello /hello\n", "hello": namespace + " one"})

		dialer, err := reach.New(reach.Options{Allow: []string{"127.0.0.1"}})
		Expect(err).NotTo(HaveOccurred())
		fetcher, err := git.New(git.Options{Dialer: dialer, Dir: GinkgoT().TempDir(), Share: time.Millisecond})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(fetcher.Close) // after the operator has ended
		builder, err := buildkit.New("tcp://"+kit.Address, buildkit.Options{TLSDir: kit.TLSDir})
		Expect(err).NotTo(HaveOccurred())
		opts := built(builder, "", registry.Address)
		opts.Checkouts = fetcher
		operate(ctx, namespace, katalogOf(namespace, "", "", fmt.Sprintf(`
reconciler: {resync: 1s}
preReconcile: {reconcileGate: {eventAware: true}}
onReconcile:
  git: {repo: %q}
  docker:
    image: "%s/{{ .metadata.namespace }}/{{ .metadata.name }}:{{ gitShortCommit .git.commit }}"
    push: true
    reconcile: true
    pullSecret: {name: registry}
  configMaps:
    - name: "{{ .metadata.name }}"
      data: {image: "{{ .docker.image }}@{{ .docker.digest }}", commit: "{{ .git.commit }}"}
`, g.HTTP("app"), registry.Address)), opts)
		w := create(ctx, namespace, "shop", "")

		shows := func(commit string) {
			GinkgoHelper()
			Eventually(data(ctx, namespace, "shop")).Should(HaveKeyWithValue("commit", commit))
			tag := commit[:7]
			digest := registry.Digest(ctx, namespace+"/shop", tag)
			Expect(digest).To(HavePrefix("sha256:"))
			Expect(data(ctx, namespace, "shop")()).To(HaveKeyWithValue("image", registry.Address+"/"+namespace+"/shop:"+tag+"@"+digest))
			Eventually(recorded(ctx, w)).Should(Equal(commit))
			Expect(registry.Pushed(namespace+"/shop", tag)).To(Equal(1))
		}
		shows(first)
		second := repository.Commit(map[string]string{"hello": namespace + " two"})
		shows(second)

		By("building nothing while nothing is pushed")
		Consistently(func() int { return registry.Pushed(namespace+"/shop", second[:7]) }, 3*time.Second).Should(Equal(1))

		By("keeping what there is when a commit can't be built, and trying it until it can")
		broken := repository.Commit(map[string]string{"Dockerfile": "FROM scratch\nCOPY nothere /hello\n"})
		Eventually(ready(ctx, w)).Should(HavePrefix("False BuildFailed onReconcile.docker: step [1/1] COPY nothere"))
		Expect(data(ctx, namespace, "shop")()).To(HaveKeyWithValue("commit", second))
		Expect(recorded(ctx, w)()).To(Equal(second), "Defect63: not %s, of which there is no image", broken)
		shows(repository.Commit(map[string]string{"nothere": "it is"}))
	}, SpecTimeout(3*time.Minute))
})
