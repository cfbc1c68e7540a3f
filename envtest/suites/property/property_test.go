package property_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	seedVariable = "ORKESTRA_PROPERTY_SEED"
	timeVariable = "ORKESTRA_PROPERTY_TIME"
	// rounds is how often a run is compared with a simulation, and mostSteps how many steps are taken between two comparisons.
	rounds, mostSteps = 8, 4
)

// TestSimulated takes random steps and compares what there is with a simulation. One run follows the other until the time is over; the
// seed of each is printed. A seed that is given is run alone.
func TestSimulated(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	logf.SetLogger(logr.Discard())
	seed, only := firstSeed(t)
	cluster := newCluster(t)
	for end := time.Now().Add(duration(t)); !t.Failed() && time.Now().Before(end); seed++ {
		t.Run(fmt.Sprintf("Seed%d", seed), func(t *testing.T) { newWorld(t, cluster, seed).play() })
		if only {
			return
		}
	}
}

func firstSeed(t *testing.T) (seed uint64, given bool) {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return uint64(time.Now().UnixMilli()), false
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %q is no seed; give a whole number", seedVariable, text)
	}
	return seed, true
}

func duration(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(timeVariable)
	if text == "" {
		return 75 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %q is no duration; give one such as 10m", timeVariable, text)
	}
	return d
}

// play takes the steps of one run, and removes all resources in the end.
func (w *world) play() {
	w.t.Logf("%s=%d repeats this run", seedVariable, w.seed)
	defer w.tidyUp()
	w.step(begin)
	for range rounds {
		for range 1 + w.random.IntN(mostSteps) {
			w.step(pick(w, steps))
		}
		w.settle()
		w.costNothing()
		if w.random.IntN(3) == 0 { // by itself: it is not seen for a moment
			w.step(stripLabel)
			w.settle()
		}
	}
	w.step(finish)
	w.settle()
	w.t.Logf("taken:\n  %s", strings.Join(w.taken, "\n  "))
}

// step takes one step and notes it. One that there is no occasion for is nothing.
func (w *world) step(do func(*world) string) {
	w.t.Helper()
	if told := do(w); told != "" {
		w.taken = append(w.taken, told)
	}
}

// failf ends the run with all that led to the failure.
func (w *world) failf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatal(w.story(fmt.Sprintf(format, args...)))
}

// story is what went wrong, and what was done before.
func (w *world) story(end string) string {
	return fmt.Sprintf("%s=%d\n%s\nafter:\n  %s", seedVariable, w.seed, end, strings.Join(w.taken, "\n  "))
}
