package box_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// compileCross compiles a Katalog of shop, with YAML of the entry, and of database and secret, which lets nobody read it. The schema of
// database is known.
func compileCross(tb testing.TB, shop string) (*box.Set, box.Findings) {
	tb.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		tb.Fatal(err)
	}
	katalog := &orkv1.Katalog{}
	text := "spec: {crds: {secret: {crossAccess: false}, database: {}, realm: {namespaced: false}, shop: " + shop + "}}"
	if err := yaml.UnmarshalStrict([]byte(text), katalog); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	var schema apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(`{type: object, properties: {status: {type: object, properties: {phase: {type: string}}}}}`), &schema); err != nil {
		tb.Fatal(err)
	}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry, Schemas: map[string]*roots.Props{"database": &schema}})
	for _, set := range sets {
		if set.Name == "shop" {
			return set, found
		}
	}
	tb.Fatal("there is no shop")
	return nil, found
}

func TestCrossFindings(t *testing.T) {
	const db = `cross: [{crd: database, as: db}]`
	field := func(text string) string {
		return `{operatorBox: {` + db + `, status: {fields: [{path: a, value: "` + text + `"}]}}}`
	}
	cases := map[string]struct {
		reason, shop, err, warning string
	}{
		"Read":        {reason: "what every read has", shop: field("{{ .cross.db.found }}{{ .cross.db.name }}{{ .cross.db.metadata.labels.a }}{{ .cross.db.status.phase }}{{ .cross.db.metrics.queueDepth }}{{ .cross.db.health.state }}")},
		"Unknown":     {reason: "a name is known before anything runs", shop: field("{{ .cross.dbs.found }}"), err: "there is no .cross.dbs: did you mean .cross.db?"},
		"Far":         {reason: "and the names there are, for one that is like none", shop: field("{{ .cross.elsewhere.found }}"), err: "there is no .cross.elsewhere in operatorBox.cross (valid: db)"},
		"None":        {reason: "a box that reads nothing", shop: `{operatorBox: {when: [{field: cross.db.found, exists: true}]}}`, err: "there is no .cross.db: operatorBox.cross reads nothing"},
		"CEL":         {reason: "in CEL as well", shop: `{operatorBox: {` + db + `, when: [{cel: "cross.bd.found == 'true'"}]}}`, err: "did you mean .cross.db?"},
		"CELRead":     {reason: "which sees it", shop: `{operatorBox: {` + db + `, when: [{cel: "cross.db.found == 'true'"}]}}`},
		"StatusField": {reason: "the schema of the other CRD is known", shop: field("{{ .cross.db.status.phaze }}"), err: ".cross.db.status has no field phaze in the schema: did you mean phase?"},
		"SpecField":   {reason: "it has no spec at all", shop: field("{{ .cross.db.spec.size }}"), warning: ".cross.db.spec has no field size in the schema, so it is always empty"},
		"Metric":      {reason: "metrics have the fields they have", shop: field("{{ .cross.db.metrics.cpu }}"), err: ".cross.db.metrics has no field cpu (valid: autoscaleActive,"},
		"Field":       {reason: "a read has the fields it has", shop: field("{{ .cross.db.stauts.phase }}"), err: ".cross.db has no field stauts in the schema: did you mean status?"},
		"Hyphen":      {reason: "a name that is reached by index, as it is where it is not given", shop: `{operatorBox: {cross: [{crd: my-db, source: {host: "http://a"}}], when: [{field: cross.my-db.found, exists: true}], status: {fields: [{path: a, value: '{{ index .cross "my-db" "found" }}'}]}}}`},
		"Remote":      {reason: "another operator may say more", shop: `{operatorBox: {cross: [{crd: database, as: db, source: {host: "http://a"}}], when: [{field: cross.db.total, exists: true}]}}`},
		"All":         {reason: "a list has elements", shop: `{operatorBox: {cross: [{crd: database, as: db, strategy: all}], when: [{field: cross.db.found, exists: true}]}}`, err: ".cross.db is a list, which has no field found: use range or index"},
		"AllRead":     {reason: "which are like the others", shop: `{operatorBox: {cross: [{crd: database, as: db, strategy: all}], status: {fields: [{path: a, value: "{{ range .cross.db }}{{ .status.phaze }}{{ end }}"}]}}}`, err: "has no field phaze in the schema: did you mean phase?"},
		"Rules":       {reason: "rules come before", shop: `{operatorBox: {` + db + `}, validation: {rules: [{field: cross.db.found, equals: "true", action: deny}]}}`, err: ".cross is there in operatorBox, once the rules are obeyed, and not here"},
		"RulesCEL":    {reason: "in CEL as well", shop: `{operatorBox: {` + db + `}, validation: {rules: [{cel: "cross.db.found == 'true'", action: deny}]}}`, err: "cross"},
		"Mutation":    {reason: "mutation as well", shop: `{operatorBox: {` + db + `}, mutation: {rules: [{field: spec.a, default: "{{ .cross.db.status.phase }}"}]}}`, err: ".cross is there in operatorBox"},
		"Normalize":   {reason: "normalize as well", shop: `{operatorBox: {` + db + `}, normalize: {spec: {a: "{{ .cross.db.status.phase }}"}}}`, err: ".cross is there in operatorBox"},
		"Gate":        {reason: "gates come before a cycle", shop: `{operatorBox: {` + db + `, preReconcile: {reconcileGate: {when: [{field: cross.db.found, equals: "true"}]}}}}`, err: ".cross is there in a cycle, which comes after the gates, and not here"},
		"HookArgs":    {reason: "so do the args of Go code", shop: `{operatorBox: {` + db + `, reconciler: {hooks: {location: example.com/a, function: B, args: {a: "{{ .cross.db.found }}"}}}}}`, err: ".cross is there after the args of Go code, and not here"},
		"Selector":    {reason: "a read is selected by what comes before", shop: `{operatorBox: {cross: [{crd: database, as: db, selector: {name: "{{ .children.deployment.metadata.name }}"}}]}}`, err: ".children is there after the cross reads, and not here"},
		"EachOther":   {reason: "reads see nothing of one another", shop: `{operatorBox: {cross: [{crd: database, as: db}, {crd: realm, as: r, selector: {name: "{{ .cross.db.name }}"}}]}}`, err: ".cross is there in operatorBox"},
		"Random":      {reason: "a read asks for the same each time", shop: `{operatorBox: {cross: [{crd: database, as: db, selector: {name: "{{ randomAlphanumeric 4 }}"}}]}}`, err: "it would ask for another resource each time"},
		"External":    {reason: "a call sees it", shop: `{operatorBox: {` + db + `, onReconcile: {external: [{name: a, url: "http://{{ .cross.db.status.phase }}"}]}}}`},
		"OnDelete":    {reason: "so does what is deleted", shop: `{operatorBox: {` + db + `, onDelete: {when: [{field: cross.db.found, equals: "true"}], configMaps: [{name: a}]}}}`},
		"Hidden":      {reason: "nobody may read it", shop: `{operatorBox: {cross: [{crd: secret, as: s}]}}`, warning: `operatorBox.cross[0].crd: Invalid value: "secret": lets no other CRD read its resources (crossAccess: false), so nothing is found`},
		"URL":         {reason: "a source is a URL", shop: `{operatorBox: {cross: [{crd: database, as: db, source: {host: "other:8080"}}]}}`, err: "operatorBox.cross[0].source.host: Invalid value: \"other:8080\": must begin with http:// or https://"},
		"NoPath":      {reason: "labels are no path", shop: `{operatorBox: {cross: [{labelSelector: {a: b}, as: db, source: {host: "http://a"}}]}}`, err: "operatorBox.cross[0].source.endpoint: Required value: labelSelector names no CRD"},
		"NoName":      {reason: "another operator is asked by name", shop: `{operatorBox: {cross: [{crd: database, as: db, selector: {matchLabels: {a: b}}, source: {host: "http://a"}}]}}`, err: "operatorBox.cross[0].source.endpoint: Required value: another operator is asked by name"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := compileCross(t, tc.shop)
			for what, one := range map[string]struct {
				want string
				got  error
			}{"error": {tc.err, found.Errors.ToAggregate()}, "warning": {tc.warning, found.Warnings.ToAggregate()}} {
				switch {
				case one.want == "" && one.got != nil:
					t.Errorf("\n%s\nthe %s is %v, want none", tc.reason, what, one.got)
				case one.want != "" && (one.got == nil || !strings.Contains(one.got.Error(), one.want)):
					t.Errorf("\n%s\nthe %s is %v, want\n%s", tc.reason, what, one.got, one.want)
				}
			}
		})
	}
}

// TestDefect66Rendered renders what is asked for: labels, names and URLs are never sent as they are written.
func TestDefect66Rendered(t *testing.T) {
	facts := template.NewFacts(map[string]any{"spec": map[string]any{
		"db": "main", "tier": "gold", "evil": "../../health", "space": "a b?x=#", "empty": "", "host": "far.example.com",
	}}, nil)
	const host = `source: {host: "http://{{ .spec.host }}/ork/"}`
	cases := map[string]struct {
		reason, read, url, err string
		want                   cross.Query
	}{
		"Own":       {reason: "without a selector it is the one of the same name", read: `{crd: database}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}},
		"Name":      {reason: "a name is rendered", read: `{crd: database, selector: {name: "{{ .spec.db }}"}, ` + host + `}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "main"}, url: "http://far.example.com/ork/katalog/database/cr/ns/main"},
		"Namespace": {reason: "and a namespace", read: `{crd: database, selector: {namespace: "{{ .spec.tier }}"}, ` + host + `}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "gold", Name: "shop"}, url: "http://far.example.com/ork/katalog/database/cr/gold/shop"},
		"Labels":    {reason: "every label is rendered", read: `{crd: database, selector: {matchLabels: {tier: "{{ .spec.tier }}", db: "{{ .spec.db }}"}}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Labels: map[string]string{"tier": "gold", "db": "main"}}},
		"Entry":     {reason: "an entry of labels has any name", read: `{labelSelector: {b: c, a: b}, as: x}`, want: cross.Query{Entry: cross.Entry{Labels: "a=b,b=c"}, Namespace: "ns"}},
		"Both":      {reason: "all that is given counts", read: `{labelSelector: {a: b}, as: x, selector: {name: "{{ .spec.db }}"}, strategy: all}`, want: cross.Query{Entry: cross.Entry{Labels: "a=b"}, Namespace: "ns", Name: "main", All: true}},
		"NoName":    {reason: "a name that is empty is none", read: `{crd: database, selector: {name: "{{ .spec.empty }}"}}`, err: "selector.name: is empty", want: cross.Query{Entry: cross.Named("database"), Namespace: "ns"}},
		"Elsewhere": {reason: "a name never leads elsewhere", read: `{crd: database, selector: {name: "{{ .spec.evil }}"}, ` + host + `}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "../../health"}, err: `selector: "../../health" is no name`},
		"Escaped":   {reason: "what means something in a URL does not there", read: `{crd: database, selector: {name: "{{ .spec.space }}"}, ` + host + `}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "a b?x=#"}, url: "http://far.example.com/ork/katalog/database/cr/ns/a%20b%3Fx=%23"},
		"Events":    {reason: "a protocol has its path", read: `{crd: database, source: {host: "http://a", protocol: events}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}, url: "http://a/katalog/database/cr/ns/shop/events"},
		"Health":    {reason: "a protocol has its path", read: `{crd: database, source: {host: "http://a", protocol: health}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}, url: "http://a/katalog/database/health"},
		"Metrics":   {reason: "a protocol has its path", read: `{crd: database, source: {host: "http://a", protocol: metrics}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}, url: "http://a/katalog/database"},
		"Info":      {reason: "a protocol has its path", read: `{crd: database, source: {host: "http://a", protocol: info}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}, url: "http://a/katalog/database"},
		"Endpoint":  {reason: "a whole URL wins", read: `{crd: database, source: {host: "http://a", endpoint: "https://b/{{ .spec.db }}"}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}, url: "https://b/main"},
		"Theirs":    {reason: "they may call the namespace otherwise", read: `{crd: database, source: {host: "http://a", namespace: "{{ .spec.tier }}"}}`, want: cross.Query{Entry: cross.Named("database"), Namespace: "ns", Name: "shop"}, url: "http://a/katalog/database/cr/gold/shop"},
		"NoSpace":   {reason: "what has no namespace is asked for by its name", read: `{crd: realm, source: {host: "http://a"}}`, want: cross.Query{Entry: cross.Named("realm"), Namespace: "ns", Name: "shop"}, url: "http://a/katalog/realm/cr/shop"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, found := compileCross(t, `{operatorBox: {cross: [`+tc.read+`]}}`)
			if len(found.Errors) > 0 {
				t.Fatal(found.Errors.ToAggregate())
			}
			read := set.Effective("").Cross[0]
			got, err := read.Query(facts, types.NamespacedName{Namespace: "ns", Name: "shop"})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			url := ""
			if err == nil && read.Source != nil {
				var ask *cross.Ask
				if ask, err = read.Source.Ask(facts, &got); err == nil {
					url = ask.URL
				}
			}
			if text := errorText(err); url != tc.url || text != tc.err {
				t.Errorf("\n%s\ngot %q and the error %q, want %q and %q", tc.reason, url, text, tc.url, tc.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCrossFeedback asks for the health and the metrics of another entry only where something reads them.
func TestCrossFeedback(t *testing.T) {
	for text, want := range map[string]bool{
		"{{ .cross.a.spec.x }}": false, "{{ .cross.b.health.state }}": false, "{{ .health.state }}": false,
		"{{ .cross.a.health.state }}": true, "{{ .cross.a.metrics.workers }}": true, "{{ toJson .cross.a }}": true, "{{ toJson .cross }}": true, "{{ toJson . }}": true,
	} {
		set, found := compileCross(t, `{operatorBox: {cross: [{crd: database, as: a}, {crd: realm, as: b}], status: {fields: [{path: x, value: "`+text+`"}]}}}`)
		if len(found.Errors) > 0 {
			t.Fatal(found.Errors.ToAggregate())
		}
		if got := set.Effective("").Cross[0].Feedback; got != want {
			t.Errorf("%s: feedback %t, want %t", text, got, want)
		}
	}
	set, _ := compileCross(t, `{operatorBox: {cross: [{crd: database, as: a, strategy: all}], status: {fields: [{path: x, value: "{{ range .cross.a }}{{ .metrics.workers }}{{ end }}"}]}}}`)
	if !set.Effective("").Cross[0].Feedback {
		t.Error("an element of a list has metrics as well")
	}
}

// TestCrossCredentials grants the Secrets of sources, and no others.
func TestCrossCredentials(t *testing.T) {
	set, found := compileCross(t, `{operatorBox: {cross: [{crd: database, as: a, source: {host: "http://a", auth: {secretRef: {name: one, key: t}}}}],
  autoscale: {do: {workers: 2}, conditions: {when: [{field: cross.far.metrics.queueDepth, greaterThan: "1", source: {host: "http://b", auth: {secretRef: {name: two, key: t}}}}]}}}}`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	for _, rule := range box.Rules(set) {
		if len(rule.ResourceNames) > 0 {
			if diff := cmp.Diff([]string{"one", "two"}, rule.ResourceNames); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			return
		}
	}
	t.Error("nothing is granted")
}

// TestScalingCross finds whom the conditions of an autoscaler mean, and whom to ask where it is not here.
func TestScalingCross(t *testing.T) {
	set, found := compileCross(t, `{operatorBox: {cross: [{crd: loader, as: l, source: {host: "http://a/", protocol: cr}}, {crd: each, as: e, source: {host: "http://{{ .spec.h }}"}}],
  autoscale: {do: {workers: 2}, conditions: {when: [
    {field: cross.l.metrics.queueDepth, greaterThan: "1"}, {field: cross.loader.metrics.queueDepth, greaterThan: "1"}, {field: cross.e.metrics.workers, greaterThan: "1"},
    {field: cross.database.metrics.workers, greaterThan: "1"}, {field: cross.far.metrics.workers, greaterThan: "1", source: {endpoint: "http://b/c"}}]}}}}`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	got := map[string]string{}
	for _, read := range set.Autoscale.Cross {
		got[read.Name] = read.Entry.Name
		if read.Ask != nil {
			got[read.Name] += " " + string(read.Ask.Protocol) + " " + read.Ask.URL
		}
	}
	want := map[string]string{
		"l": "loader metrics http://a/katalog/loader", "loader": "loader metrics http://a/katalog/loader", "e": "each", "database": "database", "far": "far metrics http://b/c",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
