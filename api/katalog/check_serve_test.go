package katalog

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// position is one in the line of a CRD that served reads.
var position = regexp.MustCompile(`(?:k:)?7:(\d+)\b`)

// served reads a Katalog with a CRD that has this line besides its names, and returns what is wrong with it and what is warned of, without
// the path of the CRD. Instead of a position it has the word that stands there.
func served(t *testing.T, line string) (result *Result, wrong, warned []string) {
	t.Helper()
	text := `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: k}
gateway: {enabled: true, api: {enabled: true, auth: {tokens: [{name: portal, token: "${T}"}]}}, clusters: {eu: {endpoint: "https://eu", secretRef: {name: eu, key: k}}}}
spec: {crds: {c: {
apiTypes: {group: example.com, version: v1, kind: Cache},
` + line + `
}}}
`
	result, err := Parse(Options{}, "k", []byte(text))
	findings, _ := errors.AsType[Findings](err)
	if err != nil && findings == nil {
		t.Fatal(err)
	}
	short := func(all Findings) (texts []string) {
		for _, one := range all {
			text := strings.ReplaceAll(one.String(), "spec.crds[c].", "")
			texts = append(texts, position.ReplaceAllStringFunc(text, func(text string) string {
				column, _ := strconv.Atoi(position.FindStringSubmatch(text)[1])
				end := strings.IndexAny(line[column:], ":,}] ")
				return line[column-1 : column+end]
			}))
		}
		return texts
	}
	return result, short(findings), short(result.Warnings)
}

func TestServeMistakes(t *testing.T) {
	const label = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')"
	const noKeys = `is not keys separated by dots, or in brackets and quotes: use a path such as spec.replicas or metadata.labels["example.com/tier"]`
	const own = "is written by the gateway or the operator alone, and no intent gives it: use a key of your own domain"
	cases := map[string]struct {
		reason, lines string
		want          []string
	}{
		"DefaultOutsideEnum": {
			reason: "who sends nothing would be denied", lines: `serve: {labels: {plan: {type: enum, enum: [free, gold], default: iron}}}`,
			want: []string{`iron: serve.labels[plan].default: "iron" is none of enum; valid: free, gold`},
		},
		"OverrideOutsideEnum": {
			reason: "everybody would be", lines: `serve: {fields: {size: {enum: ["1", "2"], override: 3}}}`,
			want: []string{`3: serve.fields[size].override: "3" is none of enum; valid: 1, 2`},
		},
		"EnumOfSent":   {reason: "an override is what is written, which value makes another one", lines: `serve: {fields: {size: {enum: [small], value: "1Gi", override: 2Gi}}}`},
		"EnumTwice":    {reason: "a value stands once", lines: `serve: {fields: {size: {enum: [a, b, a]}}}`, want: []string{`a: serve.fields[size].enum[2]: "a" stands there twice`}},
		"EnumMissing":  {reason: "an enum has values", lines: `serve: {fields: {size: {type: enum}}}`, want: []string{`size: serve.fields[size].enum: required: the values that there are`}},
		"Integer":      {reason: "a fraction is no integer", lines: `serve: {fields: {size: {type: integer, override: 1.5}}}`, want: []string{`1.5: serve.fields[size].override: the field is an integer, got "1.5"`}},
		"IntegerText":  {reason: "a text may spell one", lines: `serve: {fields: {size: {type: integer, override: "5"}}}`},
		"IntegerWhole": {reason: "and so may a fraction", lines: `serve: {fields: {size: {type: integer, override: 5.0}}}`},
		"Number":       {reason: "a text is no number", lines: `serve: {annotations: {size: {type: number, default: many}}}`, want: []string{`many: serve.annotations[size].default: the field is a number, got "many"`}},
		"Infinite":     {reason: "JSON has no such number", lines: `serve: {annotations: {size: {type: number, default: Inf}}}`, want: []string{`Inf: serve.annotations[size].default: the field is a number, got "Inf"`}},
		"Boolean":      {reason: "one of two", lines: `serve: {labels: {on: {type: boolean, default: "1"}}}`, want: []string{`"1": serve.labels[on].default: the field is a boolean, true or false, got "1"`}},
		"EnumType":     {reason: "each value has the type", lines: `serve: {fields: {size: {type: integer, enum: ["1", big]}}}`, want: []string{`big: serve.fields[size].enum[1]: the field is an integer, got "big"`}},
		"Template":     {reason: "what a template makes is known later", lines: `serve: {labels: {plan: {type: enum, enum: [free], override: "{{ .spec.plan }}"}}}`},
		"List": {
			reason: "a field of one value has no list", lines: "serve: {labels: {a: {default: [x]}}, fields: {b: {type: string, override: {x: 1}}, c: {override: [x]}}}",
			want: []string{`default: serve.labels[a].default: want one value, got a list or a map`, `override: serve.fields[b].override: want one value, got a list or a map`},
		},
		"LabelValue": {
			reason: "Kubernetes takes few characters in a label", lines: "serve: {labels: {a: {enum: [x, a b]}, b: {default: a/b}, c: {override: '-'}}, annotations: {d: {enum: [a b], default: a b}}}",
			want: []string{
				`a: serve.labels[a].enum[1]: ` + labelValue, `a/b: serve.labels[b].default: ` + labelValue, `'-': serve.labels[c].override: ` + labelValue,
			},
		},
		"DefaultAndOverride": {reason: "one of them is in vain", lines: `serve: {labels: {a: {default: x, override: y}}}`, want: []string{`x: serve.labels[a].default: excludes override, which is set whatever there is`}},
		"OverrideOfSeveral": {
			reason: "one value has no several places", lines: `serve: {fields: {a: {values: {x.a: "1", x.b: "2"}, override: 1}, b: {gateOnly: true, override: 1}}}`,
			want: []string{
				`1: serve.fields[a].override: excludes values, of which each is written in its own place: write rules of mutation for those`,
				`1: serve.fields[b].override: excludes gateOnly, with which nothing is written`,
			},
		},

		"Brackets": {reason: "a key with dots is one key", lines: `serve: {fields: {a: {path: 'm["a.b/c"]'}, b: {values: {'spec.m["a.b/d"]': x, m.a: y}}}}`},
		"BracketsTwice": {
			reason: "in whichever way it is written", lines: `serve: {fields: {a: {path: 'm["x"]'}, b: {path: spec.m.x}}}`,
			want: []string{`spec.m.x: serve.fields[b].path: "m.x" is written elsewhere too, at 'm["x"`},
		},
		"Within": {
			reason: "nor into what another one writes", lines: `serve: {fields: {a: {path: m}, b: {values: {m.x: "1"}}}}`,
			want: []string{`"1": serve.fields[b].values[m.x]: "m.x" is written elsewhere too, at m`},
		},
		"Metadata": {
			reason: "fields are written below spec alone", lines: `serve: {fields: {a: {path: metadata.name}, status.x: {}, b: {values: {status.y: x}}}}`,
			want: []string{
				`metadata.name: serve.fields[a].path: metadata.name is not below spec, where alone a field is written: declare a label or an annotation in its own map, or write spec.metadata.name for a field of that name`,
				`status.x: serve.fields[status.x]: status.x is not below spec, where alone a field is written: declare a label or an annotation in its own map, or write spec.status.x for a field of that name`,
				`x: serve.fields[b].values[status.y]: status.y is not below spec, where alone a field is written: declare a label or an annotation in its own map, or write spec.status.y for a field of that name`,
			},
		},
		"SpecMetadata": {reason: "which may have such fields", lines: `serve: {fields: {a: {path: spec.metadata.name}, status: {}}}`},
		"Spec":         {reason: "the spec is no field", lines: `serve: {fields: {a: {path: spec}}}`, want: []string{`spec: serve.fields[a].path: is the spec itself: name a field below it, such as spec.replicas`}},
		"Position": {
			reason: "nothing writes into lists", lines: `serve: {fields: {a: {path: "tags[0]"}}}`,
			want: []string{`"tags[0: serve.fields[a].path: the path "tags[0]" leads into a list, and paths lead through maps only: name the list, which is written and compared whole`},
		},
		"Dots": {
			reason: "a part has a name", lines: `serve: {fields: {a: {path: .x}, b: {path: y.}}}`,
			want: []string{
				`.x: serve.fields[a].path: the path ".x" begins with a dot: leave that out`,
				`y.: serve.fields[b].path: the path "y." is not keys separated by dots, or in brackets and quotes: use a path such as spec.replicas or spec.nodes["a.example.com"]`,
			},
		},
		"ValuesKey": {reason: "a path is told from a name", lines: `serve: {fields: {a: {values: {x: "1", spec.y: "2"}}}}`, want: []string{`"1": serve.fields[a].values[x]: a key of values is a path, with a dot: write spec.x`}},
		"Ignore":    {reason: "what a form hides is a field of the spec", lines: `serve: {ignore: [region, metadata.name, "a[0]"]}`, want: []string{`metadata.name: serve.ignore[1]: metadata.name is not below spec, where alone a field is written: declare a label or an annotation in its own map, or write spec.metadata.name for a field of that name`, `"a[0: serve.ignore[2]: the path "a[0]" leads into a list, and paths lead through maps only: name the list, which is written and compared whole`}},

		"Exclude": {
			reason: "a path that nobody can follow hides nothing; a template may name several, and so may a text",
			lines:  `serve: {config: {response: {exclude: [spec..x, "{{ .spec.hidden }}..", 'metadata.annotations["a.b/c"]', "spec.a, b..c", spec.l]}}, target: {a: {config: {response: {exclude: ["tags[0]"]}}}}}`,
			want: []string{
				`spec..x: serve.config.response.exclude[0]: the path "spec..x" ` + noKeys, `"spec.a: serve.config.response.exclude[3]: the path "b..c" ` + noKeys,
				`"tags[0: serve.target[a].config.response.exclude[0]: the path "tags[0]" ` + noKeys,
			},
		},
		"PollField": {
			reason: "callers would be sent to a path that is refused",
			lines:  `serve: {config: {response: {poll: {field: a..b}}}, target: {a: {config: {response: {poll: {field: "status.conditions[0].type"}}}}, b: {primary: true, config: {response: {poll: {field: status.phase}}}}}}`,
			want: []string{
				`a..b: serve.config.response.poll.field: the path "a..b" ` + noKeys,
				`"status.conditions[0: serve.target[a].config.response.poll.field: the path "status.conditions[0].type" leads into a list, and paths lead through maps only: name the list, which is written and compared whole`,
			},
		},

		"TargetsWithoutIntents": {
			reason: "nobody could ask for them", lines: `serve: {modes: {target: false}, target: {a: {primary: true}}}`,
			want: []string{`target: serve.target: excludes modes.target: false, with which nobody asks for a target: leave one of the two out; a target that takes whole resources alone has modes.target: false of its own`},
		},
		"TargetNameWithoutIntents": {
			reason: "a single name is a target too", lines: `serve: {modes: {target: false}, target: a}`,
			want: []string{`target: serve.target: excludes modes.target: false, with which nobody asks for a target: leave one of the two out; a target that takes whole resources alone has modes.target: false of its own`},
		},
		"TargetOfResources": {reason: "one target may take whole resources alone", lines: `serve: {target: {a: {primary: true}, b: {modes: {target: false}, fieldSelector: {spec.tier: gold}}}}`},
		"FourSelected": {
			reason: "three are the most", lines: `serve: {target: {a: {fieldSelector: {spec.a: x, spec.b: x, spec.c: x, spec.d: x}}}}`,
			want: []string{`fieldSelector: serve.target[a].fieldSelector: has 4 paths, and at most 3: give the resources one field that tells their target`},
		},
		"SelectedNowhere": {
			reason: "resources are looked at from the top", lines: `serve: {target: {a: {fieldSelector: {tier: x, status.phase: x, "spec.l[0]": x}}}}`,
			want: []string{
				`x: serve.target[a].fieldSelector[tier]: want a path in the spec or the metadata of a resource, such as spec.tier, got "tier"`,
				`x: serve.target[a].fieldSelector[status.phase]: want a path in the spec or the metadata of a resource, such as spec.tier, got "status.phase"`,
				`x: serve.target[a].fieldSelector[spec.l[0]]: the path "spec.l[0]" leads into a list, and paths lead through maps only: name the list, which is written and compared whole`,
			},
		},
		"SelectedTwice": {
			reason: "a resource has one target, however its path is written", lines: `serve: {enabled: true, tokens: {portal: {permissions: {global: [get]}}}, target: {a: {primary: true, fieldSelector: {spec.tier: gold}}, b: {fieldSelector: {'spec["tier"]': gold}}}}`,
			want: []string{`gold: serve.target[b].fieldSelector[spec["tier"]]: "gold" selects another target too, at gold`},
		},
		"MatchFields": {
			reason: "an older way", lines: `serve: {matchFields: [spec.a], target: {a: {matchFields: [spec.b]}}}`,
			want: []string{`matchFields: serve.matchFields: no longer supported; write fieldSelector on a target`, `matchFields: serve.target[a].matchFields: no longer supported; write fieldSelector, a map from path to value`},
		},

		"LinkNowhere": {
			reason: "there are no fields", lines: `validation: {rules: [{field: spec.a, message: m, link: nope}]}`,
			want: []string{`nope: validation.rules[0].link: must name a field of serve, which the CRD does not have: leave it out, and reports name the field of the rule`},
		},
		"LinkUnknown": {
			reason: "not this one", lines: `serve: {fields: {size: {path: a}}, labels: {team: {}}}, admission: {validation: {rules: [{field: spec.a, message: m, link: sise}, {field: spec.a, message: m, link: team}]}}`,
			want: []string{`sise: validation.rules[0].link: serve has no field, label or annotation "sise"; valid: size, team`},
		},

		"LabelKey": {reason: "Kubernetes has rules for them", lines: `serve: {labels: {"a b": {}}, annotations: {"x/y/z": {}}}`, want: []string{`"a: serve.labels[a b]: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')`, `"x/y/z": serve.annotations[x/y/z]: ` + label}},
		"OwnLabels": {
			reason: "the operator's labels are not the callers', in any domain",
			lines:  `serve: {labels: {orkestra.konductor.io/deletion-protection: {}, orkestra.io/deletion-protection: {}, orkestra.orkspace.io/x: {}, orkestra.example.com/x: {}, orkestra.io: {}}}`,
			want: []string{
				`orkestra.konductor.io/deletion-protection: serve.labels[orkestra.konductor.io/deletion-protection]: "orkestra.konductor.io/deletion-protection" ` + own,
				`orkestra.io/deletion-protection: serve.labels[orkestra.io/deletion-protection]: "orkestra.io/deletion-protection" ` + own,
				`orkestra.orkspace.io/x: serve.labels[orkestra.orkspace.io/x]: "orkestra.orkspace.io/x" ` + own,
			},
		},
		"OwnAnnotations": {
			reason: "nor are the gateway's annotations; a field of the spec may have any name",
			lines:  `serve: {annotations: {orkestra.konductor.io/conversion-v2: {}, orkestra.orkspace.io/serve-target: {}, team: {}}, fields: {orkestra.konductor.io/x: {path: x}}}`,
			want: []string{
				`orkestra.konductor.io/conversion-v2: serve.annotations[orkestra.konductor.io/conversion-v2]: "orkestra.konductor.io/conversion-v2" ` + own,
				`orkestra.orkspace.io/serve-target: serve.annotations[orkestra.orkspace.io/serve-target]: "orkestra.orkspace.io/serve-target" ` + own,
			},
		},
		"KeyTwice":      {reason: "an intent is one map", lines: `serve: {fields: {team: {}}, labels: {team: {}}, annotations: {team: {}}}`, want: []string{`team: serve.labels[team]: "team" is the key of another field already, at team: an intent has one of a name`, `team: serve.annotations[team]: "team" is the key of another field already, at team: an intent has one of a name`}},
		"KeyTarget":     {reason: "it would never be seen", lines: `serve: {fields: {target: {}}}`, want: []string{`target: serve.fields[target]: target is what an intent names its surface by: give the field another key, and the path spec.target`}},
		"OrderTwice":    {reason: "in any of the maps; none is none", lines: `serve: {fields: {a: {order: 1}, c: {}, d: {order: 0}}, labels: {b: {order: 1}}}`, want: []string{`1: serve.labels[b].order: 1 is taken; the first is at 1`}},
		"OrderNegative": {reason: "0 is the first already", lines: `serve: {fields: {a: {order: -1}}}`, want: []string{`-1: serve.fields[a].order: must not be negative, got -1`}},
		"PathTwice":     {reason: "one of the two would be lost", lines: `serve: {fields: {a: {}, b: {path: spec.a}}}`, want: []string{`spec.a: serve.fields[b].path: "a" is written elsewhere too, at a`}},
		"ValueAndValues": {
			reason: "both say what is written", lines: `serve: {fields: {a: {value: "1", values: {x.a: "1"}}, b: {path: q, values: {x.b: "1"}}}}`,
			want: []string{`"1": serve.fields[a].value: excludes values, which say what is written`, `q: serve.fields[b].path: excludes values, which say where it is written`},
		},
		"GateOnly": {
			reason: "nothing is written", lines: `serve: {fields: {a: {gateOnly: true, path: x}, b: {gateOnly: true, value: x}, c: {gateOnly: true, values: {x.a: x}}}}`,
			want: []string{
				`x: serve.fields[a].path: excludes gateOnly, with which nothing is written`, `x: serve.fields[b].value: excludes gateOnly, with which nothing is written`,
				`values: serve.fields[c].values: excludes gateOnly, with which nothing is written`,
			},
		},
		"PinnedNamespace": {
			reason: "elsewhere nobody operates", lines: `namespace: shop, serve: {namespace: "team-{{ .team }}"}`,
			want: []string{`"team-{{: serve.namespace: the CRD is operated in "shop" alone, and an intent may lead elsewhere: write that namespace`},
		},
		"OtherNamespace": {reason: "neither there", lines: `namespace: shop, serve: {namespace: other}`, want: []string{`other: serve.namespace: "other" is none of the namespaces that the CRD is operated in`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, wrong, _ := served(t, tc.lines)
			if diff := cmp.Diff(tc.want, wrong); diff != "" {
				t.Errorf("\n%s\nParse(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

const labelValue = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345')"

// Older spellings are read as the one of today, with one warning each.
func TestServeSpellings(t *testing.T) {
	cases := map[string]struct {
		reason, older, today string
		warned, wrong        []string
	}{
		"Targets": {
			reason: "targets by name", older: `serve: {targets: {a: {primary: true}, b: {}}}`, today: `serve: {target: {a: {primary: true}, b: {}}}`,
			warned: []string{"targets: serve.targets: older spelling; write target"},
		},
		"TargetsName": {
			reason: "the only one", older: `serve: {targets: a}`, today: `serve: {target: a}`, warned: []string{"targets: serve.targets: older spelling; write target"},
		},
		"TargetsBoth": {
			reason: "one of them is in vain", older: `serve: {target: a, targets: b}`, wrong: []string{"targets: serve.targets: targets and target (line 7) mean the same; keep target"},
		},
		"Cluster": {
			reason: "one cluster, of a target as well", older: `serve: {cluster: eu, target: {a: {primary: true, cluster: eu}}}`, today: `serve: {clusters: [eu], target: {a: {primary: true, clusters: [eu]}}}`,
			warned: []string{"cluster: serve.cluster: older spelling; write clusters", "cluster: serve.target[a].cluster: older spelling; write clusters"},
		},
		"ClusterTemplate": {
			reason: "which a template may name", older: `serve: {cluster: "{{ .region }}"}`, today: `serve: {clusters: ["{{ .region }}"]}`,
			warned: []string{"cluster: serve.cluster: older spelling; write clusters"},
		},
		"ClusterUnknown": {reason: "it is checked as ever", older: `serve: {cluster: mars}`, wrong: []string{`mars: serve.clusters[0]: there is no cluster "mars" in gateway.clusters; valid: eu`}},
		"ClusterList":    {reason: "a list has the other key", older: `serve: {cluster: [eu]}`, wrong: []string{"cluster: serve.cluster: unknown key; did you mean clusters?"}},
		"ClusterBoth":    {reason: "one of them is in vain", older: `serve: {cluster: eu, clusters: [eu]}`, wrong: []string{"cluster: serve.cluster: cluster and clusters (line 7) mean the same; keep clusters"}},
		"Permissions": {
			reason: "for all there is", older: `serve: {tokens: {portal: {permissions: [get, list]}}, target: {a: {primary: true, tokens: {portal: {permissions: [get]}}}}}`,
			today:  `serve: {tokens: {portal: {permissions: {global: [get, list]}}}, target: {a: {primary: true, tokens: {portal: {permissions: {global: [get]}}}}}}`,
			warned: []string{"permissions: serve.tokens[portal].permissions: older spelling; write permissions.global", "permissions: serve.target[a].tokens[portal].permissions: older spelling; write permissions.global"},
		},
		"PermissionsUnknown": {
			reason: "each is checked", older: `serve: {tokens: {portal: {permissions: [get, fetch]}}}`,
			wrong: []string{`fetch: serve.tokens[portal].permissions.global[1]: unknown value "fetch"; valid: get, list, create, update, delete, *`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, wrong, warned := served(t, tc.older)
			if diff := cmp.Diff(tc.wrong, wrong); diff != "" {
				t.Errorf("\n%s\nParse(...): -want, +got:\n%s", tc.reason, diff)
			}
			if tc.today == "" || len(wrong) > 0 {
				return
			}
			if diff := cmp.Diff(tc.warned, warned); diff != "" {
				t.Errorf("\n%s\nParse(...) warns: -want, +got:\n%s", tc.reason, diff)
			}
			want, _, _ := served(t, tc.today)
			if diff := cmp.Diff(want.Documents[0].Katalog, got.Documents[0].Katalog); diff != "" {
				t.Errorf("\n%s\nParse(...): -today, +older:\n%s", tc.reason, diff)
			}
		})
	}
}
