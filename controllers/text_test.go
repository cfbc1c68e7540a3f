package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// read gives a builder the text and returns what it read and what was wrong.
func read(text orkv1.Template, reader func(*controllers.Draft, orkv1.Template, *field.Path) any) (any, error) {
	var got any
	kind := controllers.Of(controllers.Spec[orkv1.ConfigMap]{
		Kind:   controllers.Kind{Key: "things", GVK: schema.GroupVersionKind{Version: "v1", Kind: "Thing"}},
		List:   configMaps,
		Common: func(in *orkv1.ConfigMap) controllers.Common { return controllers.CommonOf(&in.Entry) },
		Build: func(d *controllers.Draft, in *orkv1.ConfigMap, at *field.Path) any {
			got = reader(d, in.FromConfigMap, at.Child("x"))
			return map[string]any{}
		},
		NameSuffix: "-thing",
	})
	block := &orkv1.Block{ConfigMaps: []orkv1.ConfigMap{{FromConfigMap: text}}}
	d := kind.Declarations(block, nil)[0]
	_, err := d.Build(website(), d.Value, controllers.Seen{})
	return got, err
}

// spelled is the value behind a pointer, for comparison.
func spelled[T any](p *T) any {
	if p == nil {
		return nil
	}
	if q, ok := any(p).(fmt.Stringer); ok {
		return q.String()
	}
	return *p
}

func readers() map[string]func(*controllers.Draft, orkv1.Template, *field.Path) any {
	type draft = *controllers.Draft
	type text = orkv1.Template
	return map[string]func(draft, text, *field.Path) any{
		"Int32":        func(d draft, t text, at *field.Path) any { return spelled(d.Int32(t, 0, at)) },
		"Int64":        func(d draft, t text, at *field.Path) any { return spelled(d.Int64(t, 0, at)) },
		"Port":         func(d draft, t text, at *field.Path) any { return spelled(d.Port(t, at)) },
		"PortOrName":   func(d draft, t text, at *field.Path) any { return spelled(d.PortOrName(t, at)) },
		"IntOrPercent": func(d draft, t text, at *field.Path) any { return spelled(d.IntOrPercent(t, at)) },
		"Bool":         func(d draft, t text, at *field.Path) any { return spelled(d.Bool(t, at)) },
		"Quantity":     func(d draft, t text, at *field.Path) any { return spelled(d.Quantity(t, at)) },
		"Protocol":     func(d draft, t text, at *field.Path) any { return d.Protocol(t, at) },
	}
}

func TestTexts(t *testing.T) {
	type want struct {
		value any
		err   string
	}
	cases := map[string]struct {
		reason string
		reader string
		text   orkv1.Template
		want   want
	}{
		"Int":           {reason: "a number", reader: "Int32", text: "3", want: want{value: int32(3)}},
		"IntSpace":      {reason: "templates leave space around it", reader: "Int32", text: " 3\n", want: want{value: int32(3)}},
		"IntEmpty":      {reason: "nothing is no number, and no error", reader: "Int32", text: " \n", want: want{}},
		"IntOver":       {reason: "a field has a width", reader: "Int32", text: "2147483648", want: want{err: `things[0].x: "2147483648" is out of range: want 0 to 2147483647`}},
		"IntFarOver":    {reason: "more than any width", reader: "Int64", text: "99999999999999999999", want: want{err: `things[0].x: "99999999999999999999" is not a whole number`}},
		"IntHex":        {reason: "decimal alone", reader: "Int32", text: "0x10", want: want{err: `things[0].x: "0x10" is not a whole number`}},
		"IntNoValue":    {reason: "what a template makes of nothing", reader: "Int32", text: "<no value>", want: want{err: `things[0].x: "<no value>" is not a whole number`}},
		"IntTemplate":   {reason: "a rendered text is taken as it is", reader: "Int32", text: "{{ 1 }}", want: want{err: `things[0].x: "{{ 1 }}" is not a whole number`}},
		"PortZero":      {reason: "0 is no port", reader: "Port", text: "0", want: want{err: `things[0].x: "0" is out of range: want 1 to 65535`}},
		"PortName":      {reason: "a name", reader: "PortOrName", text: "http", want: want{value: "http"}},
		"PortNumber":    {reason: "or a number", reader: "PortOrName", text: "80", want: want{value: "80"}},
		"PortBad":       {reason: "a name is lower case", reader: "PortOrName", text: "HTTP!", want: want{err: `things[0].x: "HTTP!" is neither the number nor the name of a port`}},
		"Percent":       {reason: "a percentage", reader: "IntOrPercent", text: "25%", want: want{value: "25%"}},
		"PercentNumber": {reason: "or a number", reader: "IntOrPercent", text: "2", want: want{value: "2"}},
		"PercentHuge":   {reason: "of a width", reader: "IntOrPercent", text: "3000000000", want: want{err: `things[0].x: "3000000000" is neither a whole number of at least 0 nor a percentage such as 25%`}},
		"PercentDigits": {reason: "a percentage has a width too", reader: "IntOrPercent", text: "99999999999999999999%", want: want{err: `things[0].x: "99999999999999999999%" is neither a whole number of at least 0 nor a percentage such as 25%`}},
		"BoolCase":      {reason: "in any case", reader: "Bool", text: "TRUE", want: want{value: true}},
		"BoolNumber":    {reason: "true and false alone", reader: "Bool", text: "1", want: want{err: `things[0].x: "1" is not one of true, false`}},
		"Canonical":     {reason: "as the API server spells it", reader: "Quantity", text: "1024Mi", want: want{value: "1Gi"}},
		"HugeQuantity":  {reason: "an exponent that would be computed digit by digit", reader: "Quantity", text: "1e-999999999", want: want{err: `things[0].x: "1e-999999999" is not a quantity such as 500m, 2 or 128Mi`}},
		"Milli":         {reason: "as the API server spells it", reader: "Quantity", text: "0.1", want: want{value: "100m"}},
		"Protocol":      {reason: "upper case", reader: "Protocol", text: "sctp", want: want{value: "SCTP"}},
		"NoProtocol":    {reason: "the default is explicit", reader: "Protocol", text: "", want: want{value: "TCP"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			value, err := read(tc.text, readers()[tc.reader])
			got := want{value: value}
			if err != nil {
				got.err = err.Error()
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\n%s(%q): -want, +got:\n%s", tc.reason, tc.reader, tc.text, diff)
			}
		})
	}
}

// What is read without an error reads the same again from its own spelling, so that it never looks like a change.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"3", " 80 ", "25%", "1000m", "0.5Gi", "-1", "http", "true", "1e3", "<no value>", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, reader := range readers() {
			value, err := read(orkv1.Template(text), reader)
			if err != nil || value == nil {
				continue
			}
			again, err := read(orkv1.Template(fmt.Sprint(value)), reader)
			if err != nil || again != value {
				t.Errorf("%s(%q) = %v, and that reads as %v (%v)", name, text, value, again, err)
			}
			if q, ok := value.(string); ok && name == "Quantity" && strings.HasPrefix(q, "-") {
				t.Errorf("Quantity(%q) = %s is below 0", text, q)
			}
		}
	})
}
