package command

import (
	"errors"
	"testing"
)

func TestExitCode(t *testing.T) {
	cases := map[string]struct {
		err     error
		code    int
		message string
	}{
		"None":     {},
		"Failure":  {err: errors.New("no luck"), code: 1, message: "no luck"},
		"Usage":    {err: Usage(errors.New("no flag")), code: 2, message: "no flag; see ork --help"},
		"Reported": {err: Reported(errors.New("3 errors")), code: 1},
		"Command":  {err: errors.New(`unknown command "walk" for "ork"`), code: 2, message: `unknown command "walk" for "ork"; see ork --help`},
		"Wrapped":  {err: errors.Join(Usage(errors.New("no flag"))), code: 2, message: "no flag; see ork --help"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if code, message := ExitCode(tc.err); code != tc.code || message != tc.message {
				t.Errorf("ExitCode(%v) = %d, %q; want %d, %q", tc.err, code, message, tc.code, tc.message)
			}
		})
	}
}
