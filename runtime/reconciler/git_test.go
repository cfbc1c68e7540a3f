package reconciler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

// repositories are at the commits that their URLs lead to. A URL without one can't be fetched, and one of "panic" panics.
type repositories struct {
	commits   map[string]string
	requests  []checkout.Request
	forgotten []string
}

func (r *repositories) Fetch(_ context.Context, request checkout.Request) (checkout.Result, error) {
	r.requests = append(r.requests, request)
	commit := r.commits[request.Repo]
	switch commit {
	case "":
		return checkout.Result{}, errors.New("unreachable")
	case "panic":
		panic("secret")
	}
	return checkout.Result{Commit: commit, Branch: "main", Folder: "/work", Changed: commit != request.Last}, nil
}

func (r *repositories) Forget(owner string) { r.forgotten = append(r.forgotten, owner) }

// newGitHarness is a harness whose repositories are at the commits.
func newGitHarness(t *testing.T, operatorBox string, spec map[string]any, commits map[string]string) (*harness, *repositories) {
	t.Helper()
	h, r := newHarness(t, operatorBox, spec), &repositories{commits: commits}
	h.Checkouts = r
	return h, r
}

func lastCommitOf(o *unstructured.Unstructured) string {
	return o.GetAnnotations()[orkv1.AnnotationLastCommit]
}

const shownGit = `configMaps: [{name: shown, data: {git: "{{ .git.commit }}/{{ .git.changed }}/{{ .git.called }}/{{ .git.succeeded }}"}}]`

func (h *harness) shown(t *testing.T) string {
	t.Helper()
	found, err := h.client.Tracker().Get(configMaps, "shop", "shown")
	if err != nil {
		return ""
	}
	text, _, _ := unstructured.NestedString(found.(*unstructured.Unstructured).Object, "data", "git")
	return text
}

func TestGitIsRecordedOnce(t *testing.T) {
	h, r := newGitHarness(t, `{onReconcile: {git: {repo: "https://a.example.com/a"}},
		status: {fields: [{path: changed, value: "{{ .git.commit }} {{ .git.changed }}"}]}}`, nil, map[string]string{"https://a.example.com/a": "c1"})
	changed := func() string {
		text, _, _ := unstructured.NestedString(h.resource.Object, "status", "changed")
		return text
	}
	if _, requests := h.cycle(t); !slices.Contains(requests, "patch websites") {
		t.Errorf("the commit is written: %v", requests)
	}
	if got := lastCommitOf(h.resource); got != "c1" || changed() != "c1 true" {
		t.Errorf("recorded %q, shown %q", got, changed())
	}
	if _, requests := h.cycle(t); slices.Contains(requests, "patch websites") || changed() != "c1 false" {
		t.Errorf("nothing new: %v, shown %q", requests, changed())
	}
	if _, requests := h.cycle(t); len(requests) > 0 {
		t.Errorf("at rest nothing is written: %v", requests)
	}
	want := []string{"", "c1", "c1"}
	var got []string
	for _, one := range r.requests {
		got = append(got, one.Last)
	}
	if diff := cmp.Diff(want, got); diff != "" || r.requests[0].Owner != "Website.web.example.com/shop/w#onReconcile" {
		t.Errorf("the last commit: -want, +got:\n%s\nowner %s", diff, r.requests[0].Owner)
	}
}

func TestDefect63RecordedAfterTheCycle(t *testing.T) {
	const url = "https://a.example.com/a"
	cases := map[string]struct {
		reason, box string
		spec        map[string]any
	}{
		"Child":  {reason: "a child that can't be made", box: `{onReconcile: {git: {repo: "` + url + `"}, configMaps: [{name: "{{ .spec.name }}"}]}}`, spec: map[string]any{"name": "NOT A NAME"}},
		"Closed": {reason: "a box that is closed by what was fetched", box: `{when: [{field: git.commit, equals: other}], onReconcile: {git: {repo: "` + url + `"}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, r := newGitHarness(t, tc.box, tc.spec, map[string]string{url: "c1"})
			for range 2 {
				_, _ = h.Reconcile(t.Context(), h.work())
			}
			if lastCommitOf(h.resource) != "" || len(r.requests) != 2 || r.requests[1].Last != "" {
				t.Errorf("%s: the commit is recorded as %q, requests %+v", tc.reason, lastCommitOf(h.resource), r.requests)
			}
		})
	}
}

func TestGitBlocks(t *testing.T) {
	const a, b = "https://a.example.com/a", "https://b.example.com/b"
	cases := map[string]struct {
		reason  string
		box     string
		spec    map[string]any
		last    string
		commits map[string]string
		shown   string
		asked   []string
	}{
		"Both": {
			reason: "onReconcile's first; what comes later replaces it", commits: map[string]string{a: "ca", b: "cb"},
			box:   `{onReconcile: {git: {repo: "` + a + `"}, ` + shownGit + `}, onCreate: {git: {repo: "` + b + `", reconcile: true}}}`,
			shown: "cb/true/true/true", asked: []string{a, b},
		},
		"SecondSkipped": {
			reason: "one that is skipped replaces nothing", commits: map[string]string{a: "ca", b: "cb"},
			box:   `{onReconcile: {git: {repo: "` + a + `"}, ` + shownGit + `}, onCreate: {git: {repo: "` + b + `", when: [{field: spec.never}]}}}`,
			shown: "ca/true/true/true", asked: []string{a},
		},
		"Once": {
			reason: "onCreate fetches until a commit is recorded, which is shown then", commits: map[string]string{b: "cb"}, last: "c0",
			box:   `{onReconcile: {` + shownGit + `}, onCreate: {git: {repo: "` + b + `"}}}`,
			shown: "c0/false/false/false",
		},
		"Gate": {
			reason: "a gate that is false keeps it from being fetched", commits: map[string]string{a: "ca"},
			box:   `{onReconcile: {git: {repo: "` + a + `", when: [{field: spec.never}]}, ` + shownGit + `}}`,
			shown: "/false/false/false",
		},
		"BlockGate": {
			reason: "also that of the block", commits: map[string]string{a: "ca"},
			box:   `{onCreate: {git: {repo: "` + a + `"}, when: [{field: spec.never}]}, onReconcile: {` + shownGit + `}}`,
			shown: "/false/false/false",
		},
		"BlockGateReads": {
			reason: "unless it reads what is fetched", commits: map[string]string{a: "ca"},
			box:   `{onReconcile: {git: {repo: "` + a + `"}, when: [{field: git.changed, equals: "true"}], ` + shownGit + `}}`,
			shown: "ca/true/true/true", asked: []string{a},
		},
		"Continue": {
			reason: "a failure is shown", last: "c0",
			box:   `{onReconcile: {git: {repo: "` + a + `", continueOnError: true}, ` + shownGit + `}}`,
			shown: "c0/false/true/false", asked: []string{a},
		},
		"Panic": {
			reason: "a panic is a failure", commits: map[string]string{a: "panic"},
			box:   `{onReconcile: {git: {repo: "` + a + `", continueOnError: true}, ` + shownGit + `}}`,
			shown: "/false/true/false", asked: []string{a},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, r := newGitHarness(t, tc.box, tc.spec, tc.commits)
			if tc.last != "" {
				h.resource.SetAnnotations(map[string]string{orkv1.AnnotationLastCommit: tc.last})
			}
			h.cycle(t)
			var asked []string
			for _, one := range r.requests {
				asked = append(asked, one.Repo)
			}
			if diff := cmp.Diff(tc.asked, asked); diff != "" || h.shown(t) != tc.shown {
				t.Errorf("%s\nshown %q, want %q; asked -want, +got:\n%s", tc.reason, h.shown(t), tc.shown, diff)
			}
		})
	}
}

func TestGitBlocksAreRecordedApart(t *testing.T) {
	const a, b = "https://a.example.com/a", "https://b.example.com/b"
	both := `{onReconcile: {git: {repo: "` + a + `"}}, onCreate: {git: {repo: "` + b + `", reconcile: true}}}`
	cases := map[string]struct {
		reason, box, before, after string
		asked                      []string
	}{
		"Both":     {reason: "each has its own", box: both, before: "", after: "onCreate:cb onReconcile:ca", asked: []string{"", ""}},
		"Known":    {reason: "each is compared with its own", box: both, before: "onCreate:b0 onReconcile:a0", after: "onCreate:cb onReconcile:ca", asked: []string{"a0", "b0"}},
		"SecondIs": {reason: "a commit without a name is that of the first", box: both, before: "a0", after: "onCreate:cb onReconcile:ca", asked: []string{"a0", ""}},
		"Once": {
			reason: "what is fetched once keeps its own", before: "onCreate:b0 onReconcile:a0", after: "onCreate:b0 onReconcile:ca", asked: []string{"a0"},
			box: `{onReconcile: {git: {repo: "` + a + `"}}, onCreate: {git: {repo: "` + b + `"}}}`,
		},
		"OneIsLeft": {
			reason: "a block that is there no more leaves nothing", before: "onCreate:b0 onReconcile:a0", after: "ca", asked: []string{"a0"},
			box: `{onReconcile: {git: {repo: "` + a + `"}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, r := newGitHarness(t, tc.box, nil, map[string]string{a: "ca", b: "cb"})
			h.resource.SetAnnotations(map[string]string{orkv1.AnnotationLastCommit: tc.before})
			h.cycle(t)
			var asked []string
			for _, one := range r.requests {
				asked = append(asked, one.Last)
			}
			if diff := cmp.Diff(tc.asked, asked); diff != "" || lastCommitOf(h.resource) != tc.after {
				t.Errorf("%s\nrecorded %q, want %q; last -want, +got:\n%s", tc.reason, lastCommitOf(h.resource), tc.after, diff)
			}
			if len(r.requests) == 2 && r.requests[0].Owner == r.requests[1].Owner {
				t.Error("two repositories have two working copies")
			}
		})
	}
}

func TestGitFailure(t *testing.T) {
	h, _ := newGitHarness(t, `{rollback: {trigger: {consecutiveFailures: 1}}, onReconcile: {git: {repo: "https://a.example.com/a"}, `+shownGit+`},
		status: {fields: [{path: why, value: "{{ .git.error }}", when: [{field: git.called, equals: "true"}]}, {path: never, value: x}]}}`, nil, nil)
	_, err := h.Reconcile(t.Context(), h.work())
	if err == nil || err.Error() != "git: unreachable" || h.shown(t) != "" {
		t.Errorf("the cycle ends: %v, shown %q", err, h.shown(t))
	}
	status, _, _ := unstructured.NestedMap(h.resource.Object, "status")
	if status["why"] != "unreachable" || status["never"] != nil {
		t.Errorf("fields with a gate are written, others are not: %v", status)
	}
	if blamesSpec(err) {
		t.Error("an earlier spec does not help")
	}
}

func TestGitForgets(t *testing.T) {
	h, r := newGitHarness(t, `{onReconcile: {git: {repo: "https://a.example.com/a"}}}`, nil, nil)
	w := h.work()
	w.Object = nil
	if _, err := h.Reconcile(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Website.web.example.com/shop/w#onReconcile"}, r.forgotten); diff != "" {
		t.Errorf("a resource that is gone: -want, +got:\n%s", diff)
	}
	without, r := newGitHarness(t, `{onReconcile: {}}`, nil, nil)
	w = without.work()
	w.Object = nil
	if _, err := without.Reconcile(t.Context(), w); err != nil || len(r.forgotten) > 0 {
		t.Errorf("without a repository nobody is asked: %v, %s", err, strings.Join(r.forgotten, " "))
	}
}
