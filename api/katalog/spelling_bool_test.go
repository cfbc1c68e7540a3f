package katalog

import (
	"fmt"
	"testing"
)

// A boolean in place of a text is the text true or false, however YAML lets one spell it; in quotes it is the text that it says.
func TestBooleanAsText(t *testing.T) {
	cases := map[string]struct {
		reason string
		equals string
		want   string
	}{
		"Lower":  {reason: "the usual spelling", equals: "true", want: "true"},
		"Title":  {reason: "another one of the same value", equals: "True", want: "true"},
		"Upper":  {reason: "and the third", equals: "FALSE", want: "false"},
		"Tag":    {reason: "a tag does not change it", equals: "!!bool False", want: "false"},
		"Quoted": {reason: "a text is as it is written", equals: `"True"`, want: "True"},
		"String": {reason: "so is one that a tag makes a text", equals: "!!str True", want: "True"},
		"Word":   {reason: "YAML has these as texts", equals: "yes", want: "yes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: a}
spec:
  crds:
    a:
      apiTypes: {group: example.com, version: v1, kind: A, plural: as}
      operatorBox: {when: [{field: spec.on, equals: %s}]}
`, tc.equals)
			result, err := Parse(Options{}, "k.yaml", []byte(text))
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			for _, entry := range result.Documents[0].Katalog.Spec.CRDs {
				if got := string(*entry.OperatorBox.When[0].Equals); got != tc.want {
					t.Errorf("%s\nequals: %s is %q, want %q", tc.reason, tc.equals, got, tc.want)
				}
			}
		})
	}
}
