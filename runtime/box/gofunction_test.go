package box_test

import (
	"strings"
	"testing"
)

// A text in args is checked when the Katalog is loaded, at any depth.
func TestArgsAreCompiled(t *testing.T) {
	const function = `{location: example.com/go, function: W, args: {tls: {names: ["{{ lowr .metadata.name }}"]}}}`
	cases := map[string]struct{ reason, reconciler, want string }{
		"Hooks": {
			reason: "args of hooks", reconciler: `{hooks: ` + function + `}`,
			want: "operatorBox.reconciler.hooks.args[tls].names[0]",
		},
		"Constructor": {
			reason: "args of a constructor", reconciler: `{default: false, constructor: ` + function + `}`,
			want: "operatorBox.reconciler.constructor.args[tls].names[0]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := compile(t, `operatorBox: {reconciler: `+tc.reconciler+`}`)
			if len(errs) != 1 || !strings.Contains(errs[0], tc.want) || !strings.Contains(errs[0], `did you mean "lower"?`) {
				t.Errorf("\n%s\nthe errors are %v, want one of %s", tc.reason, errs, tc.want)
			}
		})
	}
}

// Beside a constructor there are no children, and of the status only what is declared.
func TestConstructorBox(t *testing.T) {
	const constructor = `reconciler: {default: false, constructor: {location: example.com/go, function: W}}`
	cases := map[string]struct {
		reason, status  string
		off, conditions bool
	}{
		"Nothing":    {reason: "the reconciler has the status to itself", off: true},
		"Fields":     {reason: "declared fields are written, and nothing else", status: `, status: {fields: [{path: a, value: b}]}`},
		"Conditions": {reason: "conditions are written when they are asked for", status: `, status: {conditions: true}`, conditions: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			box := only(t, `operatorBox: {onReconcile: {configMaps: [{name: a}]}, `+constructor+tc.status+`}`).Effective("")
			if len(box.Blocks) > 0 || len(box.Kinds) > 0 {
				t.Errorf("\n%s\nthere are children: %v", tc.reason, box.Kinds)
			}
			if got := box.Status; got.Off != tc.off || got.Conditions != tc.conditions || got.ObservedGeneration != tc.conditions {
				t.Errorf("\n%s\nthe status is %+v", tc.reason, got)
			}
		})
	}
}
