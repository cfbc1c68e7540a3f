package command

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Environment reads the defaults of flags from variables. What does not parse is kept until somebody asks: a value that is taken for
// another one is worse than a start that fails.
type Environment struct{ errs []error }

// Duration reads one such as 15s or 1m30s; a number alone counts seconds.
func (e *Environment) Duration(name string, fallback time.Duration) time.Duration {
	text := strings.TrimSpace(os.Getenv(name))
	if text == "" {
		return fallback
	}
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	value, err := orkv1.ParseDuration(text)
	if err != nil || value.Duration < 0 {
		e.errs = append(e.errs, fmt.Errorf("environment variable %s is %q, want a duration such as %s, or a number of seconds", name, text, fallback))
		return fallback
	}
	return value.Duration
}

// Err is what did not parse, as wrong usage.
func (e *Environment) Err() error {
	if len(e.errs) == 0 {
		return nil
	}
	return Usage(errors.Join(e.errs...))
}
