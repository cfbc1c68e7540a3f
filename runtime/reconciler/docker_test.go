package reconciler

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// workshop builds images: each one ends when it is told to. It says of every build how it ended.
type workshop struct {
	mu     sync.Mutex // guards the rest
	begun  []string
	ended  []string
	finish map[string]chan error
	woken  chan work.Work
}

func (b *workshop) Build(ctx context.Context, r image.Request) (image.Result, error) {
	b.mu.Lock()
	b.begun = append(b.begun, r.Image)
	if b.finish[r.Image] == nil {
		b.finish[r.Image] = make(chan error)
	}
	done := b.finish[r.Image]
	b.mu.Unlock()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Canceled
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	how := "built"
	if err != nil {
		how = err.Error()
	}
	b.ended = append(b.ended, r.Image+" "+how)
	return image.Result{Digest: "sha256:" + strings.Repeat("a", 64)}, err
}

// end ends the build of an image, when it has begun, and waits until its resource is woken.
func (b *workshop) end(t *testing.T, name string, err error) {
	t.Helper()
	b.has(t, &b.begun, name)
	b.mu.Lock()
	done := b.finish[name]
	b.mu.Unlock()
	done <- err
	select {
	case <-b.woken:
	case <-time.After(10 * time.Second):
		t.Fatalf("nobody is told that %s is done", name)
	}
}

// has waits until a list has a text.
func (b *workshop) has(t *testing.T, list *[]string, text string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.Contains(*list, text), nil
	})
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.Fatalf("%q is not there: begun %q, ended %q", text, b.begun, b.ended)
	}
}

func (b *workshop) builds() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.begun)
}

// newBuildHarness is a harness that builds images from a folder with a Dockerfile.
func newBuildHarness(t *testing.T, operatorBox string, spec map[string]any) (*harness, *workshop) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "Dockerfile"), []byte("FROM scratch\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, operatorBox, spec)
	b := &workshop{finish: map[string]chan error{}, woken: make(chan work.Work, 100)}
	builds := image.NewBuilds(image.Options{Workers: 2, Dir: t.TempDir(), Backoff: time.Hour, MaxBackoff: time.Hour})
	t.Cleanup(builds.Close)
	h.Images = &Images{
		Builds: builds, Builders: map[orkv1.DockerBuilder]image.Builder{"": b}, Root: root, Wake: func(w work.Work) { b.woken <- w },
	}
	return h, b
}

const (
	imageOfSpec = `docker: {image: "registry.example.com/{{ .spec.image }}"}`
	shownImage  = `configMaps: [{name: shown, data: {git: "{{ .docker.image }} {{ .docker.buildSucceeded }}"}}]`
)

// wantImage has the resource want another image.
func (h *harness) wantImage(name string) {
	h.resource = h.resource.DeepCopy()
	h.resource.Object["spec"].(map[string]any)["image"] = name //nolint:forcetypeassert // it is made so
}

func (h *harness) lastBuild() string { return h.resource.GetAnnotations()[orkv1.AnnotationLastBuild] }

func TestBuildIsTheSameForEachEvent(t *testing.T) {
	h, b := newBuildHarness(t, `{preReconcile: {reconcileGate: {eventAware: true}}, onReconcile: {`+imageOfSpec+`, `+shownImage+`}}`, map[string]any{"image": "a:1"})
	cycle := func(event uint64) {
		t.Helper()
		w := h.work()
		w.Item.EventID = event
		if _, err := h.Reconcile(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	cycle(1)
	b.has(t, &b.begun, "registry.example.com/a:1")
	cycle(2)
	cycle(3)
	b.end(t, "registry.example.com/a:1", nil)
	cycle(4)
	cycle(5)
	if diff := cmp.Diff([]string{"registry.example.com/a:1"}, b.builds()); diff != "" {
		t.Errorf("one image is built once, whatever the events are: -want, +got:\n%s", diff)
	}
	if got := h.shown(t); got != "registry.example.com/a:1 true" {
		t.Errorf("children show %q", got)
	}
	w := h.work()
	w.Item.EventID, w.Object = 6, nil
	if _, err := h.Reconcile(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

func TestBuildIsCanceledWhenUnwanted(t *testing.T) {
	const b = "registry.example.com/b:1"
	cases := map[string]struct {
		reason, box string
		unwant      func(h *harness)
	}{
		"Back": {
			reason: "the resource wants again what is built already", box: `{onReconcile: {` + imageOfSpec + `}}`,
			unwant: func(h *harness) { h.wantImage("a:1") },
		},
		"GateOfTheBuild": {
			reason: "the gate of the step closes",
			box:    `{onReconcile: {docker: {image: "registry.example.com/{{ .spec.image }}", when: [{field: spec.off, notEquals: "true"}]}}}`,
			unwant: func(h *harness) { h.resource.Object["spec"].(map[string]any)["off"] = "true" }, //nolint:forcetypeassert // it is made so
		},
		"GateOfTheBlock": {
			reason: "the gate of the block closes", box: `{onReconcile: {` + imageOfSpec + `, when: [{field: spec.off, notEquals: "true"}]}}`,
			unwant: func(h *harness) { h.resource.Object["spec"].(map[string]any)["off"] = "true" }, //nolint:forcetypeassert // it is made so
		},
		"GateOfTheBox": {
			reason: "the gate of the box closes", box: `{when: [{field: spec.off, notEquals: "true"}], onReconcile: {` + imageOfSpec + `}}`,
			unwant: func(h *harness) { h.resource.Object["spec"].(map[string]any)["off"] = "true" }, //nolint:forcetypeassert // it is made so
		},
		"Deleted": {
			reason: "the resource goes", box: `{onReconcile: {` + imageOfSpec + `}}`,
			unwant: func(h *harness) {
				_ = unstructured.SetNestedField(h.resource.Object, "2026-01-01T00:00:00Z", "metadata", "deletionTimestamp")
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, w := newBuildHarness(t, tc.box, map[string]any{"image": "a:1"})
			h.cycle(t)
			w.end(t, "registry.example.com/a:1", nil)
			h.cycle(t)
			recorded := h.lastBuild()
			h.wantImage("b:1")
			h.cycle(t)
			w.has(t, &w.begun, b)
			tc.unwant(h)
			h.cycle(t)
			w.has(t, &w.ended, b+" "+context.Canceled.Error())
			if h.lastBuild() != recorded || !strings.Contains(recorded, "a:1") {
				t.Errorf("%s: recorded %q, then %q", tc.reason, recorded, h.lastBuild())
			}
		})
	}
}

func TestBuildBlocks(t *testing.T) {
	h, b := newBuildHarness(t, `{onReconcile: {docker: {image: registry.example.com/later:1}, `+shownImage+`}, onCreate: {docker: {image: registry.example.com/last:1}}}`, map[string]any{})
	h.cycle(t)
	b.end(t, "registry.example.com/later:1", nil)
	if h.cycle(t); h.shown(t) != "" {
		t.Error("the children wait for both")
	}
	b.end(t, "registry.example.com/last:1", nil)
	h.cycle(t)
	if got := h.shown(t); got != "registry.example.com/last:1 true" {
		t.Errorf("shown is what is built last: %q", got)
	}
	for _, block := range []string{"onCreate registry.example.com/last:1 ", "onReconcile registry.example.com/later:1 "} {
		if !strings.Contains(h.lastBuild(), block) {
			t.Errorf("recorded %q lacks %q", h.lastBuild(), block)
		}
	}
	if _, requests := h.cycle(t); len(requests) > 0 || len(b.builds()) != 2 {
		t.Errorf("at rest nothing is done: %v, %v", requests, b.builds())
	}
}

func TestBuildFails(t *testing.T) {
	h, b := newBuildHarness(t, `{onReconcile: {`+imageOfSpec+`, `+shownImage+`}}`, map[string]any{"image": "a:1"})
	h.cycle(t)
	b.end(t, "registry.example.com/a:1", errors.New("no such base"))
	_, err := h.Reconcile(t.Context(), h.work())
	if err == nil || !strings.Contains(err.Error(), "onReconcile.docker: ") || !strings.Contains(err.Error(), "no such base") || h.shown(t) != "" {
		t.Errorf("the cycle ends: %v, shown %q", err, h.shown(t))
	}
}

// Without the commit, what is made for a change of the repository is tried again.
func TestDefect63NotRecordedWithoutItsImage(t *testing.T) {
	const url = "https://a.example.com/a"
	for name, tc := range map[string]struct {
		reason, image string
		fails         error
		recorded      string
	}{
		"Built":    {reason: "all is done", image: "a:1", recorded: "c1"},
		"Failed":   {reason: "the image is not built, and the cycle goes on", image: "a:1", fails: errors.New("no such base")},
		"NotAName": {reason: "there is no such image, and the cycle goes on", image: "A B"},
	} {
		t.Run(name, func(t *testing.T) {
			h, b := newBuildHarness(t, `{onReconcile: {git: {repo: "`+url+`"},
				docker: {image: "registry.example.com/{{ .spec.image }}", reconcile: true, continueOnError: true}, `+shownImage+`}}`, map[string]any{"image": tc.image})
			h.Checkouts = &copies{repositories: repositories{commits: map[string]string{url: "c1"}}, folder: h.Images.Root}
			h.cycle(t)
			if !strings.Contains(tc.image, " ") {
				b.end(t, "registry.example.com/"+tc.image, tc.fails)
				h.cycle(t)
			}
			if lastCommitOf(h.resource) != tc.recorded || h.shown(t) == "" {
				t.Errorf("%s: recorded %q, want %q; shown %q", tc.reason, lastCommitOf(h.resource), tc.recorded, h.shown(t))
			}
		})
	}
}

// copies are repositories whose working copy is a folder that is there.
type copies struct {
	repositories
	folder string
}

func (c *copies) Fetch(ctx context.Context, request checkout.Request) (checkout.Result, error) {
	result, err := c.repositories.Fetch(ctx, request)
	result.Folder = c.folder
	return result, err
}
