package roots_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

const website = `
type: object
properties:
  spec:
    type: object
    properties:
      image: {type: string}
      replicas: {type: integer}
      "on": {type: boolean}
      tier: {type: string, enum: [gold, silver]}
      mixed: {type: string, enum: [gold, 1]}
      port: {x-kubernetes-int-or-string: true}
      hosts: {type: array, items: {type: string}}
      steps: {type: array, items: {type: object, properties: {command: {type: string}}}}
      env: {type: object, additionalProperties: {type: object, properties: {value: {type: string}}}}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true}
      none: {type: object}
      open: {}
  status:
    type: object
    properties:
      phase: {type: string}
`

func known(t *testing.T, text string) *roots.Known {
	t.Helper()
	if text == "" {
		return roots.New(nil)
	}
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), props); err != nil {
		t.Fatal(err)
	}
	return roots.New(props)
}

// keys splits at dots, and takes [] for an element.
func keys(path string) template.Path {
	return strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason, schema, path, want string
		warning                    bool
	}{
		"Root":             {"what every resource has", "", "metadata.labels.app", "", false},
		"RootOfUnknown":    {"nothing is known of the fields", "", "spec.anything.below", "", false},
		"WrongCase":        {"keys are case sensitive", "", "Spec.image", "there is no .Spec: did you mean .spec?", false},
		"Misspelt":         {"a slip", "", "sepc.image", "there is no .sepc: did you mean .spec?", false},
		"NoRoot":           {"nothing like it", "", "nonsense", "there is no .nonsense (valid: .apiVersion, .children,", false},
		"Item":             {"a root of other places", "", "item", ".item is there inside of a declaration with forEach, and not here", false},
		"Metadata":         {"metadata has the fields it has", "", "metadata.lables.app", ".metadata has no field lables in the schema: did you mean labels?", false},
		"MetadataText":     {"a name is a text", "", "metadata.name.first", ".metadata.name is a string, which has no field first", false},
		"Owners":           {"an element of a list", "", "metadata.ownerReferences[].kind", "", false},
		"Field":            {"a field there is", website, "spec.image", "", false},
		"MisspeltField":    {"a slip is an error", website, "spec.imgae", ".spec has no field imgae in the schema: did you mean image?", false},
		"OtherField":       {"it may be of a later version", website, "spec.schedule", ".spec has no field schedule in the schema, so it is always empty (valid: env, free, hosts,", true},
		"BelowText":        {"a text has no fields", website, "spec.image.tag", ".spec.image is a string, which has no field tag", false},
		"BelowList":        {"a list has elements", website, "spec.hosts.first", ".spec.hosts is a list, which has no field first: use range or index", false},
		"Element":          {"of the elements' fields", website, "spec.steps[].comand", ".spec.steps[] has no field comand in the schema: did you mean command?", false},
		"RangeOverNumber":  {"a range over a number counts", website, "spec.replicas[]", "", false},
		"RangeOverText":    {"a text has no elements", website, "spec.image[]", ".spec.image is a string: there is nothing to range over", false},
		"AnyKey":           {"a map has any key", website, "spec.env.HOME.value", "", false},
		"AnyKeyField":      {"its values have fields", website, "spec.env.HOME.vlaue", ".spec.env.HOME has no field vlaue in the schema: did you mean value?", false},
		"Preserved":        {"unknown fields are kept", website, "spec.free.what.ever", "", false},
		"NoFields":         {"an object without fields keeps nothing", website, "spec.none.x", ".spec.none has no field x in the schema, so it is always empty", true},
		"Open":             {"a schema that says nothing", website, "spec.open.x.y", "", false},
		"BelowIntOrString": {"a number or a text has no fields", website, "spec.port.x", ".spec.port is a number or a text, which has no field x", false},
		"Status":           {"the status as well", website, "status.phsae", ".status has no field phsae in the schema: did you mean phase?", false},
		"NoStatus":         {"a resource without one", "type: object\nproperties: {spec: {type: object}}", "status.phase", ".status has no field phase in the schema, so it is always empty", true},
		"All":              {"everything there is", website, "", "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := keys(tc.path)
			if tc.path == "" {
				path = nil
			}
			misread := known(t, tc.schema).Check(path)
			switch {
			case misread == nil:
				if tc.want != "" {
					t.Errorf("\n%s\nCheck(%s) = nil, want %s", tc.reason, tc.path, tc.want)
				}
			case tc.want == "" || !strings.HasPrefix(misread.Problem, tc.want) || misread.Warning != tc.warning:
				t.Errorf("\n%s\nCheck(%s) = %q, warning %t\nwant %q, warning %t", tc.reason, tc.path, misread.Problem, misread.Warning, tc.want, tc.warning)
			}
		})
	}
}

func TestChildren(t *testing.T) {
	cases := map[string]struct {
		reason, key string
		open        bool
		want        string
		warning     bool
	}{
		"Declared": {"a kind that is declared", "deployment", false, "", false},
		"Capitals": {"as a block spells it", "configMaps", false, "", false},
		"Small":    {"in small letters", "configmaps", false, "", false},
		"Other":    {"one that is not is empty", "job", false, ".children.job is empty: no child of that kind is declared here", true},
		"Misspelt": {"a slip", "deploymnet", false, "there is no .children.deploymnet: did you mean .children.deployment?", false},
		"Unknown":  {"nothing like it", "spaceship", false, "there is no .children.spaceship: no child of such a kind is declared here", false},
		"Open":     {"a kind that only a resource tells may be any", "spaceship", true, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			misread := roots.New(nil).WithChildren(tc.open, []string{"Deployment", "deployments", "configMaps"}).Check(template.Path{"children", tc.key, "status"})
			if misread == nil {
				misread = &template.Misread{}
			}
			if misread.Problem != tc.want || misread.Warning != tc.warning {
				t.Errorf("\n%s\nCheck() = %+v, want %q, warning %t", tc.reason, *misread, tc.want, tc.warning)
			}
		})
	}
}

func TestShape(t *testing.T) {
	k := known(t, website)
	for path, want := range map[string]string{
		"spec.image": "string", "spec.replicas": "number", "spec.on": "bool", "spec.hosts": "slice", "spec.hosts[]": "string",
		"spec.env": "map", "spec.port": "", "spec.open": "", "spec.absent": "", "children.x": "",
	} {
		if got := k.Shape(keys(path)).Type; got != want {
			t.Errorf("Shape(%s).Type = %q, want %q", path, got, want)
		}
	}
	if got := k.Shape(keys("spec.tier")).Enum; len(got) != 2 || got[0] != "gold" {
		t.Errorf("an enum of texts is known: got %v", got)
	}
	if got := k.Shape(keys("spec.mixed")).Enum; got != nil {
		t.Errorf("one with other values is not: got %v", got)
	}
}

func TestExtend(t *testing.T) {
	k := known(t, website)
	extended := k.Extend(keys("spec.none.made.up")).Extend(keys("spec.fresh.field"))
	for _, path := range []string{"spec.none.made.up", "spec.none.made.up.deeper", "spec.fresh.field"} {
		if misread := extended.Check(keys(path)); misread != nil {
			t.Errorf("%s is set in memory: %s", path, misread.Problem)
		}
		if k.Check(keys(path)) == nil {
			t.Errorf("%s is not in the schema, which was changed", path)
		}
	}
	if misread := extended.Check(keys("spec.imgae")); misread == nil {
		t.Error("everything else is as it was")
	}
	if k.Extend(keys("spec.image")) != k || roots.New(nil).Extend(keys("spec.x")) == nil {
		t.Error("what is there need not be added")
	}
}

func TestWith(t *testing.T) {
	k := known(t, website)
	with := k.With("item", k.At(keys("spec.steps[]"))).With("region", nil)
	for path, wrong := range map[string]bool{"item.command": false, "item.comand": true, "region.any": false} {
		if got := with.Check(keys(path)) != nil; got != wrong {
			t.Errorf("Check(%s) finds something: %t, want %t", path, got, wrong)
		}
	}
	if k.Check(keys("region")) == nil {
		t.Error("the roots of other places stay as they are")
	}
	for expression, wrong := range map[string]bool{
		"region == 'eu'": false, "spec.replicas > 1": false, "spec.replicas == 'x'": true, "nonsense": true,
	} {
		if _, err := with.Environment().CompileBool(expression); (err != nil) != wrong {
			t.Errorf("CompileBool(%s): %v, want an error: %t", expression, err, wrong)
		}
	}
}
