package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// environment reads the defaults of flags from variables. What does not parse is kept until somebody asks: a value that is taken for
// another one is worse than a start that fails.
type environment struct{ errs []error }

// duration reads one such as 15s or 1m30s; a number alone counts seconds.
func (e *environment) duration(name string, fallback time.Duration) time.Duration {
	text := strings.TrimSpace(os.Getenv(name))
	if text == "" {
		return fallback
	}
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	value, err := time.ParseDuration(text)
	if err != nil || value < 0 {
		e.errs = append(e.errs, fmt.Errorf("environment variable %s is %q, want a duration such as %s, or a number of seconds", name, text, fallback))
		return fallback
	}
	return value
}

func (e *environment) err() error {
	if len(e.errs) == 0 {
		return nil
	}
	return &usageError{errors.Join(e.errs...)}
}
