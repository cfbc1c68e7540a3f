package command

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestLogger(t *testing.T) {
	cases := map[string]struct {
		reason string
		flags  Logging
		// says are the messages that are written.
		says []string
		json bool
	}{
		"Info":  {reason: "what an operator acts on", flags: Logging{level: "info", format: "json"}, says: []string{"for operators", "failed"}, json: true},
		"Debug": {reason: "and what a developer asks for", flags: Logging{level: "debug", format: "json"}, says: []string{"for operators", "for developers", "failed"}, json: true},
		"Error": {reason: "or only what failed", flags: Logging{level: "error", format: "json"}, says: []string{"failed"}, json: true},
		"Auto":  {reason: "what is not a terminal reads JSON", flags: Logging{level: "error", format: "auto"}, says: []string{"failed"}, json: true},
		"Text":  {reason: "a person reads text", flags: Logging{level: "error", format: "text"}, says: []string{"failed"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			log, err := tc.flags.logger(&out)
			if err != nil {
				t.Fatal(err)
			}
			log.Info("for operators", "object", "default/one")
			log.V(1).Info("for developers")
			log.Error(errors.New("no luck"), "failed")
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(lines) != len(tc.says) {
				t.Fatalf("%s\n%d lines, want %d:\n%s", tc.reason, len(lines), len(tc.says), out.String())
			}
			for i, line := range lines {
				if !strings.Contains(line, tc.says[i]) {
					t.Errorf("%s\nline %d is %s, want %q", tc.reason, i, line, tc.says[i])
				}
				checkFormat(t, line, tc.json)
			}
		})
	}
}

// checkFormat checks that a line is JSON with a time in RFC 3339, or that it is not.
func checkFormat(t *testing.T, line string, asJSON bool) {
	t.Helper()
	var fields struct {
		TS time.Time `json:"ts"`
	}
	switch err := json.Unmarshal([]byte(line), &fields); {
	case asJSON && (err != nil || fields.TS.IsZero()):
		t.Errorf("not JSON with a time: %s", line)
	case !asJSON && err == nil:
		t.Errorf("JSON, want text: %s", line)
	}
}
