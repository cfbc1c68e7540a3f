package live

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/orkestra-runtime/orkestra/internal/livehttp"
)

// nothing gathers nothing.
func nothing() ([]*dto.MetricFamily, error) { return nil, nil }

var _ prometheus.Gatherer = prometheus.GathererFunc(nothing)

// metricName is a bare name: a selector or a function is none.
var metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)

// instant is the answer to a query, as Prometheus gives it.
type instant struct {
	Status string      `json:"status"`
	Data   instantData `json:"data"`
}

type instantData struct {
	ResultType string   `json:"resultType"`
	Result     []series `json:"result"`
}

// series is one value of a metric: the second and the value as a text.
type series struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
}

// queryError is the refusal of a query, as Prometheus gives it.
type queryError struct {
	Status    string `json:"status"`
	ErrorType string `json:"errorType"`
	Error     string `json:"error"`
}

func (a *api) query(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSpace(r.URL.Query().Get("query"))
	if !metricName.MatchString(name) || !own(name) {
		livehttp.Answer(w, http.StatusBadRequest, queryError{
			"error", "bad_data",
			"query wants the bare name of a metric of the runtime, such as controller_reconcile_total, got " + strconv.Quote(name),
		})
		return
	}
	families, err := a.Gatherer.Gather()
	if err != nil {
		livehttp.Answer(w, http.StatusInternalServerError, queryError{"error", "internal", err.Error()})
		return
	}
	now := float64(a.Now().UnixMilli()) / 1000
	result := []series{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, one := range valuesOf(family.GetName(), metric) {
				if one.name == name {
					result = append(result, series{Metric: one.labels(metric), Value: [2]any{now, strconv.FormatFloat(one.value, 'g', -1, 64)}})
				}
			}
		}
	}
	livehttp.Answer(w, http.StatusOK, instant{Status: "success", Data: instantData{ResultType: "vector", Result: result}})
}

// own tells whether a metric is one of the runtime's: not one of the libraries that share its prefix.
func own(name string) bool {
	return strings.HasPrefix(name, "orkestra_") || strings.HasPrefix(name, "controller_") && !strings.HasPrefix(name, "controller_runtime_")
}

// namedValue is one value of a metric under the name of its series.
type namedValue struct {
	name  string
	value float64
	le    string
}

func (n namedValue) labels(metric *dto.Metric) map[string]string {
	labels := map[string]string{"__name__": n.name}
	for _, label := range metric.GetLabel() {
		labels[label.GetName()] = label.GetValue()
	}
	if n.le != "" {
		labels["le"] = n.le
	}
	return labels
}

// valuesOf spells a histogram out as its series.
func valuesOf(name string, metric *dto.Metric) []namedValue {
	switch {
	case metric.GetCounter() != nil:
		return []namedValue{{name: name, value: metric.GetCounter().GetValue()}}
	case metric.GetGauge() != nil:
		return []namedValue{{name: name, value: metric.GetGauge().GetValue()}}
	case metric.GetHistogram() != nil:
		h := metric.GetHistogram()
		values := []namedValue{{name: name + "_sum", value: h.GetSampleSum()}, {name: name + "_count", value: float64(h.GetSampleCount())}}
		for _, bucket := range h.GetBucket() {
			values = append(values, bucketOf(name, bucket.GetUpperBound(), bucket.GetCumulativeCount()))
		}
		if !slices.ContainsFunc(values, func(v namedValue) bool { return v.le == "+Inf" }) {
			values = append(values, bucketOf(name, math.Inf(1), h.GetSampleCount()))
		}
		return values
	default:
		return nil
	}
}

func bucketOf(name string, upTo float64, count uint64) namedValue {
	return namedValue{name: name + "_bucket", value: float64(count), le: strconv.FormatFloat(upTo, 'g', -1, 64)}
}
