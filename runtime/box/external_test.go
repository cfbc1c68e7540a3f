package box_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// compileCalls compiles an entry from YAML.
func compileCalls(t *testing.T, entry string) ([]*box.Set, box.Findings) {
	t.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	var crd orkv1.CRD
	if err := yaml.UnmarshalStrict([]byte(entry), &crd); err != nil {
		t.Fatal(err)
	}
	crd.APITypes = orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Shop"}
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"shop": crd}
	return box.CompileKatalog(katalog, box.Options{Registry: registry})
}

func TestExternalResults(t *testing.T) {
	const a, b = `{name: alpha, url: "http://a.example.com"}`, `{name: beta, url: "http://b.example.com/{{ .external.alpha.status }}"}`
	reads := func(name string) string {
		return `{configMaps: [{name: c, data: {a: "{{ .external.` + name + `.status }}"}}]}`
	}
	cases := map[string]struct {
		reason, entry, want string
	}{
		"Children": {
			reason: "children see the results of all calls of their box",
			entry:  `operatorBox: {onCreate: {external: [` + a + `]}, onReconcile: {external: [], configMaps: [{name: c, data: {a: "{{ .external.alpha.fresh }}"}}]}}`,
		},
		"Misspelt": {
			reason: "a name is known before anything runs",
			entry:  `operatorBox: {onReconcile: {external: [` + a + `], configMaps: [{name: c, data: {a: "{{ .external.alhpa.status }}"}}]}}`,
			want:   "there is no result of an external call alhpa here: did you mean .external.alpha?",
		},
		"None": {reason: "without a call there is no result", entry: `operatorBox: {onReconcile: ` + reads("alpha") + `}`, want: "so it is always empty"},
		"CEL": {
			reason: "in CEL as well",
			entry:  `operatorBox: {onReconcile: {external: [` + a + `], when: [{cel: "external.alpah.status == '200'"}]}}`, want: "did you mean .external.alpha?",
		},
		"Earlier": {reason: "a call sees those before it", entry: `operatorBox: {onReconcile: {external: [` + a + `, ` + b + `]}}`},
		"Later": {
			reason: "and none after it", entry: `operatorBox: {onReconcile: {external: [` + b + `, ` + a + `]}}`,
			want: "so it is always empty",
		},
		"BlockOrder": {reason: "the calls of onReconcile come before those of onCreate", entry: `operatorBox: {onCreate: {external: [` + b + `]}, onReconcile: {external: [` + a + `]}}`},
		"Defect65": {
			reason: "no result may replace another one", entry: `operatorBox: {onCreate: {external: [` + a + `]}, onReconcile: {external: [` + a + `]}}`,
			want: "is the name of spec.crds[shop].operatorBox.onReconcile.external[0] already, whose result it would replace",
		},
		"Defect65Rules": {
			reason: "nor that of a rule", entry: "mutation: {external: [" + a + "]}\noperatorBox: {onReconcile: {external: [" + a + "]}}",
			want: "is the name of spec.crds[shop].mutation.external[0] already",
		},
		"Defect65Hooks": {
			reason: "nor that of hooks", entry: "operatorBox: {reconciler: {hooks: {location: a, function: B, external: [" + a + "]}}, onReconcile: {external: [" + a + "]}}",
			want: "is the name of spec.crds[shop].operatorBox.reconciler.hooks.external[0] already",
		},
		"Defect65Gates": {
			reason: "nor that of a shared call", entry: "operatorBox: {preReconcile: {external: [" + a + "], enqueueGate: {external: [" + a + "]}}}",
			want: "is the name of spec.crds[shop].operatorBox.preReconcile.external[0] already",
		},
		"Gates": {
			reason: "a gate and a cycle know nothing of each other",
			entry:  "operatorBox: {preReconcile: {enqueueGate: {external: [" + a + "]}, reconcileGate: {external: [" + a + "]}}, onReconcile: {external: [" + a + "]}}",
		},
		"GateReads": {
			reason: "a gate sees its own calls and the shared ones",
			entry: "operatorBox: {preReconcile: {external: [" + a + "], reconcileGate: {external: [" + b + "], when: [{field: external.alpha.body, equals: x}, " +
				"{cel: 'external.beta.called == \"true\"'}]}}}",
		},
		"GateReadsOther": {
			reason: "and not those of the other gate",
			entry:  "operatorBox: {preReconcile: {enqueueGate: {external: [" + a + "]}, reconcileGate: {when: [{field: external.alpha.body, equals: x}]}}}",
			want:   "so it is always empty",
		},
		"Rules": {
			reason: "rules see the calls of their block, and validation those of mutation",
			entry: "mutation: {external: [" + a + "], rules: [{field: spec.a, default: '{{ .external.alpha.a }}'}]}\n" +
				"validation: {external: [" + b + "], rules: [{field: external.beta.status, equals: '200', message: '{{ .external.alpha.status }}'}]}\noperatorBox: {}",
		},
		"RulesOrder": {
			reason: "mutation sees those of validation only when it comes after it",
			entry: "mutation: {rules: [{field: spec.a, default: '{{ .external.alpha.a }}'}]}\n" +
				"validation: {external: [" + a + "]}\noperatorBox: {}",
			want: "so it is always empty",
		},
		"RulesOrderTurned": {
			reason: "as it does then",
			entry: "mutation: {mutateFirst: false, rules: [{field: spec.a, default: '{{ .external.alpha.a }}'}]}\n" +
				"validation: {external: [" + a + "]}\noperatorBox: {}",
		},
		"Children?": {reason: "a call is made before there are children", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "http://{{ .children.service.name }}"}]}}`, want: "is there after the external calls"},
		"NoURL":     {reason: "it goes somewhere", entry: `operatorBox: {onReconcile: {external: [{name: a, url: ""}]}}`, want: "external[0].url: Required value"},
		"Scheme":    {reason: "over HTTP", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "ftp://a"}]}}`, want: "must begin with http:// or https://"},
		"NoHost":    {reason: "to a host", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "http:///x"}]}}`, want: "is no URL with a host"},
		"FromSpec":  {reason: "which a resource may tell", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "{{ .spec.url }}"}]}}`},
		"OnRollback": {
			reason: "a rollback sees its own calls, those of the other blocks, and the earlier spec",
			entry: `operatorBox: {onReconcile: {external: [` + a + `]}, rollback: {onRollback: {external: [{name: beta, url: "http://b/{{ .previous.spec.a }}/{{ .external.alpha.body }}"}], ` +
				`when: [{field: external.beta.status, equals: "200"}], configMaps: [{name: c, data: {a: "{{ .external.beta.body }}"}}]}}}`,
		},
		"OnRollbackTwice": {
			reason: "which are made in the same cycle", entry: `operatorBox: {onReconcile: {external: [` + a + `]}, rollback: {onRollback: {external: [` + a + `]}}}`,
			want: "is the name of spec.crds[shop].operatorBox.onReconcile.external[0] already",
		},
		"OnRollbackAlone": {
			reason: "and nobody else sees them", want: "so it is always empty",
			entry: `operatorBox: {onReconcile: ` + reads("alpha") + `, rollback: {onRollback: {external: [` + a + `]}}}`,
		},
		"OnDelete": {
			reason: "a group sees the calls of the whole and its own",
			entry: `operatorBox: {onDelete: {ordered: true, external: [` + a + `], when: [{field: external.alpha.status, equals: "200"}], ` +
				`groups: [{external: [` + b + `], when: [{field: external.beta.status, equals: "200"}], jobs: [{name: "{{ .external.beta.body }}", image: a}]}]}}`,
		},
		"OnDeleteGroups": {
			reason: "and not those of another group, which a later cycle does not make", want: "so it is always empty",
			entry: `operatorBox: {onDelete: {ordered: true, groups: [{external: [` + a + `]}, {configMaps: [{name: "{{ .external.alpha.body }}"}]}]}}`,
		},
		"OnDeleteOwn": {
			reason: "a deletion makes the calls of no other block, so their names are free", entry: "mutation: {external: [" + a + "]}\n" +
				"operatorBox: {onReconcile: {external: [{name: gamma, url: 'http://a'}]}, onDelete: {external: [" + a + ", {name: gamma, url: 'http://a'}]}}",
		},
		"OnDeleteOther": {
			reason: "and their results are not there", want: "so it is always empty",
			entry: `operatorBox: {onReconcile: {external: [` + a + `]}, onDelete: {configMaps: [{name: "{{ .external.alpha.body }}"}]}}`,
		},
		"OnDeleteTwice": {
			reason: "no result replaces that of the whole", entry: `operatorBox: {onDelete: {ordered: true, external: [` + a + `], groups: [{external: [` + a + `]}]}}`,
			want: "is the name of spec.crds[shop].operatorBox.onDelete.external[0] already",
		},
		"Protocol":      {reason: "as its protocol wants it", entry: `operatorBox: {onReconcile: {external: [{name: a, protocol: redis, query: PING, url: "http://a"}]}}`, want: "must begin with redis:// or rediss://"},
		"Hosts":         {reason: "or to several", entry: `operatorBox: {onReconcile: {external: [{name: a, protocol: kafka, query: a, url: "a:9092,b:9092"}]}}`},
		"Password":      {reason: "without a password that all can read", entry: `operatorBox: {onReconcile: {external: [{name: a, protocol: postgres, query: SELECT 1, url: "postgres://u:p@h/d"}]}}`, want: `"postgres://u@h/d": has a password in it`},
		"Query":         {reason: "or in the query", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "http://h/d?limit=1&access_token=abc&b=c"}]}}`, want: `"http://h/d?limit=1&access_token=[redacted]&b=c": has a credential in its query, access_token`},
		"QueryPassword": {reason: "of any protocol", entry: `operatorBox: {onReconcile: {external: [{name: a, protocol: postgres, query: SELECT 1, url: "postgres://u@h/d?sslmode=require&Password=abc"}]}}`, want: `has a credential in its query, Password`},
		"QueryTemplate": {reason: "what the resource says stands elsewhere", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "http://h/d?token={{ .metadata.name }}&tokens=3&key=&password="}]}}`},
		"Field":         {reason: "a result has known fields", entry: `operatorBox: {onReconcile: {external: [{name: a, protocol: postgres, query: SELECT 1, url: "postgres://u@h/d"}], when: [{field: external.a.rowcounts, equals: x}]}}`, want: "did you mean rowCount?"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := compileCalls(t, tc.entry)
			text := ""
			if all := slices.Concat(found.Errors, found.Warnings); len(all) > 0 {
				text = all.ToAggregate().Error()
			}
			if (tc.want == "") != (text == "") || !strings.Contains(text, tc.want) {
				t.Errorf("\n%s\ngot %q, want %q", tc.reason, text, tc.want)
			}
		})
	}
}

func TestCallSite(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.example.com/{{ .spec.a }}":   "a.example.com",
		"http://user:secret@a.example.com:80/": "a.example.com:80",
		"https://a.example.com?token=b":        "a.example.com",
		"http://{{ .spec.host }}/a":            "templated",
		"{{ .spec.url }}":                      "templated",
	} {
		sets, found := compileCalls(t, `operatorBox: {onReconcile: {external: [{name: a, url: "`+url+`"}]}}`)
		if len(found.Errors) > 0 {
			t.Fatal(found.Errors.ToAggregate())
		}
		if got := sets[0].Calls(sets[0].Effective(""))[0].Base.Site; got != want {
			t.Errorf("%s: metrics call the host %q, want %q", url, got, want)
		}
	}
}

func TestCredentialRights(t *testing.T) {
	sets, found := compileCalls(t, `operatorBox:
  preReconcile: {reconcileGate: {external: [{name: a, url: "http://a", auth: {secretRef: {name: one, key: token}}}]}}
  onReconcile: {external: [{name: a, url: "http://a", auth: {secretRef: {name: two, namespace: other, key: token}}}, {name: b, url: "http://a", auth: {env: A}}]}
  onDelete: {ordered: true, external: [{name: a, url: "http://a", auth: {secretRef: {name: three, key: token}}}],
    groups: [{external: [{name: b, url: "http://a", auth: {secretRef: {name: four, key: token}}}]}]}
  rollback: {onRollback: {external: [{name: c, url: "http://a", auth: {secretRef: {name: five, key: token}}}]}}`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	want := rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"five", "four", "one", "three", "two"}, Verbs: []string{"get"},
	}
	if !slices.ContainsFunc(box.Rules(sets...), func(rule rbacv1.PolicyRule) bool { return cmp.Equal(rule, want) }) {
		t.Errorf("Rules() = %v, want %v among them", box.Rules(sets...), want)
	}
}
