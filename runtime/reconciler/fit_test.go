package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

func TestFit(t *testing.T) {
	of := func(kind string) *roots.Props { return &roots.Props{Type: kind} }
	phases := &roots.Props{Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"Ready"`)}, {Raw: []byte(`"Failed"`)}}}
	list, object := []any{"a"}, map[string]any{"a": "b"}
	cases := map[string]struct {
		reason string
		value  any
		props  *roots.Props
		want   any
		err    string
	}{
		"Unknown":        {reason: "without a schema a value is as it is", value: int64(3), want: int64(3)},
		"Any":            {reason: "and so is one of any type", value: "", props: of(""), want: ""},
		"IntOrString":    {reason: "and one of two types", value: int64(3), props: &roots.Props{XIntOrString: true}, want: int64(3)},
		"NumberAsText":   {reason: "the number that an expression gives is a text where a text is wanted", value: int64(3), props: of("string"), want: "3"},
		"BoolAsText":     {reason: "and so is a boolean", value: true, props: of("string"), want: "true"},
		"TextAsInteger":  {reason: "the text of a number is one", value: "3", props: of("integer"), want: int64(3)},
		"WholeAsNumber":  {reason: "a whole number is a number", value: int64(3), props: of("number"), want: float64(3)},
		"TextAsBool":     {reason: "the text of a boolean is one", value: "true", props: of("boolean"), want: true},
		"List":           {reason: "a list stays one", value: list, props: of("array"), want: list},
		"Map":            {reason: "and a map", value: object, props: of("object"), want: object},
		"OneOf":          {reason: "a text of the enum is taken", value: "Ready", props: phases, want: "Ready"},
		"MissingInteger": {reason: "a number that is not there yet is no field", value: "", props: of("integer")},
		"MissingBool":    {reason: "nor is a boolean", value: nil, props: of("boolean")},
		"MissingList":    {reason: "nor a list", value: "", props: of("array")},
		"MissingText":    {reason: "a text that is missing is empty", value: nil, props: of("string"), want: ""},
		"MissingOneOf":   {reason: "unless the enum has no empty text", value: "", props: phases},
		"MissingTime":    {reason: "or the format", value: "", props: &roots.Props{Type: "string", Format: "date-time"}},
		"MissingLong":    {reason: "or the length", value: "", props: &roots.Props{Type: "string", MinLength: new(int64(1))}},
		"NoInteger":      {reason: "a word is no number", value: "many", props: of("integer"), err: `"many" is not a whole number`},
		"NoNumber":       {reason: "of no kind", value: "many", props: of("number"), err: `"many" is not a number`},
		"NoBool":         {reason: "and no boolean", value: "maybe", props: of("boolean"), err: `"maybe" is neither true nor false`},
		"NoList":         {reason: "and no list", value: "a", props: of("array"), err: `"a" is not a list, as the schema wants`},
		"NoMap":          {reason: "and no map", value: "a", props: of("object"), err: `"a" is not a map, as the schema wants`},
		"NoneOf":         {reason: "the enum has it not", value: "Gone", props: phases, err: `"Gone" is not one of those that the schema has: Ready, Failed`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := fit(tc.value, tc.props)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("%s\nfit(...) = %v, %v, want the error %s", tc.reason, got, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfit(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
