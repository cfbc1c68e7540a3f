package katalog

import (
	"strings"
	"testing"
)

func TestInputsInCEL(t *testing.T) {
	const with = `{text: 'a "b"', yes: true, three: 3, minus: -3, max-size: 5, field: '{{ .spec.image }}'}`
	cases := map[string]struct {
		reason string
		cel    string
		want   string
	}{
		"Text":      {reason: "a text becomes a literal", cel: `spec.a == inputs.text`, want: `spec.a == "a \"b\""`},
		"Method":    {reason: "and can be gone on from", cel: `inputs.text.contains(spec.a)`, want: `"a \"b\"".contains(spec.a)`},
		"Bool":      {reason: "a boolean is one", cel: `inputs.yes && spec.a`, want: `true && spec.a`},
		"Number":    {reason: "a number is one", cel: `spec.a>inputs.three`, want: `spec.a>3`},
		"Negative":  {reason: "which may stand behind a minus", cel: `spec.a-inputs.minus`, want: `spec.a-(-3)`},
		"Hyphen":    {reason: "the name of an input may have a hyphen", cel: `spec.a < inputs.max-size`, want: `spec.a < 5`},
		"Minus":     {reason: "and a hyphen may subtract", cel: `inputs.three-1 < inputs.max-size-1`, want: `3-1 < 5-1`},
		"Brackets":  {reason: "a name can be given as a text", cel: `inputs["max-size"] + inputs['three']`, want: `5 + 3`},
		"Field":     {reason: "a template of one field is its path", cel: `size(inputs.field)`, want: `size(spec.image)`},
		"Root":      {reason: "a dot may say that a name is a root", cel: `.inputs.three == 3 || 3 == .inputs.three`, want: `3 == 3 || 3 == 3`},
		"Quoted":    {reason: "in a text it is none", cel: `spec.a == "inputs.three" + 'inputs.three'`, want: `spec.a == "inputs.three" + 'inputs.three'`},
		"Escaped":   {reason: "of which quotes may be a part", cel: `"\" inputs.three" + r"\" + string(inputs.three)`, want: `"\" inputs.three" + r"\" + string(3)`},
		"Long":      {reason: "and line breaks", cel: `"""" inputs.three """ + spec.a`, want: `"""" inputs.three """ + spec.a`},
		"Below":     {reason: "a field may have the name", cel: `spec.inputs.three == spec.a[0].inputs.three`, want: `spec.inputs.three == spec.a[0].inputs.three`},
		"Longer":    {reason: "or begin or end with it", cel: `myinputs.three + inputs2.three`, want: `myinputs.three + inputs2.three`},
		"Templated": {reason: "what stands in braces is written as it is", cel: `spec.a == "{{ .inputs.three }}" && inputs.yes`, want: `spec.a == "3" && true`},
	}
	const motif = motifHead + `inputs: [{name: text}, {name: 'yes'}, {name: three}, {name: minus}, {name: max-size}, {name: field}]
resources: {configMaps: [{name: a, when: [{cel: %}]}]}
`
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			quoted := "'" + strings.ReplaceAll(tc.cel, "'", "''") + "'"
			crd := imported(t, Options{}, importHead+"      imports: [{motif: web.yaml, with: "+with+"}]\n",
				map[string]string{"web.yaml": strings.Replace(motif, "%", quoted, 1)})
			if got := crd.OperatorBox.OnReconcile.ConfigMaps[0].When[0].CEL; got != tc.want {
				t.Errorf("%s\ncel: %s\nis   %s\nwant %s", tc.reason, tc.cel, got, tc.want)
			}
		})
	}
}

// What an import gives wrongly does not hide what else is wrong with it.
func TestMisspeltInput(t *testing.T) {
	const motif = motifHead + "inputs: [{name: image, required: true}, {name: replicas, type: int}, {name: host, required: true}]\n"
	_, err := importing(t, Options{}, importHead+"      imports: [{motif: web.yaml, with: {imag: nginx, replicas: many}}]\n", map[string]string{"web.yaml": motif})
	if err == nil {
		t.Fatal("three things are wrong")
	}
	for _, want := range []string{"did you mean image?", "with[replicas]", "with[host]: required"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "with[image]: required") {
		t.Errorf("what is misspelt is not missing as well:\n%v", err)
	}
}

// A list of things to enrich with may have each as the key of a map.
func TestEnrichByKey(t *testing.T) {
	const crd = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: a}
spec: {crds: {a: {apiTypes: {group: example.com, version: v1, kind: A, plural: as}, enrich: %, operatorBox: {}}}}
`
	cases := map[string]struct {
		reason string
		enrich string
		want   []string
		err    string
	}{
		"Empty": {reason: "a gate is no must", enrich: "[{pods: {}}, events]", want: []string{"pods", "events"}},
		"Null":  {reason: "nor is a value", enrich: "[{pods: }]", want: []string{"pods"}},
		"Two":   {reason: "an element is one", enrich: "[{pods: {}, events: {}}]", err: "write each in an element of its own, [pods, events]"},
		"Text":  {reason: "a value has a meaning", enrich: "[{pods: all}]", err: "want a map with when or or, got the text \"all\"; without them write pods alone"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := Parse(Options{}, "k.yaml", []byte(strings.Replace(crd, "%", tc.enrich, 1)))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s\ngot %v, want the one error %s", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			for i, one := range result.Documents[0].Katalog.Spec.CRDs["a"].Enrich {
				if string(one.Name) != tc.want[i] {
					t.Errorf("%s\nenrich[%d] is %s, want %s", tc.reason, i, one.Name, tc.want[i])
				}
			}
		})
	}
}
