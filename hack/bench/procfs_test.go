package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestParseCPU(t *testing.T) {
	const rest = " S 1 2 3 4 -1 4194560 9 0 0 0 150 25 7 8 20 0 12 0 5000 1 2"
	cases := map[string]struct {
		reason string
		stat   string
		want   time.Duration
		err    bool
	}{
		"Plain":     {reason: "user and system time are added; those of children are not", stat: "17 (ork)" + rest, want: 1750 * time.Millisecond},
		"Name":      {reason: "a program may have any name", stat: "17 (a) S 99 (b)" + rest, want: 1750 * time.Millisecond},
		"Short":     {reason: "a cut line is an error", stat: "17 (ork) S 1 2", err: true},
		"NoName":    {reason: "a line without a name is an error", stat: "17 ork" + rest, err: true},
		"NotNumber": {reason: "a time is a number", stat: "17 (ork)" + strings.Replace(rest, "150", "x", 1), err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseCPU([]byte(tc.stat))
			if got != tc.want || (err != nil) != tc.err {
				t.Errorf("\n%s\nparseCPU(%q): want %s, error %t, got %s, %v", tc.reason, tc.stat, tc.want, tc.err, got, err)
			}
		})
	}
}

func FuzzParseCPU(f *testing.F) {
	f.Add([]byte("17 (ork) S 1 2 3 4 -1 4194560 9 0 0 0 150 25 7 8 20"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if _, err := parseCPU(stat); err == nil && len(stat) < 15 {
			t.Errorf("parseCPU(%q): want an error for what can't hold 15 fields", stat)
		}
	})
}

func TestParsePeakRSS(t *testing.T) {
	cases := map[string]struct {
		reason string
		status string
		want   int64
		err    bool
	}{
		"Found":    {reason: "kB are 1024 bytes", status: "Name:\tork\nVmPeak:\t 9 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 7 kB\n", want: 2 << 20},
		"NotThere": {reason: "a process that has ended has no such line", status: "Name:\tork\n", err: true},
		"Unit":     {reason: "another unit is not guessed at", status: "VmHWM:\t 2 MB\n", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parsePeakRSS([]byte(tc.status))
			if got != tc.want || (err != nil) != tc.err {
				t.Errorf("\n%s\nparsePeakRSS(%q): want %d, error %t, got %d, %v", tc.reason, tc.status, tc.want, tc.err, got, err)
			}
		})
	}
}

func TestUsageOf(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	got, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if got.peakRSS < 1<<20 {
		t.Errorf("want at least a megabyte for a running test, got %d bytes", got.peakRSS)
	}
}
