package notes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// prometheusFamily reads the result of an external call, .external.<name>. Its series are those of an instant query: the
// data of Prometheus' answer, or the whole answer, as a value or as JSON, under raw or body. Without series, result is the
// one value. A call that was not made, or failed, has no series.
func prometheusFamily() []Function {
	describe := func(name, signature, result, doc, example, gives string, code any) Function {
		return Function{Name: name, Signature: signature, Result: result, Doc: doc, Code: code, Examples: []Example{{example, gives}}}
	}
	return []Function{
		describe("promValue", "result", "text", "the value of the first series; `\"\"` without one", "{{ promValue .external.errors }}", "0.25",
			firstSample),
		describe("promSum", "result", "text", "the sum of all series", "{{ promSum .external.errors }}", "0.75",
			func(result any) string { return fold(result, func(a, b float64) float64 { return a + b }) }),
		describe("promMax", "result", "text", "the greatest of all series; `\"\"` without one", "{{ promMax .external.errors }}", "0.5", func(result any) string {
			if len(seriesOf(result)) == 0 {
				return ""
			}
			return fold(result, math.Max)
		}),
		describe("promSeriesCount", "result", "text", "the number of series", "{{ promSeriesCount .external.errors }}", "2",
			func(result any) string { return strconv.Itoa(len(seriesOf(result))) }),
		describe("promAboveThreshold", "result n", "bool", "whether the first series is above the number", "{{ promAboveThreshold .external.errors 0.1 }}", "true",
			func(result, n any) (bool, error) { return beyond("promAboveThreshold", result, n, 1) }),
		describe("promBelowThreshold", "result n", "bool", "whether the first series is below the number", "{{ promBelowThreshold .external.errors 0.1 }}", "false",
			func(result, n any) (bool, error) { return beyond("promBelowThreshold", result, n, -1) }),
		describe("promLabelValues", "result label", "list", "the values of a label, sorted, each once", `{{ promLabelValues .external.errors "pod" }}`, `["shop-0","shop-1"]`, promLabelValues),
	}
}

// sample is one series of an instant query.
type sample struct {
	labels any
	value  any
}

func seriesOf(result any) []sample {
	for _, key := range []string{"raw", "body"} {
		if found := samples(fieldOf(result, key)); len(found) > 0 {
			return found
		}
	}
	if value := fieldOf(result, "result"); !missing(value) {
		if found := samples(value); len(found) > 0 {
			return found
		}
		return []sample{{value: value}}
	}
	return nil
}

// samples finds the series in an answer, in its data, in the result of that, or in the text of any of them.
func samples(answer any) []sample {
	if text, ok := answer.(string); ok {
		answer = parsedText(text)
	}
	if data := fieldOf(answer, "data"); data != nil {
		answer = data
	}
	kind := textAt(answer, "resultType")
	list, ok := answer.([]any)
	if !ok {
		list = listAt(answer, "result")
	}
	if kind == "scalar" && len(list) == 2 {
		return []sample{{value: list[1]}}
	}
	var found []sample
	for _, series := range list {
		if pair := listAt(series, "value"); len(pair) == 2 {
			found = append(found, sample{labels: fieldOf(series, "metric"), value: pair[1]})
		}
	}
	return found
}

func firstSample(result any) string {
	if series := seriesOf(result); len(series) > 0 {
		return Text(series[0].value)
	}
	return ""
}

// number is 0 for what is none, such as NaN.
func (s sample) number() float64 {
	n, _ := NumberOf(s.value)
	return n.Float()
}

func fold(result any, combine func(a, b float64) float64) string {
	series := seriesOf(result)
	if len(series) == 0 {
		return "0"
	}
	total := series[0].number()
	for _, one := range series[1:] {
		total = combine(total, one.number())
	}
	return Text(total)
}

// beyond: without a series nothing is above or below.
func beyond(function string, result, threshold any, sign int) (bool, error) {
	limit, err := number(function, threshold)
	if err != nil {
		return false, err
	}
	series := seriesOf(result)
	if len(series) == 0 {
		return false, nil
	}
	value, ok := NumberOf(series[0].value)
	if !ok && Text(series[0].value) != "NaN" {
		return false, fmt.Errorf("%s: the value %s of the series is not a number", function, quote(series[0].value))
	}
	return ok && value.Compare(limit) == sign, nil
}

func promLabelValues(result, label any) []any {
	var values []string
	for _, one := range seriesOf(result) {
		if value := fieldOf(one.labels, Text(label)); value != nil {
			values = append(values, Text(value))
		}
	}
	slices.Sort(values)
	return anys(slices.Compact(values))
}
