package katalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Lists of kinds that nobody builds are errors that say what to write, in every block, and never silently ignored.
func TestDefect38Placeholders(t *testing.T) {
	for _, key := range []string{
		"serviceMonitors", "priorityClasses", "runtimeClasses", "podTemplates", "podSecurityPolicies", "priorityLevelConfigurations",
		"volumes", "volumeMounts", "storageClasses", "storageLocations", "storagePools", "storageBackups", "storageSnapshots", "storageVolumes",
	} {
		for _, block := range []string{"onCreate", "onReconcile", "onDelete"} {
			t.Run(key+"/"+block, func(t *testing.T) {
				at := "spec.crds[a].operatorBox." + block + "." + key
				findings := findingsOf(t, fmt.Sprintf("%s: {%s: [{name: a}]}", block, key))
				if len(findings) != 1 || findings[0].Path != at || !strings.Contains(findings[0].Message, "not supported") ||
					!strings.Contains(findings[0].Message, "custom") {
					t.Errorf("Parse(...): want one error at %s that says not supported and names custom, got %v", at, findings)
				}
			})
		}
	}
	t.Run("daemonSets", func(t *testing.T) {
		if findings := findingsOf(t, "onReconcile: {daemonSets: [{image: a}]}"); len(findings) > 0 {
			t.Errorf("Parse(...): %v", findings)
		}
	})
}

// findingsOf are the errors in an operatorBox, which is one line of YAML.
func findingsOf(t *testing.T, box string) Findings {
	t.Helper()
	_, err := Parse(Options{}, "katalog.yaml", []byte(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: a}
spec: {crds: {a: {apiTypes: {group: example.com, version: v1, kind: A}, operatorBox: {`+box+`}}}}
`))
	findings, ok := errors.AsType[Findings](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	return findings
}
