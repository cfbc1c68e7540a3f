package conditions_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// known has the fields of a resource that a schema describes.
type known map[string]template.Shape

func (k known) Check(path template.Path) *template.Misread {
	if _, ok := k[path.String()]; ok {
		return nil
	}
	return &template.Misread{Problem: path.String() + " is not known", Key: len(path) - 1, Warning: path[0] == "maybe"}
}

func (k known) Shape(path template.Path) template.Shape { return k[path.String()] }

// TestKnownFields compiles conditions where something is known of the fields.
func TestKnownFields(t *testing.T) {
	roots := known{
		"spec.tier":     {Type: "string", Enum: []string{"gold", "silver"}},
		"spec.name":     {Type: "string"},
		"spec.replicas": {Type: "number"},
		"spec.on":       {Type: "bool"},
		"spec.list":     {Type: "slice"},
		"spec.any":      {},
	}
	cases := map[string]struct {
		reason    string
		condition orkv1.Condition
		err, warn string
	}{
		"Enum":          {"a value there is", orkv1.Condition{Field: "spec.tier", Equals: text("gold")}, "", ""},
		"NotInEnum":     {"a value there is not", orkv1.Condition{Field: "spec.tier", Equals: text("gould")}, `gate.when[0].equals: Invalid value: "gould": spec.tier is never "gould": it is one of gold, silver; did you mean "gold"?`, ""},
		"Alias":         {"an operator under another name", orkv1.Condition{Field: "spec.tier", Operator: "eq", Value: text("iron")}, `spec.tier is never "iron"`, ""},
		"OneField":      {"a template that is one field", orkv1.Condition{Field: "{{ .spec.tier }}", Equals: text("iron")}, `spec.tier is never "iron"`, ""},
		"MoreThanField": {"of more than a field nothing is known", orkv1.Condition{Field: "a-{{ .spec.tier }}", Equals: text("iron")}, "", ""},
		"Unset":         {"a field may be unset", orkv1.Condition{Field: "spec.tier", Equals: text("")}, "", ""},
		"SomeInEnum":    {"one of several", orkv1.Condition{Field: "spec.tier", In: text("gold, bronze")}, "", `spec.tier is never "bronze"`},
		"NoneInEnum":    {"none of several", orkv1.Condition{Field: "spec.tier", In: text("iron,bronze")}, `spec.tier is never "iron"`, ""},
		"NotIn":         {"an inequality that always holds", orkv1.Condition{Field: "spec.tier", NotIn: text("iron")}, "", `spec.tier is never "iron"`},
		"NumberWord":    {"a number is no word", orkv1.Condition{Field: "spec.replicas", Equals: text("many")}, `spec.replicas is never "many": it is a number`, ""},
		"NumberSpelt":   {"texts are compared", orkv1.Condition{Field: "spec.replicas", Equals: text("3.0")}, `spec.replicas is never "3.0": it is a number`, ""},
		"Number":        {"a number is a number", orkv1.Condition{Field: "spec.replicas", NotEquals: text("3")}, "", ""},
		"NumberAsInt":   {"both sides are read as numbers", orkv1.Condition{Field: "spec.replicas", Equals: text("03"), ValueType: "int"}, "", ""},
		"BoolWord":      {"a boolean has two texts", orkv1.Condition{Field: "spec.on", Equals: text("yes")}, `spec.on is never "yes": it is true or false`, ""},
		"Order":         {"a list has no order", orkv1.Condition{Field: "spec.list", GreaterThan: text("3")}, "spec.list is a slice, which has no order", ""},
		"OrderOfText":   {"a text may hold a number", orkv1.Condition{Field: "spec.name", GreaterThan: text("3")}, "", ""},
		"Any":           {"nothing is known of the value", orkv1.Condition{Field: "spec.any", Equals: text("x")}, "", ""},
		"Rendered":      {"nor of a template", orkv1.Condition{Field: "spec.tier", Equals: text("{{ .spec.any }}")}, "", ""},
		"Unknown":       {"a field there is not", orkv1.Condition{Field: "spec.nmae", Equals: text("x")}, `gate.when[0].field: Invalid value: "spec.nmae": 1:6: spec.nmae is not known`, ""},
		"UnknownInText": {"in a template as well", orkv1.Condition{Field: "{{ .spec.nmae }}", Equals: text("x")}, `gate.when[0].field: Invalid value: "{{ .spec.nmae }}": 1:10: spec.nmae is not known`, ""},
		"Doubtful":      {"one that may be there", orkv1.Condition{Field: "maybe.it", Equals: text("x")}, "", `gate.when[0].field: Invalid value: "maybe.it": 1:7: maybe.it is not known`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := template.NewLanguage(nil, roots)
			_, errs := conditions.Compile(l, orkv1.Conditions{When: []orkv1.Condition{tc.condition}}, field.NewPath("gate"))
			for _, found := range []struct {
				what, want string
				got        field.ErrorList
			}{{"error", tc.err, errs}, {"warning", tc.warn, l.Warnings()}} {
				switch {
				case found.want == "" && len(found.got) > 0, found.want != "" && len(found.got) != 1:
					t.Errorf("\n%s\n%s: got %v, want %q", tc.reason, found.what, found.got, found.want)
				case found.want != "" && !strings.Contains(found.got[0].Error(), found.want):
					t.Errorf("\n%s\n%s: got %v\nwant %s", tc.reason, found.what, found.got[0], found.want)
				}
			}
		})
	}
}
