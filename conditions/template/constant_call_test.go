package template_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Only what fails in every cycle is an error of the text.
func TestCallsThatMayFail(t *testing.T) {
	cases := map[string]struct{ reason, text string }{
		"Works":      {reason: "constants that a function takes are fine", text: `{{ div 4 2 }} {{ nextCron "0 * * * *" }}`},
		"Field":      {reason: "what a field holds is not known", text: `{{ div 1 .spec.none }}`},
		"Guarded":    {reason: "a branch may be there for the case in which it works, as an empty input of a Motif", text: `{{ if "" }}{{ nextCron "" }}{{ end }}`},
		"And":        {reason: "and evaluates no more than it needs", text: `{{ and "" (nextCron "") }}`},
		"Or":         {reason: "nor does or", text: `{{ or "a" (div 1 0) }}`},
		"Reads":      {reason: "a function may read more than its values", text: `{{ getServeTarget }}`},
		"Random":     {reason: "a random value is no constant", text: `{{ randomHex 4 }}`},
		"NoFunction": {reason: "a constant is no call", text: `{{ "a" }} {{ 3 }} {{ true }}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := template.Compile(tc.text); err != nil {
				t.Errorf("%s\nCompile(%s): %v", tc.reason, tc.text, err)
			}
		})
	}
}
