package cel_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func TestEval(t *testing.T) {
	cases := map[string]struct {
		reason, expression string
		want               any
	}{
		"Int":             {"an integer of the schema", "spec.replicas > 2", true},
		"IntMath":         {"and arithmetic with it", "spec.replicas * 2 + 1", int64(7)},
		"WholeNumber":     {"a number that JSON holds without a point is a number", "spec.ratio * 0.5", 0.5},
		"MixedNumbers":    {"numbers of two types compare", "spec.replicas > spec.ratio", true},
		"Text":            {"a text", "spec.image.split(':')[1]", "1.27"},
		"Bool":            {"a boolean", "spec.enabled && !has(status.phase)", true},
		"Enum":            {"an enum is a text", "spec.tier in ['gold', 'silver']", true},
		"NullableNull":    {"a null that the schema allows is a null", "dyn(spec.paused) == null", true},
		"NullIsMissing":   {"a null that the schema does not allow is missing", "has(spec.closed)", false},
		"HasField":        {"a field that is there", "has(spec.replicas)", true},
		"HasNoField":      {"a field that the schema knows and the object lacks", "has(spec.few)", false},
		"NoStatus":        {"a root that is missing is empty", "has(status.phase)", false},
		"NoChildren":      {"a root without a schema too", "has(git.commit) || has(events.x)", false},
		"NoItem":          {"a missing element is null", "item == null && value == null", true},
		"Optional":        {"an optional field with a value instead", "status.?phase.orValue('Pending')", "Pending"},
		"OptionalNone":    {"an optional without a value is null", "status.?phase", nil},
		"OptionalSome":    {"and one with a value is the value", "spec.?tier", "gold"},
		"IntOrStringInt":  {"an int-or-string may be an integer", "type(spec.port) == int && spec.port < 1024", true},
		"IntOrStringText": {"or a text", "spec.memory == '64Mi'", true},
		"Quantity":        {"which may be a quantity", "quantity(spec.memory).isGreaterThan(quantity('32Mi'))", true},
		"QuantityText":    {"a quantity is its text", "quantity(spec.memory).add(quantity('64Mi'))", "128Mi"},
		"DateTime":        {"a date-time is a moment", "spec.expires > metadata.creationTimestamp", true},
		"Year":            {"with parts", "spec.expires.getFullYear()", int64(2026)},
		"DateTimeText":    {"a moment is its text", "spec.expires + duration('1h')", "2026-05-01T01:00:00Z"},
		"Date":            {"a date is a moment", "spec.day == spec.expires", true},
		"Duration":        {"a duration", "spec.timeout == duration('90m')", true},
		"DurationText":    {"a duration is its text", "spec.timeout", "1h30m0s"},
		"Bytes":           {"a byte string is decoded", "string(spec.key) == 'hello'", true},
		"BytesText":       {"bytes are base64", "spec.key", "aGVsbG8="},
		"Keyword":         {"a field may have the name of a keyword", "spec.namespace + metadata.namespace", "webprod"},
		"Escaped":         {"or be written as Kubernetes escapes it", "spec.__namespace__ + spec.x__dash__tier", "webx"},
		"Label":           {"keys with dots", "metadata.labels['example.com/tier'] == 'gold'", true},
		"NoLabel":         {"a key that may be missing", "'a' in metadata.labels", false},
		"DeletionTime":    {"metadata may have a null", "metadata.deletionTimestamp == null", true},
		"List":            {"a list of texts", "spec.hosts.all(h, h.endsWith('.example.com'))", true},
		"ListValue":       {"a list keeps its order", "spec.hosts", []any{"a.example.com", "b.example.com"}},
		"Objects":         {"a list of objects", "spec.steps.exists(s, s.name == 'test' && !has(s.args))", true},
		"Object":          {"an object is a map", "spec.steps[1]", map[string]any{"name": "test"}},
		"ObjectEquality":  {"objects compare by field", "spec.steps[0] == spec.steps[0] && spec.steps[0] != spec.steps[1]", true},
		"RawEquality":     {"with one of no schema too", "dyn(spec.values) == dyn({'deep': {'number': 1.5}})", true},
		"Map":             {"a map of texts", "spec.env.A == '1' && spec.env['B'] == '2' && !has(spec.env.C)", true},
		"MapKeys":         {"keys of a map", "spec.env.all(k, k.size() == 1)", true},
		"MapEntries":      {"keys and values", "spec.env.all(k, v, k != v)", true},
		"MapOfObjects":    {"a map of objects", "quantity(spec.limits.web.cpu).isLessThan(quantity('1'))", true},
		"Preserved":       {"fields without a schema", "spec.values.deep.number > 1.0", true},
		"Mixed":           {"beside fields with one", "spec.mixed.known + 1 == 2 && spec.mixed.other == 'x'", true},
		"Any":             {"a value of any type", "spec.any[0] == 1", true},
		"Children":        {"a child", "children.deployment.status.readyReplicas >= spec.replicas", false},
		"ChildKeyword":    {"with keywords for names", "children.deployment.spec.template.metadata.namespace == 'x'", true},
		"Cross":           {"another resource", "cross.db.found && cross.db.status.phase == 'Ready'", true},
		"External":        {"an answer", "external.health.items.map(i, i.id) == ['a']", true},
		"ShortCircuit":    {"what is not needed does not fail", "spec.enabled || status.readyReplicas > 1", true},
		"ErrorAbsorbed":   {"in any order", "status.readyReplicas > 1 || spec.enabled", true},
		"Ternary":         {"a choice", "spec.tier == 'gold' ? 3 : 1", int64(3)},
		"Regex":           {"regular expressions", "spec.image.matches('^nginx:') && spec.image.find('[0-9]+') == '1'", true},
		"Sets":            {"sets", "sets.contains(spec.hosts, ['b.example.com'])", true},
		"Lists":           {"lists", "spec.numbers.sum() == 5 && spec.numbers.distinct().size() == 2", true},
		"Math":            {"mathematics", "math.greatest(spec.numbers) == 2", true},
		"URL":             {"addresses of the web", "url('https://a.example.com:80/x').getHostname() == spec.hosts[0]", true},
		"IP":              {"addresses of the net", "cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))", true},
		"Semver":          {"versions", "semver('1.27.0').isLessThan(semver('1.28.0'))", true},
		"Format":          {"formats", "!format.dns1123Label().validate(metadata.name).hasValue()", true},
		"FormatText":      {"texts", "'%s-%d'.format([metadata.name, spec.replicas])", "shop-3"},
		"MapLiteral":      {"a map", "{'a': dyn([dyn(1), dyn(2.5)]), 'b': dyn({'c': true}), 'd': dyn(null)}", map[string]any{"a": []any{int64(1), 2.5}, "b": map[string]any{"c": true}, "d": nil}},
		"IntKeys":         {"a key becomes text", "{1: 'a'}", map[string]any{"1": "a"}},
		"Uint":            {"an unsigned number", "7u", int64(7)},
		"Block":           {"white space around is no matter", "\n  spec.enabled\n  && true\n", true},
		"JoinOfComputed":  {"calls of bounded functions on what loops give", "spec.hosts.map(h, h.split('.')[0]).join('-')", "a-b"},
		"DynamicDispatch": {"and on values without a type", "external.health.items.map(i, i.id).distinct() == ['a']", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tc.expression).Eval(website())
			if err != nil {
				t.Fatalf("\n%s\nEval(%q): %v", tc.reason, tc.expression, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nEval(%q): -want, +got:\n%s", tc.reason, tc.expression, diff)
			}
		})
	}
}

func TestEvalErrors(t *testing.T) {
	huge := template.NewFacts(map[string]any{
		"external": map[string]any{
			"text": strings.Repeat("a", 1<<20), "list": make([]any, 200_000), "short": make([]any, 100), "pattern": strings.Repeat("a?", 1<<15),
		},
		"spec": map[string]any{
			"replicas": "three", "expires": "tomorrow", "steps": map[string]any{}, "image": nil, "hosts": make([]any, 200_000), "any": struct{}{},
		},
	}, nil)
	cases := map[string]struct {
		reason, expression string
		facts              template.Facts
		want               string
	}{
		"MissingField":   {"a field that the object lacks", "spec.few.size() > 1", website(), "spec.few.size() > 1: no such key: few"},
		"MissingStatus":  {"also in a root that it lacks", "status.readyReplicas > 1", website(), "status.readyReplicas > 1: no such key: readyReplicas"},
		"MissingChild":   {"also without a schema", "children.service.spec.x > 1", website(), "children.service.spec.x > 1: no such key: service"},
		"MissingLabel":   {"also in a map", "metadata.labels.a == 'b'", website(), "metadata.labels.a == 'b': no such key: a"},
		"Index":          {"behind the end of a list", "spec.hosts[7] == 'a'", website(), "spec.hosts[7] == 'a': index out of bounds: 7"},
		"NotBool":        {"a condition that is something else", "cross.db.status.phase", website(), "cross.db.status.phase: gives string, and a condition wants bool"},
		"NoOverload":     {"values that do not fit together", "cross.db.status.phase > 3", website(), "cross.db.status.phase > 3: no such overload"},
		"Division":       {"division by zero", "spec.replicas / (spec.replicas - 3) > 1", website(), "spec.replicas / (spec.replicas - 3) > 1: division by zero"},
		"Overflow":       {"numbers that are too large", "spec.replicas * 9223372036854775807 > 1", website(), "integer overflow"},
		"Quantity":       {"a text that is no quantity", "quantity(spec.image).isInteger()", website(), "quantity(spec.image).isInteger(): quantities must match"},
		"WrongType":      {"a value of another type than the schema says", "spec.replicas > 1", huge, "spec.replicas > 1: the schema says int, and the value is of type string"},
		"WrongFormat":    {"and of another format", "spec.expires > metadata.creationTimestamp", huge, `"tomorrow" is not in the format date-time`},
		"WrongContainer": {"and of another shape", "spec.steps.size() > 1", huge, "the schema says list(object spec.steps[]), and the value is of type map"},
		"ForeignType":    {"a value that JSON does not have", "spec.any == 1", huge, "unsupported conversion"},
		"NullText":       {"a null is missing", "spec.image == 'a'", huge, "no such key: image"},
		"Replace":        {"work that grows with the product of texts", "external.text.replace('a', external.text) == ''", huge, "replace is given too much"},
		"Join":           {"and of a list and a text", "external.short.map(x, external.text).join('') == ''", huge, "join is given too much"},
		"Distinct":       {"and of a list with itself", "external.list.distinct().size() > 1", huge, "distinct is given too much"},
		"Sets":           {"and of two lists", "sets.intersects(external.list, external.list)", huge, "sets.intersects is given too much"},
		"Pattern":        {"and of a text and a pattern", "external.text.matches(external.pattern)", huge, "matches is given too much"},
		"Exponent":       {"a number of very many digits", "quantity('1e9999999999').isInteger()", huge, "quantity is given too much"},
		"SmallExponent":  {"behind the point too", "isQuantity('1e-99999999')", huge, "isQuantity is given too much"},
		"Doubling":       {"a text that a loop doubles", "external.list.size() > 0 && [external.text]" + strings.Repeat(".map(x, x + x)", 30) + ".size() == 1", huge, "+ is given too much"},
		"Sharing":        {"and a list", "[1]" + strings.Repeat(".map(x, [x, x])", 40) + " == external.list", huge, "== is given too much"},
		"Loop":           {"loops that take long", "external.list.all(x, [1, 2, 3, 4, 5, 6].all(y, [1, 2, 3, 4, 5, 6].all(z, y > 0 && z > 0 && x == null)))", huge, "takes longer than 1s"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := compile(t, tc.expression).EvalBool(tc.facts)
			if got || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nEvalBool(%q): got %v, %v; want an error with %q", tc.reason, tc.expression, got, err, tc.want)
			}
		})
	}
}

func TestWith(t *testing.T) {
	env := environment(t)
	if _, err := env.Compile("host == 'a'"); err == nil {
		t.Fatal("a name that nobody gave is unknown")
	}
	program, err := env.With("host", "not-a-name").CompileBool("host == 'a' && spec.replicas > 2")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := program.EvalBool(website().With("host", "a")); !got || err != nil {
		t.Errorf("a further root: got %v, %v", got, err)
	}
	if _, err := env.With("spec").Compile("spec.bogus == 1"); err != nil {
		t.Errorf("a name that is given anew loses its type: %v", err)
	}
}

func TestWithoutSchemas(t *testing.T) {
	env := cel.NewEnvironment(nil)
	program, err := env.CompileBool("spec.anything.deep > 1 && metadata.generation == 3")
	if err != nil {
		t.Fatal(err)
	}
	facts := website().With("spec", map[string]any{"anything": map[string]any{"deep": int64(2)}})
	if got, err := program.EvalBool(facts); !got || err != nil {
		t.Errorf("without a schema any field is known: got %v, %v", got, err)
	}
	preserved := cel.NewEnvironment(map[string]*apiextensionsv1.JSONSchemaProps{
		"spec":   schemaOf(t, "{type: object, x-kubernetes-preserve-unknown-fields: true}"),
		"status": nil,
	})
	program, err = preserved.CompileBool("spec.anything.deep > 1 && !has(status.phase)")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := program.EvalBool(facts); !got || err != nil {
		t.Errorf("nor where the schema preserves unknown fields: got %v, %v", got, err)
	}
	if _, err := program.EvalBool(template.Facts{}); err == nil || !strings.Contains(err.Error(), "no such key: anything") {
		t.Errorf("no Facts at all: got %v", err)
	}
}

func TestReferences(t *testing.T) {
	cases := map[string]struct {
		reason, expression string
		want               [][]string
	}{
		"Fields":   {"fields, each once", "spec.replicas > 1 && spec.replicas < 5 && status.phase == 'x'", [][]string{{"spec", "replicas"}, {"status", "phase"}}},
		"Has":      {"a question for a field reads it", "has(children.deployment.status)", [][]string{{"children", "deployment", "status"}}},
		"Index":    {"a constant key is a key", "metadata.labels['a.b/c'] == 'x'", [][]string{{"metadata", "labels", "a.b/c"}}},
		"Computed": {"a computed one ends the path, and is read too", "children[kind].status.x == 1", [][]string{{"children"}, {"kind"}}},
		"Optional": {"optional fields", "children.?deployment.status.orValue({}) != {}", [][]string{{"children", "deployment", "status"}}},
		"Loop":     {"what a loop walks through, and not its variable", "spec.steps.exists(status, status.name == metadata.name)", [][]string{{"spec", "steps"}, {"metadata", "name"}}},
		"TwoLoops": {"a name is a root again behind the loop", "spec.hosts.all(kind, kind != '') && kind == 'x'", [][]string{{"spec", "hosts"}, {"kind"}}},
		"Entries":  {"two variables", "spec.env.all(k, item, k != item)", [][]string{{"spec", "env"}}},
		"Whole":    {"a whole root", "spec == previous.spec", [][]string{{"spec"}, {"previous", "spec"}}},
		"Escaped":  {"escaped names are read as they are in the object", "spec.__namespace__ + spec.x__dash__tier == ''", [][]string{{"spec", "namespace"}, {"spec", "x-tier"}}},
		"Literal":  {"nothing", "1 + 1 == 2", nil},
		"Call":     {"values of functions", "size(external.health.items.filter(i, i.id == docker.image)) > 0", [][]string{{"external", "health", "items"}, {"docker", "image"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, compile(t, tc.expression).References()); diff != "" {
				t.Errorf("\n%s\nReferences of %q: -want, +got:\n%s", tc.reason, tc.expression, diff)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	env := environment(t)
	var group sync.WaitGroup
	facts := website()
	shared, err := env.CompileBool("spec.steps.exists(s, s.name == 'test') && spec.hosts.map(h, h.size()).distinct().size() == 1")
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		group.Go(func() {
			own, err := env.With("x").CompileBool("spec.replicas > 2 && spec.image.matches('^nginx')")
			if err != nil {
				t.Error(err)
				return
			}
			for range 200 {
				for _, program := range []*cel.Program{own, shared} {
					if got, err := program.EvalBool(facts); !got || err != nil {
						t.Errorf("%s: got %v, %v", program.Source(), got, err)
						return
					}
				}
			}
		})
	}
	group.Wait()
}
