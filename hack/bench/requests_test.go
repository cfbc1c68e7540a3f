package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSnapshot(t *testing.T) {
	metrics, err := os.ReadFile("testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseSnapshot(metrics)
	if err != nil {
		t.Fatal(err)
	}
	want := snapshot{
		requests: counts{
			{verb: "WATCH", resource: "services"}: 2,
			{verb: "POST", resource: "services"}:  8,
			// Refused ones are requests as well.
			{verb: "PUT", group: "web.example.com", resource: "websites", subresource: "status"}: 8,
		},
		watches: map[string]int{"services": 4},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(snapshot{}, request{})); diff != "" {
		t.Errorf("parseSnapshot(...): -want, +got:\n%s", diff)
	}
}

func TestParseSnapshotErrors(t *testing.T) {
	cases := map[string]struct {
		reason, metrics, want string
	}{
		"Empty":  {reason: "an answer without the counter would read as no request at all", want: "have no apiserver_request_total"},
		"Broken": {reason: "what can't be read is not passed over", metrics: "apiserver_request_total{verb=} 1\n", want: "read the API server's metrics"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := parseSnapshot([]byte(tc.metrics)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nparseSnapshot(%q): want an error with %q, got %v", tc.reason, tc.metrics, tc.want, err)
			}
		})
	}
}

func FuzzParseSnapshot(f *testing.F) {
	metrics, err := os.ReadFile("testdata/metrics.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(metrics)
	f.Add([]byte("# TYPE apiserver_request_total gauge\napiserver_request_total{resource=\"x\"} NaN\n"))
	f.Fuzz(func(t *testing.T, metrics []byte) {
		s, err := parseSnapshot(metrics)
		if err == nil && s.since(s).total() != 0 {
			t.Errorf("nothing happens between a moment and itself, got %s", s.since(s))
		}
	})
}

func TestRequestClass(t *testing.T) {
	cases := map[string]struct {
		reason  string
		request request
		want    class
	}{
		"Create":    {reason: "a write", request: request{verb: "POST", resource: "services"}, want: write},
		"Apply":     {reason: "server-side apply has a verb of its own", request: request{verb: "APPLY", resource: "services"}, want: write},
		"Status":    {reason: "a status is an object's too", request: request{verb: "PATCH", group: "web.example.com", resource: "websites", subresource: "status"}, want: write},
		"Get":       {reason: "a read", request: request{verb: "GET", resource: "services"}, want: read},
		"List":      {reason: "not per object", request: request{verb: "LIST", resource: "services"}, want: stream},
		"Watch":     {reason: "not per object", request: request{verb: "WATCH", resource: "services"}, want: stream},
		"Lease":     {reason: "an election is not work", request: request{verb: "PUT", group: "coordination.k8s.io", resource: "leases"}, want: lease},
		"IPAddress": {reason: "the API server records the address of each Service itself", request: request{verb: "POST", group: "networking.k8s.io", resource: "ipaddresses"}, want: own},
		"Ingress":   {reason: "others of that group are objects like any", request: request{verb: "POST", group: "networking.k8s.io", resource: "ingresses"}, want: write},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.request.class(); got != tc.want {
				t.Errorf("\n%s\n%s: want class %d, got %d", tc.reason, tc.request, tc.want, got)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	get, status := request{verb: "GET", resource: "services"}, request{verb: "PUT", resource: "websites", subresource: "status"}
	before := snapshot{requests: counts{get: 3, status: 5}}
	after := snapshot{requests: counts{get: 3, status: 9, postWebsite: 4}}

	since := after.since(before)
	if diff := cmp.Diff(counts{status: 4, postWebsite: 4}, since, cmp.AllowUnexported(request{})); diff != "" {
		t.Errorf("since holds what is new alone: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(counts{status: 4}, since.without(counts{postWebsite: 4}), cmp.AllowUnexported(request{})); diff != "" {
		t.Errorf("without takes somebody else's requests away: -want, +got:\n%s", diff)
	}
	if got := since.without(counts{postWebsite: 3})[postWebsite]; got != 1 {
		t.Errorf("a Website that somebody else created stays: want 1, got %d", got)
	}
	if got := since.of(write).total(); got != 8 {
		t.Errorf("want 8 writes, got %d", got)
	}
	if got, want := since.String(), "4 POST websites.web.example.com, 4 PUT websites/status"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

func BenchmarkParseSnapshot(b *testing.B) {
	metrics, err := os.ReadFile("testdata/metrics.txt")
	if err != nil {
		b.Fatal(err)
	}
	// An API server has about two hundred times as many lines that are passed over.
	metrics = append([]byte(strings.Repeat("etcd_request_duration_seconds_bucket{operation=\"get\",type=\"/x\",le=\"0.1\"} 1\n", 5000)), metrics...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseSnapshot(metrics); err != nil {
			b.Fatal(err)
		}
	}
}
