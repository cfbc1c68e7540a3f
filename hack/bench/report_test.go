package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// sample is a report of two sizes and two rounds. At the smaller size one operator is missing.
func sample() report {
	rounds := func(factor int, writes counts) []figures {
		one := func(times int) figures {
			seconds := func(n int) time.Duration { return time.Duration(times*n) * time.Second }
			return figures{
				converge:  seconds(10),
				latencies: []time.Duration{seconds(1), seconds(3)},
				requests:  writes,
				usage:     usage{cpu: seconds(2), peakRSS: int64(times) * 50 << 20},
				repair:    seconds(1) / 100,
			}
		}
		first, second := one(factor), one(factor+1)
		first.idle, first.restart = counts{}, counts{{verb: "GET", resource: "configmaps"}: 1}
		return []figures{first, second}
	}
	deployment, service := request{verb: "POST", group: "apps", resource: "deployments"}, request{verb: "POST", resource: "services"}
	apply := request{verb: "APPLY", resource: "services"}
	list := request{verb: "LIST", resource: "services"}

	const size, idle = 10, 30 * time.Second
	slow := rounds(3, counts{apply: 15, list: 2})
	slow[0].idle = counts{apply: 4}
	slow[0].restart = counts{apply: 10}
	r := report{
		Machine:  machine{CPUs: 2, CPU: "a processor", MemoryMB: 8192, Load: 0.5, OS: "linux/amd64", Go: "go1.26.0"},
		Settings: settings{Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Rounds: 2, Workers: 3, Creators: creators, IdleSeconds: 30},
		Operators: map[string]map[string]summary{
			ours:           {"5": summarize(rounds(1, counts{deployment: 5}), 5, idle), "10": summarize(rounds(1, counts{deployment: 10, service: 10}), size, idle)},
			createOrUpdate: {"10": summarize(rounds(2, counts{deployment: 10, service: 10}), size, idle)},
			serverSide:     {"10": summarize(slow, size, idle)},
		},
	}
	r.compare([]int{5, 10})
	r.Memory = memoryOf(100, usage{peakRSS: 30 << 20}, usage{peakRSS: 80 << 20})
	return r
}

func TestCompare(t *testing.T) {
	r := sample()
	// The faster and larger of the others count: 25 s, 7 s of CPU, 175 MB against our 15 s, 3 s, 75 MB.
	want := map[string]ratios{"10": {Converge: 0.6, CPU: 0.4286, RSSOverMB: -100}}
	if diff := cmp.Diff(want, r.Ratios); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if r.RequestsPerCR == nil || *r.RequestsPerCR != 2 {
		t.Errorf("want the 2 requests per Website of the largest size, got %v", r.RequestsPerCR)
	}
	if apply := r.Operators[serverSide]["10"]; *apply.IdleRequestsPerMinute != 8 || *apply.RestartWrites != 10 {
		t.Errorf("want 4 requests in 30 s to be 8 in a minute, and 10 writes, got %v and %v", *apply.IdleRequestsPerMinute, *apply.RestartWrites)
	}
	if us := r.Operators[ours]["10"]; *us.RestartWrites != 0 || us.RestartRequests["GET configmaps"] != 1 {
		t.Errorf("a read after a restart is told but is no write, got %d, %v", *us.RestartWrites, us.RestartRequests)
	}
}

func TestReportIsReadable(t *testing.T) {
	r := sample()
	var table bytes.Buffer
	if err := printTable(&table, r, []int{5, 10}, operatorNames); err != nil {
		t.Fatal(err)
	}
	figures, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/table.golden.txt", table.String())
	golden.Compare(t, "testdata/bench.golden.json", string(figures)+"\n")
}
