package serve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// others are clusters of these names, none of which answers.
type others []string

func (o others) Has(name string) bool { return slices.Contains(o, name) }

func (others) Client(context.Context, string) (client.WithWatch, error) {
	return nil, errors.New("down")
}

func TestClustersOf(t *testing.T) {
	const head = "enabled: true\nnamespace: shop\n"
	intent := map[string]any{"region": "eu", "all": "eu, us,eu,", "none": "", "list": []any{"us", "eu"}, "wrong": "moon"}
	cases := map[string]struct {
		reason, serve, err string
		want               []string
	}{
		"Own":        {reason: "without clusters it is the gateway's own"},
		"Static":     {reason: "in the order in which they are declared", serve: "clusters: [us, eu]", want: []string{"us", "eu"}},
		"Template":   {reason: "the intent chooses one", serve: `clusters: ["{{ .region }}"]`, want: []string{"eu"}},
		"Several":    {reason: "or several, each once", serve: `clusters: [us, "{{ .all }}"]`, want: []string{"us", "eu"}},
		"List":       {reason: "a list is several", serve: `clusters: ["{{ .list }}"]`, want: []string{"us", "eu"}},
		"ToList":     {reason: "however it is made", serve: `clusters: ['{{ asList .all }}', us]`, want: []string{"eu", "us"}},
		"Skipped":    {reason: "what comes to nothing is left out", serve: `clusters: [us, "{{ .none }}"]`, want: []string{"us"}},
		"Weakness51": {reason: "nowhere is not here", serve: `clusters: ["{{ .none }}"]`, err: "the intent leads to no cluster"},
		"Fallback":   {reason: "unless that is said", serve: "clusters: [\"{{ .none }}\"]\nfallbackLocal: true"},
		"Unknown":    {reason: "a cluster that there is not", serve: `clusters: [us, "{{ .wrong }}"]`, err: `there is no cluster "moon"`},
		"Target":     {reason: "a target's own are its clusters", serve: "clusters: [us, eu]\ntarget: {cache: {primary: true, clusters: [eu]}}", want: []string{"eu"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := &API{opts: Options{Clusters: others{"eu", "us"}}}
			got, err := a.clustersOf(compiled(t, head+tc.serve).Primary, intent)
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: error %v, want %q", tc.reason, err, tc.err)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
