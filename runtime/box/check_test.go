package box_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

const websiteSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      image: {type: string}
      replicas: {type: integer}
      tier: {type: string, enum: [gold, silver]}
      hosts: {type: array, items: {type: string}}
      steps: {type: array, items: {type: object, properties: {command: {type: string}}}}
  status: {type: object, properties: {phase: {type: string}}}
`

// TestChecks compiles entries against a schema: each has one error or one warning, or nothing is wrong with it.
func TestChecks(t *testing.T) {
	const at = "spec.crds[website]."
	cases := map[string]struct {
		reason, entry, err, warning string
	}{
		"Fine": {reason: "fields, elements and children that are there", entry: `
operatorBox:
  onReconcile: {configMaps: [{name: "{{ .metadata.name }}-{{ .index }}", forEach: {field: spec.steps, as: step}, data: {a: "{{ .step.command }}{{ .item.command }}"},
    when: [{field: spec.tier, in: "gold,silver"}, {cel: "step.command != ''"}]}]}
  status: {fields: [{path: phase, value: "{{ .children.configmap.metadata.name }}"}]}`},
		"Field":           {reason: "in a child", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {x: "{{ .spec.imgae }}"}}]}}`, err: at + `operatorBox.onReconcile.configMaps[0].data[x]: Invalid value: "{{ .spec.imgae }}": 1:10: .spec has no field imgae`},
		"OldField":        {reason: "in a child", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {x: "{{ .spec.schedule }}"}}]}}`, warning: at + `operatorBox.onReconcile.configMaps[0].data[x]: Invalid value: "{{ .spec.schedule }}": 1:10: .spec has no field schedule`},
		"Gate":            {reason: "in a gate", entry: `operatorBox: {when: [{field: spec.replicsa, equals: "1"}]}`, err: at + `operatorBox.when[0].field`},
		"Unreachable":     {reason: "a value that there can't be", entry: `operatorBox: {when: [{field: spec.tier, equals: bronze}]}`, err: at + `operatorBox.when[0].equals`},
		"Element":         {reason: "in an element", entry: `operatorBox: {onReconcile: {configMaps: [{name: "{{ .item.comand }}", forEach: {field: spec.steps}}]}}`, err: `.item has no field comand`},
		"ElementOutside":  {reason: "outside of a loop", entry: `operatorBox: {onReconcile: {configMaps: [{name: "{{ .item }}"}]}}`, err: `.item is there inside of a declaration with forEach`},
		"Loop":            {reason: "over a text", entry: `operatorBox: {onReconcile: {configMaps: [{name: "{{ .index }}", forEach: {field: spec.image}}]}}`, err: at + `operatorBox.onReconcile.configMaps[0].forEach.field: Invalid value: "spec.image": is a string: forEach goes over a list or a map`},
		"LoopOverNothing": {reason: "over a field that is not there", entry: `operatorBox: {onReconcile: {configMaps: [{name: "{{ .index }}", forEach: {field: spec.host}}]}}`, err: `.spec has no field host in the schema: did you mean hosts?`},
		"Child":           {reason: "a child that is not declared", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ .children.job.status.succeeded }}"}]}}`, warning: `.children.job is empty`},
		"StatusPath":      {reason: "a status field that the server drops", entry: `operatorBox: {status: {fields: [{path: phsae, value: x}]}}`, warning: at + `operatorBox.status.fields[0].path: Invalid value: "phsae": is left out`},
		"RandomChild":     {reason: "a child that is kept may not change by itself", entry: `operatorBox: {onReconcile: {secrets: [{name: a, data: {x: "{{ randomHex 8 }}"}}]}}`, err: `randomHex gives another value each time: the child would be written in every cycle`},
		"RandomOnce":      {reason: "one that is created once may", entry: `operatorBox: {onCreate: {secrets: [{name: a, data: {x: "{{ randomHex 8 }}"}}]}}`},
		"RandomStatus":    {reason: "nor may the status", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ uuidv4 }}"}]}}`, err: `uuidv4 gives another value each time: the status`},
		"RandomLabel":     {reason: "nor a label", entry: `labels: {a: "{{ randomHex 8 }}"}`, err: `the label would change`},
		"VersionChild":    {reason: "the resource's version changes with each write of its status", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {x: "{{ .metadata.resourceVersion }}"}}]}}`, err: `1:14: .metadata.resourceVersion changes with each write: the child would be written in every cycle`},
		"VersionOnce":     {reason: "what is made once may have it", entry: `operatorBox: {onCreate: {configMaps: [{name: a, data: {x: "{{ .metadata.resourceVersion }}"}}]}}`},
		"VersionStatus":   {reason: "the status may not either", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ .metadata.resourceVersion }}"}]}}`, err: `.metadata.resourceVersion changes with each write: the status would change`},
		"VersionLabel":    {reason: "nor a label", entry: `labels: {a: "{{ .metadata.resourceVersion }}"}`, err: `the label would change`},
		"VersionOfChild":  {reason: "nor a child that of a child", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {x: "{{ .children.configmap.metadata.resourceVersion }}"}}]}}`, err: `.children.configmap.metadata.resourceVersion changes with each write: the child`},
		"VersionOfNamed":  {reason: "by whatever name", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {x: "{{ .children.configmaps.b.metadata.managedFields }}"}}]}}`, err: `.children.configmaps.b.metadata.managedFields changes with each write`},
		"VersionFunction": {reason: "a function reads it as well", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {x: "{{ .children.configmap | resourceVersion }}"}}]}}`, err: `1:26: .children.configmap.metadata.resourceVersion changes with each write`},
		"VersionInStatus": {reason: "the status may tell of a child's: that does not change by it", entry: `operatorBox: {onReconcile: {configMaps: [{name: a}]}, status: {fields: [{path: phase, value: "{{ .children.configmap.metadata.resourceVersion }}"}]}}`},
		"OwnGeneration":   {reason: "a child's own generation changes when it is written", entry: `operatorBox: {onReconcile: {deployments: [{name: a, image: b, labels: {x: "{{ .children.deployment.metadata.generation }}"}}]}}`, warning: `.children.deployment.metadata.generation may change with each write of the child itself`},
		"Generation":      {reason: "that of another child, and of the resource, does not", entry: `operatorBox: {onReconcile: {deployments: [{name: a, image: b}], configMaps: [{name: a, data: {x: "{{ .children.deployment.metadata.generation }}{{ .metadata.generation }}"}}]}}`},
		"Counter":         {reason: "a status that goes on from itself never rests", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ add .status.phase .spec.replicas }}"}]}}`, warning: at + `operatorBox.status.fields[0].value: Invalid value: "{{ add .status.phase .spec.replicas }}": reads the status, and is another value after each cycle`},
		"CounterGate":     {reason: "with a gate it may", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ add .status.phase 1 }}", when: [{field: status.phase, lessThan: "5"}]}]}}`},
		"CounterBound":    {reason: "with a bound it does", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ min 11 (add .status.phase 1) }}"}]}}`},
		"FirstValue":      {reason: "what keeps its first value rests", entry: `operatorBox: {status: {fields: [{path: phase, value: "{{ .status.phase | default .metadata.name }}"}]}}`},
		"CEL":             {reason: "in an expression", entry: `operatorBox: {when: [{cel: spec.imgae == ''}]}`, err: at + `operatorBox.when[0].cel`},
		"CELChild":        {reason: "a kind of children that there is not", entry: `operatorBox: {when: [{cel: has(children.deploymnt.status)}]}`, err: `there is no .children.deploymnt: did you mean .children.deployment?`},
		"CELItem":         {reason: "an element outside of a loop", entry: `operatorBox: {when: [{cel: item == 'a'}]}`, err: `.item is there inside of a declaration with forEach, and not here`},
		"CELPrevious":     {reason: "the previous spec outside of a rollback", entry: `operatorBox: {when: [{cel: previous.spec.image == 'a'}]}`, err: `.previous is there inside of rollback.onRollback, and not here`},
		"CELEnum":         {reason: "a value that the field can't have", entry: `operatorBox: {when: [{cel: spec.tier == 'glod'}]}`, err: `the field is never "glod"`},
		"Normalized":      {reason: "what normalize sets is there", entry: "normalize: {spec: {full: '{{ .spec.image }}'}}\noperatorBox: {onReconcile: {configMaps: [{name: a, data: {x: '{{ .spec.full }}'}, when: [{cel: spec.full != ''}]}]}}"},
		"Mutated":         {reason: "so is what a rule sets, though the server would drop it", entry: "mutation: {rules: [{field: spec.made.up, default: x}]}\noperatorBox: {onReconcile: {configMaps: [{name: a, data: {x: '{{ .spec.made.up }}'}}]}}", warning: at + "mutation.rules[0].field"},
		"Rule":            {reason: "in a rule", entry: `validation: {rules: [{field: spec.replicsa, min: "1", message: m}]}`, err: at + "validation.rules[0].field"},
		"OnDelete":        {reason: "a job of a stage is run, and checked as one", entry: `operatorBox: {onDelete: {ordered: true, groups: [{jobs: [{name: a, image: b, port: "0"}]}]}}`, err: at + "operatorBox.onDelete.groups[0].jobs[0].port"},
		"OnDeleteName":    {reason: "what is deleted needs its name alone", entry: `operatorBox: {onDelete: {ordered: true, groups: [{deployments: [{name: a}]}]}}`},
		"OnDeleteGate":    {reason: "the gates of groups are checked", entry: `operatorBox: {onDelete: {ordered: true, groups: [{when: [{field: spec.none, exists: true}]}]}}`, warning: at + "operatorBox.onDelete.groups[0].when[0]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			props := &apiextensionsv1.JSONSchemaProps{}
			var crd orkv1.CRD
			for text, into := range map[string]any{websiteSchema: props, tc.entry: &crd} {
				if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			registry, err := builtin.Registry()
			if err != nil {
				t.Fatal(err)
			}
			katalog := &orkv1.Katalog{}
			katalog.Spec.CRDs = map[string]orkv1.CRD{"website": crd}
			_, found := box.CompileKatalog(katalog, box.Options{Registry: registry, Schemas: map[string]*apiextensionsv1.JSONSchemaProps{"website": props}})
			for _, one := range []struct {
				what, want string
				got        field.ErrorList
			}{{"errors", tc.err, found.Errors}, {"warnings", tc.warning, found.Warnings}} {
				switch {
				case one.want == "" && len(one.got) > 0, one.want != "" && len(one.got) != 1:
					t.Errorf("\n%s\n%s: got %v, want %q", tc.reason, one.what, one.got, one.want)
				case one.want != "" && !strings.Contains(one.got[0].Error(), one.want):
					t.Errorf("\n%s\n%s: got %v\nwant %s", tc.reason, one.what, one.got[0], one.want)
				}
			}
		})
	}
}
