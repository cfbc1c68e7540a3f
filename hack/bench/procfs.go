package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc/<pid>/stat. Linux shows it to programs as 100 per second on every architecture.
const clockTick = time.Second / 100

// usage is what a process has used since it started.
type usage struct {
	// cpu is user and system time of all its threads.
	cpu time.Duration
	// peakRSS is the most memory it ever had resident, in bytes.
	peakRSS int64
}

// usageOf reads the usage of a process that runs.
func usageOf(pid int) (usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return usage{}, fmt.Errorf("read the CPU time of a process, which needs Linux: %w", err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return usage{}, fmt.Errorf("read the memory of a process, which needs Linux: %w", err)
	}
	u := usage{}
	if u.cpu, err = parseCPU(stat); err != nil {
		return usage{}, err
	}
	u.peakRSS, err = parsePeakRSS(status)
	return u, err
}

// parseCPU reads user and system time from the content of /proc/<pid>/stat.
func parseCPU(stat []byte) (time.Duration, error) {
	// The second field is the name of the program in parentheses, which may itself hold spaces and parentheses.
	end := bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[end+1:])
	const user, system = 14 - 3, 15 - 3 // as the manual numbers them, less the first two and the one that counting from 0 saves
	if end < 0 || len(fields) <= system {
		return 0, fmt.Errorf("unexpected content of /proc/<pid>/stat: %q", stat)
	}
	var ticks int64
	for _, field := range [][]byte{fields[user], fields[system]} {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("unexpected time in /proc/<pid>/stat: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// parsePeakRSS reads VmHWM from the content of /proc/<pid>/status, in bytes.
func parsePeakRSS(status []byte) (int64, error) {
	for line := range strings.Lines(string(status)) {
		value, found := strings.CutPrefix(line, "VmHWM:")
		if !found {
			continue
		}
		number, found := strings.CutSuffix(strings.TrimSpace(value), " kB")
		kilobytes, err := strconv.ParseInt(number, 10, 64)
		if !found || err != nil {
			return 0, fmt.Errorf("unexpected VmHWM in /proc/<pid>/status: %q", line)
		}
		return kilobytes << 10, nil
	}
	return 0, fmt.Errorf("no VmHWM in /proc/<pid>/status, which holds %d bytes", len(status))
}
