package simulate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const appliedHash = orkv1.AnnotationAppliedHash

// lastScale is a moment.
const lastScale = orkv1.AnnotationLastScale

// log keeps what the runtime logs as an error, each once.
type log struct{ lines *[]string }

var _ logr.LogSink = log{}

func (log) Init(logr.RuntimeInfo)            {}
func (log) Enabled(int) bool                 { return false }
func (log) Info(int, string, ...any)         {}
func (l log) WithValues(...any) logr.LogSink { return l }
func (l log) WithName(string) logr.LogSink   { return l }

func (l log) Error(err error, message string, _ ...any) {
	if line := fmt.Sprintf("%s: %v", message, err); !slices.Contains(*l.lines, line) {
		*l.lines = append(*l.lines, line)
	}
}

// silent records no events: conditions and changes say the same.
type silent struct{}

var _ events.EventRecorder = silent{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// plain is an error without the mark that it is not to be tried again, for people.
func plain(err error) error {
	if errors.Is(err, reconcile.TerminalError(nil)) {
		if inner := errors.Unwrap(err); inner != nil {
			return inner
		}
	}
	return err
}
