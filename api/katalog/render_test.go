package katalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// render shows a result as a person would want to review it.
func render(t *testing.T, result *Result) string {
	t.Helper()
	var b strings.Builder
	for _, warning := range result.Warnings {
		fmt.Fprintf(&b, "# %s\n", warning)
	}
	for _, doc := range result.Documents {
		data, err := yaml.Marshal(doc.Katalog)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "---\n%s", data)
		for _, name := range slices.Sorted(maps.Keys(doc.CRDs)) {
			files := doc.CRDs[name]
			if files.CRD != nil {
				fmt.Fprintf(&b, "# %s: definition of %s\n", name, files.CRD.Spec.Names.Kind)
			}
			for _, object := range files.Setup {
				fmt.Fprintf(&b, "# %s: setup %s %s\n", name, object.GetKind(), object.GetName())
			}
			for _, object := range files.CRs {
				fmt.Fprintf(&b, "# %s: resource %s %s\n", name, object.GetKind(), object.GetName())
			}
		}
	}
	return b.String()
}
