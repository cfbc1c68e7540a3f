package katalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWeakness21 shows for each kind of include that no file outside of the folder of the Katalog is taken in, by its path or by a symbolic link.
func TestWeakness21(t *testing.T) {
	const outside = "leads out of the folder of the Katalog"
	kinds := map[string]struct{ katalog, file string }{
		"Serve":      {"serve: {enabled: true, namespace: shop, include: %}", "fields: {size: {path: size}}"},
		"Target":     {"serve: {enabled: true, namespace: shop, target: {site: {include: %}}}", "config: {}"},
		"Tokens":     {"serve: {enabled: true, namespace: shop, tokens: {include: %}}", "tokens: {}"},
		"Validation": {"validation: {include: %}", "rules: [{field: spec.size, max: '5', message: at most 5}]"},
		"Mutation":   {"mutation: {include: %}", "rules: [{field: spec.size, default: '5'}]"},
		"Conversion": {"conversion: {storageVersion: v1, include: %}", "paths: []"},
		"Status":     {"operatorBox: {status: {include: %}}", "fields: []"},
		"Reconciler": {"operatorBox: {reconciler: {include: %}}", "workers: 2"},
		"Observe":    {"operatorBox: {observe: {include: %}}", "watch: []"},
		"Watch":      {"operatorBox: {observe: {watch: [{include: %}]}}", "watch: []"},
		"External":   {"validation: {external: [{include: %}]}", "external: []"},
	}
	places := map[string]struct {
		reason, include string
		denied          bool
		// link is what linked.yaml leads to. Empty: there is none.
		link string
	}{
		"Beside":      {reason: "of the folder", include: "part.yaml"},
		"Below":       {reason: "and of those below it", include: "shared/part.yaml"},
		"Around":      {reason: "however it is written", include: "shared/../part.yaml"},
		"Outside":     {reason: "by its path", include: "../part.yaml", denied: true},
		"Neighbour":   {reason: "of a folder whose name begins the same", include: "../shop-2/part.yaml", denied: true},
		"LinkOutside": {reason: "by a link", include: "linked.yaml", denied: true, link: "../part.yaml"},
		"LinkWithin":  {reason: "a link may lead elsewhere in the folder", include: "linked.yaml", link: "shared/part.yaml"},
	}
	for kind, declared := range kinds {
		for name, tc := range places {
			t.Run(kind+name, func(t *testing.T) {
				dir := t.TempDir()
				shop := filepath.Join(dir, "shop")
				for _, folder := range []string{filepath.Join(shop, "shared"), filepath.Join(dir, "shop-2")} {
					if err := os.MkdirAll(folder, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				for _, file := range []string{"part.yaml", "shop/part.yaml", "shop/shared/part.yaml", "shop-2/part.yaml"} {
					if err := os.WriteFile(filepath.Join(dir, file), []byte(declared.file), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if tc.link != "" {
					if err := os.Symlink(tc.link, filepath.Join(shop, "linked.yaml")); err != nil {
						t.Fatal(err)
					}
				}
				text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\nspec:\n  crds:\n    site:\n" +
					"      apiTypes: {group: example.com, version: v1, kind: Site}\n      " + strings.ReplaceAll(declared.katalog, "%", tc.include) + "\n"
				file := filepath.Join(shop, "katalog.yaml")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := Load(Options{}, file)
				findings, _ := errors.AsType[Findings](err)
				denied := false
				for _, one := range findings {
					denied = denied || strings.Contains(one.Message, outside) && strings.Contains(one.Message, tc.include) && one.Line == 8
				}
				if denied != tc.denied || !tc.denied && err != nil {
					t.Errorf("\n%s\nLoad(...): %v, want it denied: %t", tc.reason, err, tc.denied)
				}
			})
		}
	}
}

// TestWeakness21Nested shows that an included file gets no further than what includes it, and that a Motif has a folder of its own.
func TestWeakness21Nested(t *testing.T) {
	const motif = "apiVersion: orkestra.orkspace.io/v1\nkind: Motif\nmetadata: {name: m, version: 1.0.0}\nadmission: {validation: {include: "
	cases := map[string]struct {
		reason string
		files  map[string]string
		denied bool
	}{
		"Up": {reason: "a file may take in another one of the folder", files: map[string]string{
			"shop/parts/a.yaml": "include: ../b.yaml", "shop/b.yaml": "rules: []",
		}},
		"Out": {reason: "and none of outside", denied: true, files: map[string]string{
			"shop/parts/a.yaml": "include: ../../b.yaml", "b.yaml": "rules: []",
		}},
		"Motif": {reason: "a Motif takes in what lies beside it", files: map[string]string{
			"shop/parts/a.yaml": "rules: []", "motifs/m.yaml": motif + "rules.yaml}}", "motifs/rules.yaml": "rules: []",
		}},
		"MotifOut": {reason: "and nothing else, of the Katalog that imports it neither", denied: true, files: map[string]string{
			"shop/parts/a.yaml": "rules: []", "motifs/m.yaml": motif + "../shop/parts/a.yaml}}",
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tc.files["shop/katalog.yaml"] = "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\nspec:\n  crds:\n    site:\n" +
				"      apiTypes: {group: example.com, version: v1, kind: Site}\n      validation: {include: parts/a.yaml}\n"
			if _, imports := tc.files["motifs/m.yaml"]; imports {
				tc.files["shop/katalog.yaml"] += "      imports: [{motif: ../motifs/m.yaml}]\n"
			}
			for file, text := range tc.files {
				file = filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Load(Options{}, filepath.Join(dir, "shop", "katalog.yaml"))
			if (err != nil) != tc.denied || err != nil && !strings.Contains(err.Error(), "leads out of the folder") {
				t.Errorf("\n%s\nLoad(...): %v, want it denied: %t", tc.reason, err, tc.denied)
			}
		})
	}
}
