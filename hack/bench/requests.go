package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// The families of the API server's metrics that the bench reads.
const (
	requestsFamily = "apiserver_request_total"
	watchesFamily  = "apiserver_longrunning_requests"
)

// request is a kind of request to the API server.
type request struct {
	verb, group, resource, subresource string
}

// String is the form in the table and in bench.json: "POST deployments.apps", "PUT websites.web.example.com/status".
func (r request) String() string {
	text := r.verb + " " + r.resource
	if r.group != "" {
		text += "." + r.group
	}
	if r.subresource != "" {
		text += "/" + r.subresource
	}
	return text
}

// class tells what a request is counted as.
type class int

const (
	read class = iota
	write
	// stream is a list or a watch, of which a controller makes some per kind and none per object.
	stream
	// lease is for the election of a leader.
	lease
	// own is what the API server asks itself, such as for the addresses of Services.
	own
)

func (r request) class() class {
	switch {
	case r.group == "networking.k8s.io" && (r.resource == "ipaddresses" || r.resource == "servicecidrs"):
		return own
	case r.group == "coordination.k8s.io":
		return lease
	case r.verb == "LIST" || r.verb == "WATCH":
		return stream
	case r.verb == "GET":
		return read
	default:
		return write
	}
}

// counts are numbers of requests.
type counts map[request]int

// snapshot is what the API server's metrics say at one moment.
type snapshot struct {
	requests counts
	// watches are open now, by resource.
	watches map[string]int
}

// parseSnapshot reads metrics in the text format. Requests that are not for a resource, such as for the metrics themselves, are
// left out.
func parseSnapshot(metrics []byte) (snapshot, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(only(metrics, requestsFamily, watchesFamily)))
	if err != nil {
		return snapshot{}, fmt.Errorf("read the API server's metrics: %w", err)
	}
	if families[requestsFamily] == nil {
		return snapshot{}, fmt.Errorf("the API server's metrics have no %s", requestsFamily)
	}
	s := snapshot{requests: counts{}, watches: map[string]int{}}
	for _, metric := range families[requestsFamily].GetMetric() {
		labels := labelsOf(metric)
		r := request{verb: labels["verb"], group: labels["group"], resource: labels["resource"], subresource: labels["subresource"]}
		if r.resource != "" {
			s.requests[r] += int(metric.GetCounter().GetValue())
		}
	}
	for _, metric := range families[watchesFamily].GetMetric() {
		if labels := labelsOf(metric); labels["verb"] == "WATCH" {
			s.watches[labels["resource"]] += int(metric.GetGauge().GetValue())
		}
	}
	return s, nil
}

// only returns the lines of the families. The metrics of an API server have megabytes of others, which take longer to parse.
func only(metrics []byte, families ...string) []byte {
	var kept bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(metrics))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		name := strings.TrimPrefix(line, "# TYPE ")
		if end := strings.IndexAny(name, "{ "); end >= 0 && slices.Contains(families, name[:end]) {
			kept.WriteString(line + "\n")
		}
	}
	return kept.Bytes()
}

func labelsOf(metric *dto.Metric) map[string]string {
	labels := make(map[string]string, len(metric.GetLabel()))
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels
}

// since returns the requests that came after an earlier snapshot.
func (s snapshot) since(before snapshot) counts {
	difference := counts{}
	for r, n := range s.requests {
		if more := n - before.requests[r]; more > 0 {
			difference[r] = more
		}
	}
	return difference
}

// without returns the requests less those that somebody else made.
func (c counts) without(others counts) counts {
	left := counts{}
	for r, n := range c {
		if n -= others[r]; n > 0 {
			left[r] = n
		}
	}
	return left
}

// of returns the requests of the classes.
func (c counts) of(classes ...class) counts {
	chosen := counts{}
	for r, n := range c {
		if slices.Contains(classes, r.class()) {
			chosen[r] = n
		}
	}
	return chosen
}

func (c counts) total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// kinds returns the kinds of requests, the most frequent first.
func (c counts) kinds() []request {
	kinds := make([]request, 0, len(c))
	for r := range c {
		kinds = append(kinds, r)
	}
	slices.SortFunc(kinds, func(a, b request) int {
		return cmp.Or(cmp.Compare(c[b], c[a]), cmp.Compare(a.String(), b.String()))
	})
	return kinds
}

// String lists kinds and numbers for a message.
func (c counts) String() string {
	parts := make([]string, 0, len(c))
	for _, r := range c.kinds() {
		parts = append(parts, fmt.Sprintf("%d %s", c[r], r))
	}
	return strings.Join(parts, ", ")
}

// byName returns the numbers under the names that people read.
func (c counts) byName() map[string]int {
	named := make(map[string]int, len(c))
	for r, n := range c {
		named[r.String()] = n
	}
	return named
}
