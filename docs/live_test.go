package docs_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

// The answers of the live API on its page are what the API answers, as its own tests have it.
func TestAnswers(t *testing.T) {
	p := read(t, "live-api.md")
	found := 0
	for i, line := range p.lines {
		kind, name := mark(line)
		if kind != "answer" {
			continue
		}
		found++
		golden, err := os.ReadFile("../runtime/live/testdata/" + name + ".golden.json")
		if err != nil {
			t.Fatal(err)
		}
		_, golden = cutLine(golden)
		_, golden = cutLine(golden)
		end := slices.Index(p.lines[i:], "```")
		if p.lines[i+1] != "```json" || end < 0 {
			t.Fatalf("live-api.md:%d: no JSON follows the marker", i+1)
		}
		if diff := gocmp.Diff(strings.TrimSpace(string(golden)), strings.Join(p.lines[i+2:i+end], "\n")); diff != "" {
			t.Errorf("live-api.md:%d: -answer, +page:\n%s", i+1, diff)
		}
	}
	if found == 0 {
		t.Error("no answer on the page")
	}
}

func cutLine(text []byte) (line string, rest []byte) {
	first, after, _ := strings.Cut(string(text), "\n")
	return first, []byte(after)
}

// Every path that the handler knows is on the page, and no other.
func TestPaths(t *testing.T) {
	source, err := os.ReadFile("../runtime/live/handler.go")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/metrics"} // controller-runtime's
	for _, path := range regexp.MustCompile(`HandleFunc\("(/[^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, path[1])
	}
	got := slices.DeleteFunc(read(t, "live-api.md").firstColumn(t, "paths"), func(word string) bool { return !strings.HasPrefix(word, "/") })
	slices.Sort(got)
	slices.Sort(want)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-handler, +page:\n%s", diff)
	}
}

// Every field that a text may read of its own CRD is on the page, and no other.
func TestFeedback(t *testing.T) {
	p := read(t, "live-api.md")
	for kind, props := range map[string]*roots.Props{"health": roots.Health(), "measures": roots.Metrics()} {
		got := slices.Sorted(slices.Values(p.firstColumn(t, kind)))
		if diff := gocmp.Diff(slices.Sorted(maps.Keys(props.Properties)), got); diff != "" {
			t.Errorf("%s: -code, +page:\n%s", kind, diff)
		}
	}
}
