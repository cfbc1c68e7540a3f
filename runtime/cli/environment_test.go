package cli

import (
	"strings"
	"testing"
)

// A variable that does not parse ends the start, for whatever else it were taken for would be wrong.
func TestDefect77Environment(t *testing.T) {
	const valid = "testdata/validate/valid.yaml"
	cases := map[string]struct {
		reason    string
		variables map[string]string
		says      string
	}{
		"Words": {
			reason: "no number at all", variables: map[string]string{"LEASE_DURATION": "soon"},
			says: `environment variable LEASE_DURATION is "soon", want a duration such as 15s, or a number of seconds`,
		},
		"All": {
			reason: "everything that is wrong is told at once", variables: map[string]string{"RETRY_PERIOD": "2 s", "SHUTDOWN_TIMEOUT": "-1s"},
			says: "environment variable RETRY_PERIOD is \"2 s\", want a duration such as 2s, or a number of seconds\n" +
				`environment variable SHUTDOWN_TIMEOUT is "-1s"`,
		},
		"Order": {
			reason: "a leader must give up before another one begins", variables: map[string]string{"LEASE_DURATION": "10", "RENEW_DEADLINE": "10s"},
			says: "--renew-deadline must be shorter than --lease-duration, 10s is not shorter than 10s",
		},
		"Retry": {
			reason: "one attempt must fit into the deadline", variables: map[string]string{"RETRY_PERIOD": "9s"},
			says: "--renew-deadline must be longer than 1.2 times --retry-period",
		},
		"Workers": {
			reason: "those of the Katalogs as well", variables: map[string]string{"DEFAULT_WORKERS": "many"},
			says: "DEFAULT_WORKERS",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for variable, value := range tc.variables {
				t.Setenv(variable, value)
			}
			got := ork(t, "", "run", "-f", valid, "--kubeconfig", "/nowhere")
			if got.Code == 0 || !strings.Contains(got.Err, tc.says) {
				t.Errorf("%s\nork run ends with %d and says %q, want %q", tc.reason, got.Code, got.Err, tc.says)
			}
		})
	}
}

// What the variables say holds, and a flag is stronger.
func TestEnvironmentIsDefault(t *testing.T) {
	t.Setenv("LEASE_DURATION", "60")
	t.Setenv("RENEW_DEADLINE", "40s")
	t.Setenv("KATALOG_PATH", "missing.yaml")
	run := runCommand(Options{})
	for flag, want := range map[string]string{"lease-duration": "1m0s", "renew-deadline": "40s", "retry-period": "2s", "shutdown-timeout": "20s"} {
		if got := run.Flags().Lookup(flag).DefValue; got != want {
			t.Errorf("--%s is %s, want %s", flag, got, want)
		}
	}
	if got := ork(t, "", "run"); !strings.Contains(got.Err, "error: missing.yaml") {
		t.Errorf("ork run says %q, want an error of the file of KATALOG_PATH", got.Err)
	}
}

func TestLogLevelOfTheEnvironment(t *testing.T) {
	t.Setenv("LOG_LEVEL", "loud")
	if got := ork(t, "", "run", "-f", "testdata/validate/valid.yaml"); got.Code != 2 || !strings.Contains(got.Err, `unknown log level "loud"`) {
		t.Errorf("run with LOG_LEVEL=loud: %+v", got)
	}
}
