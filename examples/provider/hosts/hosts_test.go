package hosts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/examples/provider/hosts"
	"github.com/orkestra-runtime/orkestra/providers"
)

// A provider needs no cluster to be tested.
func TestProvider(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hosts")
	p := hosts.New(file)
	ask := func(owner string, pairs ...string) error {
		r := providers.Request{Owner: owner}
		for i := 0; i < len(pairs); i += 2 {
			r.Declarations = append(r.Declarations, providers.Declaration{
				Kind: "record", Fields: map[string]string{"name": pairs[i], "address": pairs[i+1]},
			})
		}
		return p.Reconcile(t.Context(), providers.ReconcileRequest{Request: r})
	}
	steps := []struct {
		reason    string
		do        func() error
		want, err string
	}{
		{reason: "a record is made", do: func() error { return ask("a", "x", "192.0.2.1") }, want: "192.0.2.1\tx\t# a\n"},
		{reason: "and kept when it is asked for again", do: func() error { return ask("a", "x", "192.0.2.1") }, want: "192.0.2.1\tx\t# a\n"},
		{reason: "and changed", do: func() error { return ask("a", "x", "192.0.2.2") }, want: "192.0.2.2\tx\t# a\n"},
		{reason: "nobody takes it from another one", do: func() error { return ask("b", "x", "192.0.2.3") }, err: "record: x belongs to a", want: "192.0.2.2\tx\t# a\n"},
		{reason: "nonsense names its field", do: func() error { return ask("b", "y", "there") }, err: `record: field address is no IP address: "there"`, want: "192.0.2.2\tx\t# a\n"},
		{reason: "others have theirs", do: func() error { return ask("b", "y", "192.0.2.3") }, want: "192.0.2.2\tx\t# a\n192.0.2.3\ty\t# b\n"},
		{
			reason: "what is left of the owner goes, and nothing else", want: "192.0.2.3\ty\t# b\n",
			do: func() error {
				return p.Delete(t.Context(), providers.DeleteRequest{Request: providers.Request{Owner: "a"}})
			},
		},
	}
	for _, step := range steps {
		text := ""
		if err := step.do(); err != nil {
			text = err.Error()
		}
		if text != step.err {
			t.Errorf("\n%s\nerror %q, want %q", step.reason, text, step.err)
		}
		got, _ := os.ReadFile(filepath.Clean(file))
		if diff := cmp.Diff(step.want, string(got)); diff != "" {
			t.Errorf("\n%s\n-want, +got:\n%s", step.reason, diff)
		}
	}
}
