package series

import (
	dto "github.com/prometheus/client_model/go"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Sum is that of the counters and gauges of a metric that have the labels, and maybe others. It is -1 when there are none.
func Sum(name string, labels map[string]string) float64 {
	families, err := ctrlmetrics.Registry.Gather()
	if err != nil {
		panic(err) // two metrics of one name: a mistake of the program
	}
	sum := -1.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			if has(metric, labels) {
				sum = max(sum, 0) + metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// has tells whether a series has all the labels.
func has(metric *dto.Metric, labels map[string]string) bool {
	found := 0
	for _, label := range metric.GetLabel() {
		if value, wanted := labels[label.GetName()]; wanted && value == label.GetValue() {
			found++
		}
	}
	return found == len(labels)
}
