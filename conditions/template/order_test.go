package template_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// shaped knows the type of some fields.
type shaped map[string]string

func (shaped) Check(template.Path) *template.Misread { return nil }

func (s shaped) Shape(path template.Path) template.Shape {
	return template.Shape{Type: s[strings.Join(path, ".")]}
}

func TestOrderOfValues(t *testing.T) {
	known := shaped{"spec.hosts": notes.TypeList, "spec.limits": notes.TypeMap, "spec.tier": notes.TypeString}
	cases := map[string]struct {
		reason, text   string
		errs, warnings []string
	}{
		"JoinPiped": {
			reason: "a list is no separator", text: `{{ .spec.hosts | join "," }}`,
			errs: []string{`join: .spec.hosts is a list, where the separator belongs, as a pipe hands its value over last: write join .spec.hosts ","`},
		},
		"Join": {
			reason: "without a pipe neither", text: `{{ join "," .spec.hosts }}`,
			errs: []string{`join: .spec.hosts is a list, where the separator belongs: write join .spec.hosts ","`},
		},
		"JoinResult": {
			reason: "what a function makes has a type as well", text: `{{ .spec.tier | asList | join "-" }}`,
			errs: []string{`join: (.spec.tier | asList) is a list, where the separator belongs, as a pipe hands its value over last: write join (.spec.tier | asList) "-"`},
		},
		"JoinParentheses": {
			reason: "in parentheses, too", text: `{{ toUpper (.spec.hosts | join ",") }}`,
			errs: []string{`join: .spec.hosts is a list, where the separator belongs, as a pipe hands its value over last: write join .spec.hosts ","`},
		},
		"SplitMap": {
			reason: "a map is no separator", text: `{{ split .spec.tier .spec.limits }}`,
			errs: []string{`split: .spec.limits is a map, where the separator belongs: write split .spec.limits .spec.tier`},
		},
		"JoinUnknown": {
			reason: "where no schema tells the type, it may be meant", text: `{{ .spec.other | join "," }}`,
			warnings: []string{`join works on "," here, and takes .spec.other for the separator, as a pipe hands its value over last: write join .spec.other ","`},
		},
		"Contains": {
			reason: "the pattern is the field of the resource", text: `{{ .spec.tier | contains "ol" }}`,
			warnings: []string{`contains works on "ol" here, and takes .spec.tier for the part, as a pipe hands its value over last: write contains .spec.tier "ol"`},
		},
		"HasPrefix": {
			reason: "and what a function makes of it", text: `{{ .spec.tier | toLower | hasPrefix "nginx" }}`,
			warnings: []string{`hasPrefix works on "nginx" here, and takes (.spec.tier | toLower) for the prefix, as a pipe hands its value over last: write hasPrefix (.spec.tier | toLower) "nginx"`},
		},
		"TrimPrefix": {
			reason: "without a pipe as well", text: `{{ trimPrefix "v" .spec.tier }}`,
			warnings: []string{`trimPrefix works on "v" here, and takes .spec.tier for the prefix: write trimPrefix .spec.tier "v"`},
		},
		"Replace": {
			reason: "nothing is ever replaced in a text that does not have it", text: `{{ .spec.tier | replace "a" "b" }}`,
			warnings: []string{`replace works on "a" here, and takes .spec.tier for the new, as a pipe hands its value over last: write replace .spec.tier "a" "b"`},
		},
		"Split": {
			reason: "the separator is the field", text: `{{ range .spec.tier | split "," }}{{ . }}{{ end }}`,
			warnings: []string{`split works on "," here, and takes .spec.tier for the separator, as a pipe hands its value over last: write split .spec.tier ","`},
		},
		"GetOr": {
			reason: "a constant is always there", text: `{{ .spec.tier | getOr "gold" }}`,
			warnings: []string{`getOr works on "gold" here, and takes .spec.tier for the fallback, as a pipe hands its value over last: write getOr .spec.tier "gold"`},
		},
		"With": {
			reason: "the dot is a field, too", text: `{{ with .spec.hosts }}{{ . | join "," }}{{ end }}`,
			errs: []string{`join: . is a list, where the separator belongs, as a pipe hands its value over last: write join . ","`},
		},
		"Right":       {reason: "what works on the field", text: `{{ join .spec.hosts "," }}{{ replace .spec.tier "a" "b" }}{{ hasPrefix .spec.tier "g" }}`},
		"Default":     {reason: "the fallback of default comes first", text: `{{ .spec.tier | default "x" }}`},
		"Placeholder": {reason: "a constant in which something is replaced", text: `{{ replace "a NAME b" "NAME" .spec.tier }}`},
		"Words":       {reason: "a constant that lists words", text: `{{ contains "gold,silver" .spec.tier }}`},
		"Constants":   {reason: "constants alone are tried elsewhere", text: `{{ "a,b" | split "," }}`},
		"Fields":      {reason: "of two fields nobody knows which is meant", text: `{{ .spec.tier | hasPrefix .spec.other }}`},
	}
	texts := func(errs field.ErrorList) []string {
		var all []string
		for _, err := range errs {
			_, detail, _ := strings.Cut(err.Detail, ": ")
			all = append(all, detail)
		}
		return slices.Clip(all)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			language := template.NewLanguage(nil, known)
			_, errs := language.Compile(tc.text, field.NewPath("x"))
			if diff := cmp.Diff(tc.errs, texts(errs)); diff != "" {
				t.Errorf("\n%s\nerrors: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, texts(language.Warnings())); diff != "" {
				t.Errorf("\n%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
