package events_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

var _ = Describe("templates", func() {
	It("Row 65: read each root in its phase", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(200, `{"tier":"gold"}`)
		calling(ctx, namespace, "normalize: {spec: {title: '{{ .spec.title | trimSpace }}'}}", `
reconciler: {resync: 1h, requeue: [{after: 100ms, when: [{field: status.phase, equals: ""}, {field: children.configmap.metadata.name, equals: first}]}]}
preReconcile:
  sentinels: [generationChanged]
  enqueueGate: {when: [{field: sentinels.generationChanged, exists: true}, {field: spec.title, equals: "  raw  "}, {field: intent.tier, equals: gold}]}
onReconcile:
  external: [{name: plan, url: "URL/{{ .spec.title }}"}]
  configMaps:
    - {name: first, data: {a: b}}
    - name: roots
      data:
        object: "{{ .apiVersion }} {{ .kind }} {{ .metadata.name }}"
        spec: "<{{ .spec.title }}>"
        status: "<{{ .status.phase }}>"
        child: "{{ .children.configmap.metadata.name }} {{ .children.configmaps.first.data.a }}"
        external: "{{ .external.plan.tier }}"
        target: "<{{ .target.name }}>"
        intent: "{{ .request.tier }} {{ .intent.size }} <{{ .request.none }}>"
        health: "{{ .health.failedReconciles }}"
        metrics: "{{ .metrics.workers }}"
    - name: "each-{{ .item.name }}"
      forEach: {field: spec.shards, as: shard}
      data: {of: "{{ .index }} {{ .item.name }} {{ .shard.name }}"}
    - {name: "value-{{ .value }}", forEach: {field: spec.zones}, data: {of: "{{ .item }} {{ .index }}"}}
status:
  fields:
    - {path: phase, value: "{{ .external.plan.tier }} {{ .children.configmaps.roots.data.spec }}"}
    - {path: workers, value: "has {{ .metrics.workers }}"}`, s, thisMachine)
		w := widget(namespace, "w", `{title: "  raw  ", shards: [{name: a}, {name: b}], zones: {x: "1"}}`)
		w.SetAnnotations(map[string]string{orkv1.AnnotationServeTarget: "site", orkv1.AnnotationServeIntent: `{"tier":"gold","size":3}`})
		Expect(cluster.Create(ctx, w)).To(Succeed())
		Eventually(data(ctx, namespace, "roots")).Should(Equal(map[string]string{
			"object": group + "/v1 Widget w", "spec": "<raw>", "status": "<gold <raw>>", "child": "first b", "external": "gold", "target": "<site>",
			"intent": "gold 3 <>",
			"health": "0", "metrics": "3",
		}))
		Expect(statusOf(ctx, w, "phase")()).To(Equal("gold <raw>"))
		Expect(statusOf(ctx, w, "workers")()).To(Equal("has 3"))
		Expect(made(ctx, namespace)()).To(Equal([]string{"each-a", "each-b", "first", "roots", "value-1"}))
		Expect(data(ctx, namespace, "each-b")()).To(HaveKeyWithValue("of", "1 b b"))
		Expect(data(ctx, namespace, "value-1")()).To(HaveKeyWithValue("of", "x 0"))
		Expect(s.seen).To(ContainElement("GET /raw"), "a call sees the spec as normalize makes it")
	})

	It("Row 66: render what is missing to nothing, at any depth", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, "", quietResync+`
onReconcile:
  configMaps:
  - name: a
    data:
      field: "<{{ .spec.none }}>"
      below: "<{{ .spec.none.deeper.more }}>"
      ofText: "<{{ .spec.title.more }}>"
      status: "<{{ .status.phase }}>"
      child: "<{{ .children.secret.data.a }}>"
      index: '<{{ index .spec.none "a" "b" }}>'
      range: "<{{ range .spec.none }}{{ . }}{{ end }}>"
      piped: "<{{ .spec.none.a | toUpper }}>"
      null: "<{{ .spec.nothing }}>"
  secrets: [{name: a, data: {a: b}, when: [{field: spec.secret, exists: true}]}]`)
		w := create(ctx, namespace, "w", "{title: a, nothing: null}")
		want := map[string]string{}
		for _, key := range []string{"field", "below", "ofText", "status", "child", "index", "range", "piped", "null"} {
			want[key] = "<>"
		}
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonReconcileSucceeded))
		Expect(data(ctx, namespace, "a")()).To(Equal(want))
	})

	It("Row 67: call the functions, which give what their examples say", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		want := map[string]string{}
		var texts strings.Builder
		for _, function := range notes.Functions() {
			for i, example := range function.Examples {
				if function.Random || slices.Contains([]string{"Time", "Serve provenance"}, function.Family) || worldly.MatchString(example.Template) {
					continue
				}
				key := fmt.Sprintf("%s.%d", function.Name, i)
				want[key] = strings.TrimSpace(example.Result)
				fmt.Fprintf(&texts, "      %q: %q\n", key, "<"+example.Template+">")
			}
		}
		Expect(len(want)).To(BeNumerically(">", 120))
		operate(ctx, namespace, "", quietResync+"onReconcile:\n  configMaps:\n  - name: a\n    data:\n"+texts.String())
		w := create(ctx, namespace, "w", `
image: ghcr.io/acme/shop:1.4.2
version: v1.4.2
replicas: 3
tier: gold
suspend: false
hosts: [shop.example.com, www.shop.example.com]
domain: https://www.shop.example.com/
repo: git@github.com:acme/shop.git
schedule: 30 9 * * 1-5
resources: {requests: {cpu: 250m, memory: 256Mi}}`)
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonReconcileSucceeded))
		got := map[string]string{}
		for key, text := range data(ctx, namespace, "a")() {
			got[key] = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">"))
		}
		Expect(cmp.Diff(want, got)).To(BeEmpty())
	})

	It("Row 68: agree on the default, in front of the value or behind a pipe", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, "", quietResync+`
onReconcile:
  configMaps:
  - name: a
    data:
      missing: '{{ default "a" .spec.x }} {{ .spec.x | default "a" }}'
      there: '{{ default "a" .spec.given }} {{ .spec.given | default "a" }}'`)
		create(ctx, namespace, "w", "given: b")
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"missing": "a a", "there": "b b"}))
	})

	It("Row 69: call the notes of the Katalog, which call one another in any order", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operateText(ctx, namespace, withNotes(`
  - {name: fullName, expression: "{{ prefix }}-{{ .metadata.name }}"}
  - {name: prefix, expression: "{{ .spec.team | toLower }}"}
  - {name: isGold, expression: '{{ eq .spec.tier "gold" }}'}`, katalogOf(namespace, "", quietResync+`
onReconcile:
  configMaps:
  - {name: a, data: {name: "{{ fullName }}", upper: "{{ fullName | toUpper }}", gold: "{{ if and isGold true }}yes{{ else }}no{{ end }}"}}
  - {name: gold, when: [{field: "{{ isGold }}", equals: "true"}]}`)))
		w := create(ctx, namespace, "w", "{team: Shop, tier: silver}")
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"name": "shop-w", "upper": "SHOP-W", "gold": "no"}))
		Expect(made(ctx, namespace)()).To(Equal([]string{"a"}), "the text false is false")
		patch(ctx, w, `{"spec":{"tier":"gold"}}`)
		Eventually(made(ctx, namespace)).Should(Equal([]string{"a", "gold"}))
	})
})

// worldly are examples that read more of the resource than its spec.
var worldly = regexp.MustCompile(`\.(metadata|status|children|external|cross|git|docker)\b|[( ]\.[) ]`)

// withNotes puts functions into a Katalog.
func withNotes(functions, katalog string) string {
	return "notes:\n  functions:" + functions + "\n" + katalog
}

var _ = DescribeTable("Row 69: a Katalog with notes that cannot be", func(functions, want string) {
	Expect(problems(withNotes(functions, katalogOf("w", "", "onReconcile: {configMaps: [{name: a}]}")))).To(ContainSubstring(want))
},
	Entry("a circle", "\n  - {name: a, expression: '{{ b }}'}\n  - {name: b, expression: '{{ a }}'}", "the notes call one another in a circle: a calls b calls a"),
	Entry("one name twice", "\n  - {name: a, expression: a}\n  - {name: a, expression: b}", "notes.functions[1]"),
	Entry("a name that no template can call", "\n  - {name: a-b, expression: a}", "notes.functions[0].name"),
)
