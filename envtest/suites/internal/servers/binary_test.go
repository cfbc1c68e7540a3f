package servers

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// failing is a test that notes why it fails.
type failing struct{ said string }

func (*failing) Helper() {}

func (*failing) Cleanup(func()) {}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// A server that is not there fails the test, with what to do about it.
func TestMissing(t *testing.T) {
	cases := map[string]struct {
		find func(T)
		want string
	}{
		"Debian": {find: func(t T) { installed(t, "no-such-server", "such-package", "/nowhere/*") }, want: "apt-get install -y --no-install-recommends such-package"},
		"Module": {find: func(t T) { built(t, "no-such-server") }, want: "make servers"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, ended := &failing{}, make(chan struct{})
			go func() {
				defer close(ended)
				tc.find(f)
			}()
			<-ended
			if !strings.Contains(f.said, tc.want) {
				t.Errorf("want %q in %q", tc.want, f.said)
			}
		})
	}
}
