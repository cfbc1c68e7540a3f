package engine

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestDefaults(t *testing.T) {
	opts := Options{Katalogs: []*orkv1.Katalog{{}}}
	if err := opts.setDefaults(); err != nil {
		t.Fatal(err)
	}
	if opts.Registry == nil || opts.Now == nil || opts.Namespace != "default" || opts.Drain != 20*time.Second {
		t.Errorf("defaults are %+v", opts)
	}
	opts = Options{Katalogs: []*orkv1.Katalog{{}}, Namespace: "operators", Drain: -1}
	if err := opts.setDefaults(); err != nil {
		t.Fatal(err)
	}
	if opts.Namespace != "operators" || opts.Drain != -1 {
		t.Errorf("defaults replace what was chosen: %+v", opts)
	}
}

func TestUnthrottled(t *testing.T) {
	cases := map[string]struct {
		reason string
		config rest.Config
		want   float32
	}{
		"NotSet":  {reason: "a limit that nobody set is lifted", want: -1},
		"Set":     {reason: "one that somebody set holds", config: rest.Config{QPS: 7}, want: 7},
		"Limiter": {reason: "in either way", config: rest.Config{RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter()}, want: 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			given := tc.config.QPS
			if got := unthrottled(&tc.config).QPS; got != tc.want {
				t.Errorf("%s\nQPS = %v, want %v", tc.reason, got, tc.want)
			}
			if tc.config.QPS != given {
				t.Error("the caller's configuration is changed")
			}
		})
	}
}
