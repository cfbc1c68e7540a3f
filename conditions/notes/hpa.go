package notes

func hpaFamily() []Function {
	number := func(name, doc, result string, code func(any) int64) Function {
		return Function{Name: name, Signature: "obj", Result: "number", Doc: doc, Code: code, Examples: []Example{{"{{ " + name + " .children.hpa }}", result}}}
	}
	test := func(name, doc, result string, code func(any) bool) Function {
		return Function{Name: name, Signature: "obj", Result: "bool", Doc: doc, Code: code, Examples: []Example{{"{{ " + name + " .children.hpa }}", result}}}
	}
	condition := func(name, kind, result string) Function {
		return test(name, "whether the condition `"+kind+"` is `True`", result, func(obj any) bool { return isTrue(obj, kind) })
	}
	target := func(name, doc, result string, code func(any) string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "text", Doc: doc, Code: code,
			Examples: []Example{{"{{ " + name + " .children.hpa }}", result}},
		}
	}
	current, desired := statusCount("currentReplicas"), statusCount("desiredReplicas")
	return []Function{
		number("hpaCurrentReplicas", "`status.currentReplicas`", "5", current),
		number("hpaDesiredReplicas", "`status.desiredReplicas`", "5", desired),
		number("hpaMinReplicas", "`spec.minReplicas`, 1 by default", "2", func(obj any) int64 {
			if least := fieldOf(obj, "spec", "minReplicas"); least != nil {
				return count(least)
			}
			return 1
		}),
		number("hpaMaxReplicas", "`spec.maxReplicas`", "5", func(obj any) int64 { return countAt(obj, "spec", "maxReplicas") }),
		test("hpaAtMax", "whether there are as many replicas as there may be", "true", func(obj any) bool {
			most := countAt(obj, "spec", "maxReplicas")
			return most > 0 && current(obj) >= most
		}),
		test("hpaScaling", "whether there are other than the desired replicas", "false", func(obj any) bool { return current(obj) != desired(obj) }),
		condition("hpaScalingActive", "ScalingActive", "true"),
		condition("hpaScalingLimited", "ScalingLimited", "true"),
		condition("hpaAbleToScale", "AbleToScale", "true"),
		{
			Name: "hpaMetricTypes", Signature: "obj", Result: "list", Code: hpaMetricTypes, Doc: "the types of the current metrics",
			Examples: []Example{{"{{ hpaMetricTypes .children.hpa }}", `["Resource"]`}},
		},
		target("hpaScaleTargetKind", "the kind of what it scales", "Deployment", func(obj any) string {
			return firstText(textAt(obj, keyScaleTarget, "kind"), textAt(obj, "spec", "scaleTargetRef", "kind"))
		}),
		target("hpaScaleTargetName", "the name of what it scales", "shop", func(obj any) string {
			return firstText(textAt(obj, keyScaleTarget, "metadata", "name"), textAt(obj, "spec", "scaleTargetRef", "name"))
		}),
	}
}

func hpaMetricTypes(obj any) []any {
	metrics := listAt(obj, keyCurrentMetrics)
	if len(metrics) == 0 {
		metrics = listAt(obj, "status", "currentMetrics")
	}
	return textsAt(metrics, "type")
}

// firstText is the first that is not empty.
func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
