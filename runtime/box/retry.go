package box

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Defaults of a retryBackoff, and the pause of a queue of the type delayed.
const (
	DefaultRetryMax        = 30 * time.Second
	DefaultRetryMultiplier = 2
	DefaultRetryAttempts   = 3
	DelayedRetry           = time.Second
)

// Retry spaces the tries of a resource whose cycle failed, before the failure counts.
type Retry struct {
	Initial, Max time.Duration
	Multiplier   float64
	// Attempts counts the first try.
	Attempts int
}

// Delay is the time before the next try after so many failures, from 1 upwards.
func (r *Retry) Delay(failures int) time.Duration {
	delay := float64(r.Initial) * math.Pow(r.Multiplier, float64(failures-1))
	return time.Duration(min(delay, float64(max(r.Max, r.Initial))))
}

// longest is how long it takes until the last try.
func (r *Retry) longest() (sum time.Duration) {
	for failures := 1; failures < r.Attempts; failures++ {
		sum += r.Delay(failures)
	}
	return sum
}

// retry compiles a retryBackoff. It warns of one that a resync interrupts.
func (c *compiler) retry(declared *orkv1.RetryBackoff, resync time.Duration, at *field.Path) *Retry {
	if declared == nil {
		return nil
	}
	r := &Retry{Initial: declared.Initial.Duration, Max: DefaultRetryMax, Multiplier: DefaultRetryMultiplier, Attempts: DefaultRetryAttempts}
	if declared.Max != nil {
		r.Max = declared.Max.Duration
	}
	if declared.MaxAttempts != nil {
		r.Attempts = int(*declared.MaxAttempts)
	}
	if declared.Multiplier != "" {
		multiplier, err := strconv.ParseFloat(string(declared.Multiplier), 64)
		if err != nil || multiplier < 1 {
			c.report(field.Invalid(at.Child("multiplier"), string(declared.Multiplier), "must be a number of at least 1"))
			return nil
		}
		r.Multiplier = multiplier
	}
	if longest := r.longest(); longest > resync {
		c.language.Warn(field.Invalid(at, declared.Initial.String(), fmt.Sprintf(
			"%d tries take up to %s, longer than resync (%s), which begins them anew", r.Attempts, longest, resync)))
	}
	return r
}
