package events_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// made are the names of the ConfigMaps that operators have made in a namespace, in order.
func made(ctx context.Context, namespace string) func() []string {
	return func() []string {
		GinkgoHelper()
		list := &corev1.ConfigMapList{}
		Expect(cluster.List(ctx, list, client.InNamespace(namespace), client.HasLabels{"orkestra-owner"})).To(Succeed())
		names := []string{}
		for _, one := range list.Items {
			names = append(names, one.Name)
		}
		slices.Sort(names)
		return names
	}
}

// gated declares a ConfigMap for each of the conditions, by its name.
func gated(conditions map[string]string) string {
	var text strings.Builder
	text.WriteString("onReconcile:\n  configMaps:\n")
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		fmt.Fprintf(&text, "  - {name: %q, %s}\n", name, conditions[name])
	}
	return text.String()
}

// simulated are the names of the ConfigMaps that the conditions let a Widget have at a time.
func simulated(ctx context.Context, now string, conditions map[string]string) []string {
	GinkgoHelper()
	katalog := file("katalog.yaml", katalogOf("w", "", gated(conditions)))
	resource := file("cr.yaml", "apiVersion: "+group+"/v1\nkind: Widget\nmetadata: {name: w, namespace: w}\nspec: {}\n")
	got := ork(ctx, "simulate", "-f", katalog, "--cr", resource, "--now", now)
	Expect(got.code).To(BeZero(), got.err)
	names := []string{}
	for name := range conditions {
		if strings.Contains(got.out, "\n  name: "+name+"\n") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var _ = Describe("conditions", func() {
	It("Row 24: pass and fail by each operator, in its short form and in its long one", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		conditions, want := map[string]string{}, []string{}
		for operator, one := range map[string][3]string{ // the field, a value with which it passes, and one with which it does not
			"equals": {"text", "web-shop", "web"}, "notEquals": {"text", "web", "web-shop"}, "contains": {"text", "b-s", "bs"}, "notContains": {"text", "bs", "b-s"},
			"prefix": {"text", "web", "shop"}, "notPrefix": {"text", "shop", "web"}, "suffix": {"text", "shop", "web"}, "notSuffix": {"text", "web", "shop"},
			"regex": {"text", "^web-.*$", "^shop"}, "greaterThan": {"number", "6", "7"}, "lessThan": {"number", "8", "7"},
			"greaterThanOrEqual": {"number", "7", "8"}, "lessThanOrEqual": {"number", "7", "6"}, "min": {"number", "7", "8"}, "max": {"number", "7", "6"},
			"between": {"number", "7,9", "8,9"}, "notBetween": {"number", "8,9", "7,9"}, "in": {"text", "a, web-shop", "a, b"}, "notIn": {"text", "a, b", "a, web-shop"},
		} {
			name := strings.ToLower(operator)
			conditions[name+"-yes"] = fmt.Sprintf("when: [{field: spec.%s, %s: %q}]", one[0], operator, one[1])
			conditions[name+"-no"] = fmt.Sprintf("when: [{field: spec.%s, %s: %q}]", one[0], operator, one[2])
			want = append(want, name+"-yes")
		}
		for operator, one := range map[string][2]string{ // without a value: a field with which it passes, and one with which it does not
			"exists": {"text", "none"}, "notExists": {"none", "text"}, "typeMap": {"map", "list"}, "typeList": {"list", "map"}, "typeString": {"text", "number"},
			"typeNumber": {"number", "text"}, "typeBool": {"flag", "text"}, "typeNull": {"none", "text"},
		} {
			name := strings.ToLower(operator)
			conditions[name+"-yes"] = fmt.Sprintf("when: [{field: spec.%s, operator: %s}]", one[0], operator)
			conditions[name+"-no"] = fmt.Sprintf("when: [{field: spec.%s, operator: %s}]", one[1], operator)
			want = append(want, name+"-yes")
		}
		for operator, one := range map[string][3]string{
			"eq": {"text", "web-shop", "web"}, "neq": {"text", "web", "web-shop"}, "gt": {"number", "6", "7"}, "lt": {"number", "8", "7"},
			"gte": {"number", "7", "8"}, "lte": {"number", "7", "6"}, "typeOf": {"list", "slice", "map"},
		} {
			name := strings.ToLower(operator)
			conditions[name+"-yes"] = fmt.Sprintf("when: [{field: spec.%s, operator: %s, value: %q}]", one[0], operator, one[1])
			conditions[name+"-no"] = fmt.Sprintf("when: [{field: spec.%s, operator: %s, value: %q}]", one[0], operator, one[2])
			want = append(want, name+"-yes")
		}
		slices.Sort(want)
		o := operate(ctx, namespace, "", quietResync+gated(conditions))
		create(ctx, namespace, "w", "{text: web-shop, number: 7, flag: true, list: [a], map: {a: b}}")
		Eventually(made(ctx, namespace)).Should(Equal(want))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(made(ctx, namespace)()).To(Equal(want))
	})

	It("Row 26: pass when all of when and any of or do", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		const when, or = `when: [{field: spec.a, equals: "1"}, {field: spec.b, equals: "1"}]`, `or: [{field: spec.c, equals: "1"}, {field: spec.d, equals: "1"}]`
		o := operate(ctx, namespace, "", quietResync+gated(map[string]string{
			"{{.metadata.name}}-both": when + ", " + or, "{{.metadata.name}}-when": when, "{{.metadata.name}}-or": or, "{{.metadata.name}}-none": "data: {a: b}",
		}))
		for name, spec := range map[string]string{
			"tt": "{a: 1, b: 1, c: 0, d: 1}", "tf": "{a: 1, b: 1, c: 0, d: 0}", "ft": "{a: 0, b: 1, c: 1, d: 1}", "ff": "{a: 1, b: 0, c: 0, d: 0}",
		} {
			create(ctx, namespace, name, spec)
		}
		want := []string{"ff-none", "ft-none", "ft-or", "tf-none", "tf-when", "tt-both", "tt-none", "tt-or", "tt-when"}
		Eventually(made(ctx, namespace)).Should(Equal(want))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(made(ctx, namespace)()).To(Equal(want))
	})

	It("Row 27: are inverted by negate, those of fields, the time, the day and cron alike", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		conditions := map[string]string{}
		for name, passing := range map[string]string{
			"field": `field: spec.a, equals: "1"`, "time": `time: {after: "00:00"}`, "day": "dayOfWeek: {in: [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday]}",
			"cron": `cron: "* * * * *"`,
		} {
			conditions[name], conditions[name+"-not"] = "when: [{"+passing+"}]", "when: [{"+passing+", negate: true}]"
		}
		o := operate(ctx, namespace, "", quietResync+gated(conditions))
		w := create(ctx, namespace, "w", "a: 1")
		Eventually(made(ctx, namespace)).Should(Equal([]string{"cron", "day", "field", "time"}))
		patch(ctx, w, `{"spec":{"a":"2"}}`)
		Eventually(made(ctx, namespace)).Should(Equal([]string{"cron", "day", "field-not", "time"}))
		Expect(o.Settle(ctx)).To(Succeed())
	})

	It("Row 28: a window of the time is in UTC, has both its ends, and may wrap over midnight", func(ctx context.Context) {
		windows := map[string]string{
			"day": `when: [{time: {after: "08:00", before: "18:00"}}]`, "night": `when: [{time: {after: "22:00", before: "06:00"}}]`,
			"from": `when: [{time: {after: "18:00"}}]`, "until": `when: [{time: {before: "08:00"}}]`,
		}
		local := time.Local //nolint:gosmopolitan // what must not matter
		time.Local = time.FixedZone("elsewhere", 9*60*60)
		defer func() { time.Local = local }()
		for now, want := range map[string][]string{
			"2026-01-05T07:59:00Z": {"until"}, "2026-01-05T08:00:00Z": {"day", "until"}, "2026-01-05T12:00:00Z": {"day"}, "2026-01-05T18:00:00Z": {"day", "from"},
			"2026-01-05T21:59:00Z": {"from"}, "2026-01-05T22:00:00Z": {"from", "night"}, "2026-01-05T23:59:00Z": {"from", "night"}, "2026-01-05T00:00:00Z": {"night", "until"},
			"2026-01-05T06:00:00Z": {"night", "until"}, "2026-01-05T06:01:00Z": {"until"}, "2026-01-05T12:00:00+09:00": {"night", "until"},
		} {
			Expect(simulated(ctx, now, windows)).To(Equal(want), now)
		}
	})

	It("Row 29: weekday false is true at the weekend", func(ctx context.Context) {
		days := map[string]string{
			"weekday": "when: [{dayOfWeek: {weekday: true}}]", "weekday-not": "when: [{dayOfWeek: {weekday: false}}]",
			"weekend": "when: [{dayOfWeek: {weekend: true}}]", "weekend-not": "when: [{dayOfWeek: {weekend: false}}]",
			"sunday": "when: [{dayOfWeek: {in: [sunday]}}]", "sunday-not": "when: [{dayOfWeek: {notIn: [SUNDAY]}}]",
		}
		for now, want := range map[string][]string{
			"2026-01-04T23:59:00Z": {"sunday", "weekday-not", "weekend"}, "2026-01-05T00:00:00Z": {"sunday-not", "weekday", "weekend-not"},
			"2026-01-03T12:00:00Z": {"sunday-not", "weekday-not", "weekend"},
		} {
			Expect(simulated(ctx, now, days)).To(Equal(want), now)
		}
	})

	It("Row 30: a window of cron is open from each fire on for its duration", func(ctx context.Context) {
		windows := map[string]string{
			"hour": `when: [{cron: "0 9 * * *", duration: 1h}]`, "long": `when: [{cron: "30 23 * * *", duration: 2h}]`, "period": `when: [{cron: "0 12 * * *"}]`,
		}
		for now, want := range map[string][]string{
			"2026-01-05T08:59:59Z": {"period"}, "2026-01-05T09:00:00Z": {"hour", "period"}, "2026-01-05T09:59:59Z": {"hour", "period"}, "2026-01-05T10:00:00Z": {"period"},
			"2026-01-05T23:29:59Z": {"period"}, "2026-01-05T23:30:00Z": {"long", "period"}, "2026-01-06T01:29:00Z": {"long", "period"}, "2026-01-06T01:30:00Z": {"period"},
		} {
			Expect(simulated(ctx, now, windows)).To(Equal(want), now)
		}
	})

	It("Row 30: a fire is not missed, although nothing happens at that time", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		next := time.Now().UTC().Add(10 * time.Second).Truncate(time.Minute).Add(time.Minute) // there is time to see that it is closed
		o := operate(ctx, namespace, "", quietResync+gated(map[string]string{
			"window": fmt.Sprintf(`when: [{cron: "%d %d * * *", duration: 30m}]`, next.Minute(), next.Hour()),
		}))
		w := create(ctx, namespace, "w", "")
		Eventually(readyReason(ctx, w)).Should(Equal("ReconcileSucceeded"))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(made(ctx, namespace)()).To(BeEmpty())
		Eventually(made(ctx, namespace)).WithTimeout(80 * time.Second).Should(Equal([]string{"window"}))
		Expect(time.Now().UTC()).To(BeTemporally(">=", next))
	})
})

var _ = DescribeTable("Row 25: a Katalog with a condition that cannot be", func(condition, want string) {
	Expect(problems(katalogOf("w", "", "when: ["+condition+"]"))).To(ContainSubstring(want))
},
	Entry("two comparisons", `{field: spec.a, equals: b, prefix: c}`, "equals and prefix are two comparisons on one condition"),
	Entry("a comparison and an operator", `{field: spec.a, equals: b, operator: notEquals, value: c}`, "equals and operator are two comparisons on one condition"),
	Entry("a time and a field", `{field: spec.a, time: {after: "08:00"}}`, "time and field are two statements on one condition"),
	Entry("two keys of dayOfWeek", `{dayOfWeek: {weekday: true, weekend: true}}`, "weekday and weekend are two sets of days"),
	Entry("no field", `{equals: b}`, "what to compare"),
)
