package world_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/docker/buildkit"
	dockerengine "github.com/orkestra-runtime/orkestra/providers/docker/engine"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// imageBox is a box with an image, with YAML of its step, and a ConfigMap that tells of it.
func imageBox(step string) string {
	return `
onReconcile:
  docker: ` + step + `
  configMaps:
    - name: "{{ .metadata.name }}"
      data: {image: "{{ .docker.image }}", digest: "{{ .docker.digest }}", succeeded: "{{ .docker.buildSucceeded }}", called: "{{ .docker.called }}"}
status:
  fields:
    - {path: digest, value: "{{ .docker.digest }}"}
    - {path: trouble, value: "{{ .docker.error }}", when: [{field: .docker.error, notEquals: ""}]}
`
}

// built are the options of an operator with one builder, which has folders below a root built, and pushes them to registries.
func built(by image.Builder, root string, registries ...string) engine.Options {
	GinkgoHelper()
	allowed, err := image.NewRegistries(image.RegistriesOptions{Allow: registries})
	Expect(err).NotTo(HaveOccurred())
	return engine.Options{
		Registries: allowed,
		Builders:   map[orkv1.DockerBuilder]image.Builder{"": by, "buildkit": by, "podman": by}, BuildRoot: root,
		Builds: image.Options{Backoff: 200 * time.Millisecond, MaxBackoff: time.Second},
	}
}

// source makes a folder that may be built from, with files by their paths.
func source(texts map[string]string) string {
	GinkgoHelper()
	root := GinkgoT().TempDir()
	for name, text := range texts {
		put(root, name, text)
	}
	return root
}

func put(root, name, text string) {
	GinkgoHelper()
	path := filepath.Join(root, name)
	Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
}

// login makes the Secret registry with a Docker configuration, or replaces what is in it.
func login(ctx context.Context, namespace, config string) {
	GinkgoHelper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "registry"}, Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte(config)},
	}
	if err := cluster.Create(ctx, secret); err == nil {
		return
	}
	Expect(cluster.Update(ctx, secret)).To(Succeed())
}

// ready is the condition of a resource for an Eventually, as status, reason and message.
func ready(ctx context.Context, o *unstructured.Unstructured) func() string {
	return func() string {
		conditions, _, _ := unstructured.NestedSlice(status(ctx, o)(), "conditions")
		for _, one := range conditions {
			if c, ok := one.(map[string]any); ok && c["type"] == orkv1.ConditionReady {
				return fmt.Sprintf("%v %v %v", c["status"], c["reason"], c["message"])
			}
		}
		return ""
	}
}

// start starts an operator, as operate does, which whoever calls it stops.
func start(ctx context.Context, namespace, text string, opts engine.Options) (*operator.Operator, error) {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	opts.Katalogs, opts.Namespace = []*orkv1.Katalog{result.Documents[0].Katalog}, namespace
	return operator.StartWith(ctx, env.Config(), opts) //nolint:wrapcheck // the spec looks at it
}

// change merges YAML-like fields into the spec of a resource.
func change(ctx context.Context, o *unstructured.Unstructured, field, value string) {
	GinkgoHelper()
	patch := fmt.Appendf(nil, `{"spec":{%q:%q}}`, field, value)
	Expect(cluster.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
}

var _ = Describe("images", func() {
	Describe("of real daemons", Ordered, func() {
		var (
			registry *servers.Registry
			kit      *servers.BuildKit
			proxy    *servers.Proxy
			builders map[string]image.Builder
		)
		BeforeAll(func() {
			registry = servers.StartRegistry(GinkgoT())
			kit = servers.StartBuildKit(GinkgoT(), registry.Address)
			proxy = servers.StartProxy(GinkgoT(), kit.Address)
			podman := servers.StartPodman(GinkgoT(), registry.Address)
			overProxy, err := buildkit.New("tcp://"+proxy.Address, buildkit.Options{TLSDir: kit.TLSDir, DialTimeout: time.Second})
			Expect(err).NotTo(HaveOccurred())
			api, err := dockerengine.New(podman.URL, dockerengine.Options{})
			Expect(err).NotTo(HaveOccurred())
			builders = map[string]image.Builder{"buildkit": overProxy, "podman": api}
		})

		step := func(builder string) string {
			return fmt.Sprintf(`{image: "%s/{{ .metadata.namespace }}/{{ .metadata.name }}:{{ .spec.version }}", workingDirectory: "{{ .spec.folder }}", push: true, pullSecret: {name: registry}, builder: %s}`,
				registry.Address, builder)
		}

		// Row 102.
		for _, name := range []string{"buildkit", "podman"} {
			It("builds and pushes one with "+name+", and tells the children the digest that the registry has", func(ctx context.Context) {
				namespace := newNamespace(ctx)
				login(ctx, namespace, registry.DockerConfig(registry.Password))
				root := source(map[string]string{"shop/Dockerfile": "FROM scratch\nCOPY hello /hello\n", "shop/hello": namespace})
				text := katalogOf(namespace, "", "", imageBox(step(name)))
				o, err := start(ctx, namespace, text, built(builders[name], root, registry.Address))
				Expect(err).NotTo(HaveOccurred())
				stop := sync.OnceValue(o.Stop)
				DeferCleanup(stop)
				w := create(ctx, namespace, "shop", `{version: "1", folder: shop}`)
				Eventually(data(ctx, namespace, "shop")).Should(And(
					HaveKeyWithValue("image", registry.Address+"/"+namespace+"/shop:1"), HaveKeyWithValue("succeeded", "true"), HaveKeyWithValue("called", "true"),
				))
				digest := registry.Digest(ctx, namespace+"/shop", "1")
				Expect(digest).To(HavePrefix("sha256:"))
				Expect(data(ctx, namespace, "shop")()).To(HaveKeyWithValue("digest", digest))
				Eventually(ready(ctx, w)).Should(HavePrefix("True"))

				By("not building it again after a restart")
				Expect(stop()).To(Succeed())
				operate(ctx, namespace, text, built(image.BuilderFunc(func(context.Context, image.Request) (image.Result, error) {
					defer GinkgoRecover()
					Fail("it is built again")
					return image.Result{}, nil
				}), root, registry.Address))
				create(ctx, namespace, "probe", `{version: "1", folder: nothere}`)
				Eventually(func() any { return status(ctx, widget(namespace, "probe", ""))() }).Should(HaveKey("trouble"))
				Consistently(ready(ctx, w)).Should(HavePrefix("True"))
				Expect(registry.Pushed(namespace+"/shop", "1")).To(Equal(1))
			}, SpecTimeout(2*time.Minute))
		}

		It("names the step that fails, makes no child without the image, and is back when the file is mended", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			login(ctx, namespace, registry.DockerConfig(registry.Password))
			root := source(map[string]string{"Dockerfile": "FROM scratch\nCOPY nothere /hello\n"})
			operate(ctx, namespace, katalogOf(namespace, "", "", imageBox(step("buildkit"))), built(builders["buildkit"], root, registry.Address))
			w := create(ctx, namespace, "shop", `{version: "1", folder: ""}`)
			Eventually(ready(ctx, w)).Should(And(HavePrefix("False BuildFailed onReconcile.docker: step [1/1] COPY nothere /hello"), ContainSubstring("not found")))
			Expect(status(ctx, w)()).To(HaveKeyWithValue("trouble", ContainSubstring("COPY nothere")), "a field with a gate is written all the same")
			Expect(data(ctx, namespace, "shop")()).To(BeNil())
			Expect(cluster.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
			Expect(w.GetAnnotations()).NotTo(HaveKey(orkv1.AnnotationLastBuild), "Defect63: nothing is recorded of a build that failed")
			put(root, "nothere", "it is")
			Eventually(ready(ctx, w)).Should(HavePrefix("True"))
			Expect(data(ctx, namespace, "shop")()).To(HaveKeyWithValue("digest", registry.Digest(ctx, namespace+"/shop", "1")))
		}, SpecTimeout(2*time.Minute))

		It("tells that the registry refuses, without the password, and is back with the right one", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			root := source(map[string]string{"Dockerfile": "FROM scratch\nCOPY hello /hello\n", "hello": namespace})
			operate(ctx, namespace, katalogOf(namespace, "", "", imageBox(step("buildkit"))), built(builders["buildkit"], root, registry.Address))
			w := create(ctx, namespace, "shop", `{version: "1", folder: ""}`)
			Eventually(ready(ctx, w)).Should(And(HavePrefix("False BuildFailed"), ContainSubstring("there is no Secret "+namespace+"/registry")))
			login(ctx, namespace, registry.DockerConfig("wrong-password"))
			Eventually(ready(ctx, w)).Should(And(HavePrefix("False BuildFailed"), ContainSubstring("401"), Not(ContainSubstring("wrong-password"))))
			login(ctx, namespace, registry.DockerConfig(registry.Password))
			Eventually(ready(ctx, w)).Should(HavePrefix("True"))
		}, SpecTimeout(2*time.Minute))

		It("waits for a daemon that is down, or silent, and is back with it", func(ctx context.Context) {
			DeferCleanup(func() { proxy.Set(servers.Pass) })
			namespace := newNamespace(ctx)
			login(ctx, namespace, registry.DockerConfig(registry.Password))
			root := source(map[string]string{"Dockerfile": "FROM scratch\nCOPY hello /hello\n", "hello": namespace})
			proxy.Set(servers.Refuse)
			operate(ctx, namespace, katalogOf(namespace, "", "", imageBox(step("buildkit"))), built(builders["buildkit"], root, registry.Address))
			w := create(ctx, namespace, "shop", `{version: "1", folder: ""}`)
			Eventually(ready(ctx, w)).Should(And(HavePrefix("False BuildFailed"), ContainSubstring("reach the BuildKit daemon"), ContainSubstring("refused")))
			proxy.Set(servers.Hang)
			Eventually(ready(ctx, w)).Should(And(HavePrefix("False BuildFailed"), ContainSubstring("deadline")))
			proxy.Delay(50 * time.Millisecond)
			Eventually(ready(ctx, w)).Should(HavePrefix("True"))
			Expect(data(ctx, namespace, "shop")()).To(HaveKeyWithValue("digest", registry.Digest(ctx, namespace+"/shop", "1")))
		}, SpecTimeout(2*time.Minute))
	})

	Describe("of a builder that takes its time", func() {
		var (
			running, most atomic.Int32
			canceled      atomic.Int32
			began         chan image.Request
			end           chan error
		)
		slow := image.BuilderFunc(func(ctx context.Context, r image.Request) (image.Result, error) {
			for now := running.Add(1); ; {
				before := most.Load()
				if now <= before || most.CompareAndSwap(before, now) {
					break
				}
			}
			defer running.Add(-1)
			began <- r
			select {
			case err := <-end:
				return image.Result{Digest: "sha256:" + fmt.Sprintf("%064d", len(r.Image))}, err
			case <-ctx.Done():
				canceled.Add(1)
				return image.Result{}, ctx.Err()
			}
		})
		BeforeEach(func() {
			running.Store(0)
			most.Store(0)
			canceled.Store(0)
			began, end = make(chan image.Request, 100), make(chan error)
		})
		const step = `{image: "registry.example.com/t/{{ .metadata.name }}:{{ .spec.version }}", dockerfile: "{{ .spec.file }}", workingDirectory: "{{ .spec.folder }}", when: [{field: spec.version, exists: true}]}`
		root := func() string { return source(map[string]string{"Dockerfile": "FROM scratch\n"}) }

		It("holds no worker, builds as many at once as it may, and leaves children as they are meanwhile", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			opts := built(slow, root())
			opts.Builds.Workers = 1
			operate(ctx, namespace, katalogOf(namespace, "", "", imageBox(step)+"\nreconciler: {workers: 1}\n"), opts)
			a := create(ctx, namespace, "a", `{version: "1"}`)
			Eventually(began).Should(Receive(HaveField("Image", "registry.example.com/t/a:1")))
			Eventually(ready(ctx, a)).Should(Equal("False Building onReconcile.docker: the image registry.example.com/t/a:1 is being built"))
			b, c := create(ctx, namespace, "b", `{version: "1"}`), create(ctx, namespace, "c", "")
			Eventually(ready(ctx, c)).Should(HavePrefix("True"), "a resource without an image has the only worker")
			Expect(data(ctx, namespace, "c")()).To(HaveKeyWithValue("called", "false"))
			Eventually(ready(ctx, b)).Should(Equal("False Building onReconcile.docker: the image registry.example.com/t/b:1 is built when others are done"))
			Expect(data(ctx, namespace, "a")()).To(BeNil())
			end <- nil
			Eventually(ready(ctx, a)).Should(HavePrefix("True"))
			end <- nil
			Eventually(ready(ctx, b)).Should(HavePrefix("True"))
			Expect(most.Load()).To(BeEquivalentTo(1))

			By("leaving the child of the first image while the next is built")
			change(ctx, a, "version", "2")
			Eventually(ready(ctx, a)).Should(HavePrefix("False Building"))
			Consistently(data(ctx, namespace, "a")).Should(HaveKeyWithValue("image", "registry.example.com/t/a:1"))
			end <- nil
			Eventually(data(ctx, namespace, "a")).Should(HaveKeyWithValue("image", "registry.example.com/t/a:2"))
		}, SpecTimeout(2*time.Minute))

		It("cancels a build that another one takes the place of, and one of a resource that goes", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			operate(ctx, namespace, katalogOf(namespace, "", "", imageBox(step)), built(slow, root()))
			a := create(ctx, namespace, "a", `{version: "1"}`)
			Eventually(began).Should(Receive(HaveField("Image", HaveSuffix(":1"))))
			change(ctx, a, "version", "2")
			Eventually(began).Should(Receive(HaveField("Image", HaveSuffix(":2"))))
			Expect(canceled.Load()).To(BeEquivalentTo(1))
			Expect(most.Load()).To(BeEquivalentTo(1), "not before the first has ended")
			Expect(cluster.Delete(ctx, a)).To(Succeed())
			Eventually(canceled.Load).Should(BeEquivalentTo(2))
		}, SpecTimeout(2*time.Minute))

		It("Defect97: builds nothing of a path or a name that leads elsewhere", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			folder := root()
			Expect(os.Symlink("/etc", filepath.Join(folder, "link"))).To(Succeed())
			Expect(os.Symlink("/etc/passwd", filepath.Join(folder, "Linkfile"))).To(Succeed())
			text := katalogOf(namespace, "", "", imageBox(`{image: "{{ .spec.image }}", dockerfile: "{{ .spec.file }}", workingDirectory: "{{ .spec.folder }}"}`))
			operate(ctx, namespace, text, built(slow, folder))
			for name, one := range map[string]struct{ spec, says string }{
				"above":      {`{image: "t/a:1", folder: "../.."}`, "leads outside"},
				"absolute":   {`{image: "t/a:1", folder: "/etc"}`, "lies outside of what may be built"},
				"link":       {`{image: "t/a:1", folder: "link"}`, "workingDirectory"},
				"nothere":    {`{image: "t/a:1", folder: "nothere"}`, "no such file"},
				"dockerfile": {`{image: "t/a:1", file: "../../../etc/passwd"}`, "leads outside"},
				"linkfile":   {`{image: "t/a:1", file: "Linkfile"}`, "dockerfile"},
				"option":     {`{image: "--push"}`, "is no name of an image"},
				"case":       {`{image: "T/A:1"}`, "lower"},
				"shell":      {`{image: "t/a:1;reboot"}`, "is no name of an image"},
				"newline":    {`{image: "t/a:1\nb"}`, "is no name of an image"},
				"digest":     {`{image: "t/a@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}`, "has a digest"},
				"empty":      {`{image: ""}`, "is empty"},
			} {
				w := create(ctx, namespace, name, one.spec)
				Eventually(ready(ctx, w)).Should(And(HavePrefix("False"), ContainSubstring("onReconcile.docker"), ContainSubstring(one.says)), name)
			}
			Expect(began).NotTo(Receive())
		}, SpecTimeout(2*time.Minute))

		It("Defect97: builds nothing that is to be pushed where the operator may not go", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			text := katalogOf(namespace, "", "", imageBox(`{image: "{{ .spec.image }}", push: true}`))
			operate(ctx, namespace, text, built(slow, root()))
			for name, one := range map[string]struct{ image, says string }{
				"loopback": {"127.0.0.1:5000/t/a:1", "the registry 127.0.0.1:5000: its address is loopback"},
				"name":     {"localhost:5000/t/a:1", "the registry localhost:5000: its address is loopback"},
				"old":      {"127.1:5000/t/a:1", "the registry 127.1:5000: its address is loopback"},
				"metadata": {"169.254.169.254/t/a:1", "the registry 169.254.169.254: its address is link-local"},
			} {
				w := create(ctx, namespace, name, fmt.Sprintf(`{image: %q}`, one.image))
				Eventually(ready(ctx, w)).Should(And(HavePrefix("False"), ContainSubstring(one.says), ContainSubstring("--registry-allow")), name)
			}
			Expect(began).NotTo(Receive())
			create(ctx, namespace, "public", `{image: "registry.example.com/t/a:1"}`)
			Eventually(began).Should(Receive(HaveField("Image", "registry.example.com/t/a:1")))
		}, SpecTimeout(2*time.Minute))

		It("builds anew what follows its files, and not in each cycle", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			folder := root()
			text := katalogOf(namespace, "", "", imageBox(`{image: "t/{{ .metadata.name }}", reconcile: true}`))
			operate(ctx, namespace, text, built(slow, folder))
			w := create(ctx, namespace, "a", `{n: "1"}`)
			Eventually(began).Should(Receive())
			end <- nil
			Eventually(ready(ctx, w)).Should(HavePrefix("True"))
			change(ctx, w, "n", "2")
			Consistently(began).ShouldNot(Receive())
			put(folder, "more", "of it")
			change(ctx, w, "n", "3")
			Eventually(began).Should(Receive())
			end <- nil
			Eventually(ready(ctx, w)).Should(HavePrefix("True"))
		}, SpecTimeout(2*time.Minute))

		It("refuses a folder that is too large, and ends a build that takes too long", func(ctx context.Context) {
			namespace := newNamespace(ctx)
			opts := built(slow, source(map[string]string{"small/Dockerfile": "FROM scratch\n", "large/Dockerfile": "FROM scratch\n", "large/big": string(make([]byte, 5000))}))
			opts.Builds.MaxContext, opts.Builds.Timeout = 4096, 300*time.Millisecond
			operate(ctx, namespace, katalogOf(namespace, "", "", imageBox(step)), opts)
			large, small := create(ctx, namespace, "large", `{version: "1", folder: large}`), create(ctx, namespace, "small", `{version: "1", folder: small}`)
			Eventually(ready(ctx, large)).Should(And(HavePrefix("False BuildFailed"), ContainSubstring("holds more than 4096 bytes")))
			Eventually(ready(ctx, small)).Should(And(HavePrefix("False BuildFailed"), ContainSubstring("takes longer than 300ms")))
			Expect(canceled.Load()).To(BeNumerically(">=", 1))
		}, SpecTimeout(2*time.Minute))
	})

	It("does not start a Katalog whose builder is not there", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		for builder, says := range map[string]string{"kaniko": "use buildkit", "buildkit": "--buildkit-addr", "podman": "--podman-host"} {
			_, err := start(ctx, namespace, katalogOf(namespace, "", "", imageBox(`{image: "t/a", builder: `+builder+`}`)), engine.Options{})
			Expect(err).To(MatchError(And(ContainSubstring("onReconcile.docker: builder "+builder), ContainSubstring(says))))
		}
	})
})
