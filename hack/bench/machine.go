//nolint:tagliatelle // bench.json has names that are read elsewhere
package main

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machine describes what the figures were measured on.
type machine struct {
	CPUs     int    `json:"cpus"`
	CPU      string `json:"cpu"`
	MemoryMB int64  `json:"memory_mb"`
	// Load is the average number of processes that ran or waited in the minute before the start.
	Load float64 `json:"load_at_start"`
	OS   string  `json:"os"`
	Go   string  `json:"go"`
}

// describeMachine tells what the figures depend on. What the system does not tell is left empty.
func describeMachine() machine {
	m := machine{
		CPUs: runtime.NumCPU(), CPU: procValue("/proc/cpuinfo", "model name"), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
	if kilobytes, err := strconv.ParseInt(strings.TrimSuffix(procValue("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		m.MemoryMB = kilobytes >> 10
	}
	if content, err := os.ReadFile("/proc/loadavg"); err == nil {
		first, _, _ := strings.Cut(string(content), " ")
		m.Load, _ = strconv.ParseFloat(first, 64)
	}
	return m
}

// procValue returns the value of the first line "key: value" of a file of /proc, or "" when there is none.
func procValue(path, key string) string {
	file, err := os.Open(path) //nolint:gosec // the paths are ours
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
