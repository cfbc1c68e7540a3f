//nolint:tagliatelle // bench.json has names that are read elsewhere
package main

import (
	"strconv"
	"time"
)

// report is the content of bench.json.
type report struct {
	// Ratios compare ours with the hand-written operators, by size. A size at which any of the three was not measured has none.
	Ratios map[string]ratios `json:"ratios"`
	// RequestsPerCR, IdleRequestsPerMinute and RestartWrites are ours at the largest size. Absent when ours was not measured.
	RequestsPerCR         *float64 `json:"requests_per_cr,omitempty"`
	IdleRequestsPerMinute *float64 `json:"idle_requests_per_minute,omitempty"`
	RestartWrites         *int     `json:"restart_writes,omitempty"`

	// Memory is ours with many children. Absent when it was not measured.
	Memory *memory `json:"memory,omitempty"`
	// Admission is what a gateway adds. Absent when it was not measured.
	Admission *admission `json:"admission,omitempty"`

	Machine  machine  `json:"machine"`
	Settings settings `json:"settings"`
	// Operators holds all figures, by operator and size.
	Operators map[string]map[string]summary `json:"operators"`
}

// settings tell how the figures came about.
type settings struct {
	Started     time.Time `json:"started"`
	Rounds      int       `json:"rounds"`
	Workers     int       `json:"workers"`
	Creators    int       `json:"creators"`
	IdleSeconds float64   `json:"idle_seconds"`
}

// ratios compare medians.
type ratios struct {
	// Converge is ours divided by the faster hand-written operator's.
	Converge float64 `json:"converge"`
	// CPU is ours divided by that of the one with server-side apply.
	CPU float64 `json:"cpu"`
	// RSSOverMB is ours less the larger of the two, in MB of 2^20 bytes.
	RSSOverMB float64 `json:"rss_over_mb"`
}

// summary is what an operator came to at one size, over all rounds. MB are 2^20 bytes.
type summary struct {
	ConvergeSeconds   spread `json:"converge_seconds"`
	LatencyP50Seconds spread `json:"latency_p50_seconds"`
	LatencyP99Seconds spread `json:"latency_p99_seconds"`
	CPUSeconds        spread `json:"cpu_seconds"`
	PeakRSSMB         spread `json:"peak_rss_mb"`
	RepairSeconds     spread `json:"repair_seconds"`
	// RequestsPerCR are reads and writes of objects by name; RequestsPerCRByKind tells them apart.
	RequestsPerCR       spread            `json:"requests_per_cr"`
	RequestsPerCRByKind map[string]spread `json:"requests_per_cr_by_kind"`
	// ListsAndWatches and Leases came while the Websites did. They are not part of RequestsPerCR: there are to be as many for
	// one object as for a thousand. A watch is counted when it ends.
	ListsAndWatches spread `json:"lists_and_watches"`
	Leases          spread `json:"leases"`
	// IdleRequestsPerMinute is absent where idling was not measured.
	IdleRequestsPerMinute *float64       `json:"idle_requests_per_minute,omitempty"`
	IdleRequests          map[string]int `json:"idle_requests,omitempty"`
	// RestartWrites is absent where a restart was not measured.
	RestartWrites   *int           `json:"restart_writes,omitempty"`
	RestartRequests map[string]int `json:"restart_requests,omitempty"`
}

// summarize sums up the rounds of one operator at one size.
func summarize(rounds []figures, size int, idle time.Duration) summary {
	over := func(value func(figures) float64) spread {
		values := make([]float64, len(rounds))
		for i, f := range rounds {
			values[i] = value(f)
		}
		return spreadOf(values)
	}
	perCR := func(value func(figures) int) spread {
		return over(func(f figures) float64 { return float64(value(f)) / float64(size) })
	}
	s := summary{
		ConvergeSeconds:     over(func(f figures) float64 { return f.converge.Seconds() }),
		LatencyP50Seconds:   over(func(f figures) float64 { return percentile(f.latencies, 50).Seconds() }),
		LatencyP99Seconds:   over(func(f figures) float64 { return percentile(f.latencies, 99).Seconds() }),
		CPUSeconds:          over(func(f figures) float64 { return f.usage.cpu.Seconds() }),
		PeakRSSMB:           over(func(f figures) float64 { return float64(f.usage.peakRSS) / (1 << 20) }),
		RepairSeconds:       over(func(f figures) float64 { return f.repair.Seconds() }),
		RequestsPerCR:       perCR(func(f figures) int { return f.requests.of(read, write).total() }),
		RequestsPerCRByKind: map[string]spread{},
		ListsAndWatches:     over(func(f figures) float64 { return float64(f.requests.of(stream).total()) }),
		Leases:              over(func(f figures) float64 { return float64(f.requests.of(lease).total()) }),
	}
	for _, f := range rounds {
		for kind := range f.requests.of(read, write) {
			s.RequestsPerCRByKind[kind.String()] = perCR(func(f figures) int { return f.requests[kind] })
		}
		if f.idle != nil {
			s.IdleRequestsPerMinute = new(round(float64(f.idle.total()) / idle.Minutes()))
			s.IdleRequests = f.idle.byName()
		}
		if f.restart != nil {
			s.RestartWrites = new(f.restart.of(write).total())
			s.RestartRequests = f.restart.byName()
		}
	}
	return s
}

// compare fills in what sums the figures up.
func (r *report) compare(sizes []int) {
	r.Ratios = map[string]ratios{}
	for _, size := range sizes {
		key := strconv.Itoa(size)
		us, has := r.Operators[ours][key]
		update, hasUpdate := r.Operators[createOrUpdate][key]
		apply, hasApply := r.Operators[serverSide][key]
		if has && hasUpdate && hasApply {
			r.Ratios[key] = ratios{
				Converge:  round(us.ConvergeSeconds.Median / min(update.ConvergeSeconds.Median, apply.ConvergeSeconds.Median)),
				CPU:       round(us.CPUSeconds.Median / apply.CPUSeconds.Median),
				RSSOverMB: round(us.PeakRSSMB.Median - max(update.PeakRSSMB.Median, apply.PeakRSSMB.Median)),
			}
		}
		if has {
			r.RequestsPerCR = new(us.RequestsPerCR.Median)
			r.IdleRequestsPerMinute, r.RestartWrites = us.IdleRequestsPerMinute, us.RestartWrites
		}
	}
}
