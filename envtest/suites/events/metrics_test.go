package events_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// measured uses what has series of its own: observations, gates, external calls, rules, the autoscaler, the health and rollbacks.
const measured = `
apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: live}
spec:
  crds:
    unseen: {apiTypes: {group: live.example.com, version: v1, kind: Hidden, plural: hiddens}}
    shown:
      apiTypes: {group: live.example.com, version: v1, kind: Shown, plural: showns}
      dependsOn: {unseen: {condition: started}}
      mutation: {rules: [{field: spec.size, default: "1"}]}
      validation: {rules: [{field: spec.forbidden, operator: notEquals, value: "yes", message: not that}]}
      operatorBox:
        reconciler: {workers: 2, resync: 1s, queue: {maxDepth: 10, behaviour: {onLimit: {drop: true}}}}
        autoscale: {conditions: {when: [{field: metrics.workers, greaterThanOrEqual: "1"}]}, do: {workers: 3}, interval: 1s}
        preReconcile:
          sentinels: [generationChanged]
          external: [{name: freeze, url: "URL/", continueOnError: true}]
          enqueueGate: {when: [{field: external.freeze.status, equals: "200"}]}
          reconcileGate: {when: [{field: spec.frozen, notEquals: "yes"}]}
        observe:
          watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: of}}]
          events: {ready: {reason: Ready}}
        rollBackOnError: true
        onReconcile:
          external: [{name: plan, url: "URL/plan", continueOnError: true}, {name: gone, url: "http://127.0.0.1:1/", continueOnError: true}]
          configMaps: [{name: "{{ .metadata.name }}", data: {state: "{{ .health.state }}"}}]
`

// tolerated are findings that stay, and why.
var tolerated = map[string]string{
	`controller_resource_count non-histogram and non-summary metrics should not have "_count" suffix`: "the name is part of the contract of the metrics: dashboards read it",
}

// ours are the series of this project.
var ours = regexp.MustCompile(`^(orkestra|controller|ork)_`)

var _ = It("The metrics have nothing that their linter finds", func(ctx SpecContext) {
	promtool, err := exec.LookPath("promtool")
	Expect(err).NotTo(HaveOccurred(), "promtool is not installed: apt-get install prometheus")
	s := newService()
	o := startLiveWith(ctx, strings.ReplaceAll(measured, "URL", s.URL), live.Options{})
	space := newNamespace(ctx)
	_ = makeLive(ctx, "Shown", space, "w", map[string]any{})
	_ = makeLive(ctx, "Shown", space, "denied", map[string]any{"forbidden": "yes"})
	_ = makeLive(ctx, "Shown", space, "frozen", map[string]any{"frozen": "yes"})
	var exposed string
	Eventually(func() string {
		_, exposed = o.text("/metrics")
		return exposed
	}, 20*time.Second, 200*time.Millisecond).Should(And(
		ContainSubstring("\norkestra_external_calls_total{"), ContainSubstring("\norkestra_external_call_errors_total{"), ContainSubstring("\norkestra_gate_total{"),
		ContainSubstring("\norkestra_observe_events_total{"), ContainSubstring("\ncontroller_validation_rejected_total{"), ContainSubstring("autoscal"),
	))
	families := regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(exposed, -1)
	names := []string{}
	for _, one := range families {
		if ours.MatchString(one[1]) {
			names = append(names, one[1])
		}
	}
	Expect(len(names)).To(BeNumerically(">", 20))

	lint := exec.CommandContext(ctx, promtool, "check", "metrics")
	lint.Stdin = strings.NewReader(exposed)
	said, err := lint.CombinedOutput()
	findings := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(said)), "\n"), func(line string) bool {
		name, _, _ := strings.Cut(line, " ")
		return line == "" || !ours.MatchString(name) || tolerated[line] != ""
	})
	GinkgoWriter.Println(string(said), err)
	Expect(findings).To(BeEmpty())
	for finding := range tolerated {
		Expect(string(said)).To(ContainSubstring(finding), "what is not found any more needs no exception")
	}
}, SpecTimeout(2*time.Minute))
