package simulate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const appliedHash = orkv1.AnnotationAppliedHash

// lastScale is a moment.
const lastScale = orkv1.AnnotationLastScale

// log keeps what the runtime logs as an error, and what it leaves out for a reason, each once.
type log struct{ lines *[]string }

var _ logr.LogSink = log{}

func (log) Init(logr.RuntimeInfo)            {}
func (log) Enabled(level int) bool           { return level == 0 }
func (l log) WithValues(...any) logr.LogSink { return l }
func (l log) WithName(string) logr.LogSink   { return l }

func (l log) Error(err error, message string, _ ...any) {
	l.note(message, lines(err))
}

func (l log) Info(_ int, message string, pairs ...any) {
	if at := slices.Index(pairs, "reason"); at >= 0 && at+1 < len(pairs) {
		l.note(message, pairs[at+1])
	}
}

func (l log) note(message string, why any) {
	if line := fmt.Sprintf("%s: %v", message, why); !slices.Contains(*l.lines, line) {
		*l.lines = append(*l.lines, line)
	}
}

// silent records no events: conditions and changes say the same.
type silent struct{}

var _ events.EventRecorder = silent{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// lines is the text of an error, with a line for each field that the server finds invalid, sorted.
func lines(err error) string {
	text := plain(err).Error()
	refused, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || refused.ErrStatus.Details == nil {
		return text
	}
	var causes []string
	for _, cause := range refused.ErrStatus.Details.Causes {
		if said := cause.Field + ": " + cause.Message; !slices.Contains(causes, said) {
			causes = append(causes, said)
		}
	}
	listed := " [" + strings.Join(causes, ", ") + "]"
	slices.Sort(causes)
	return strings.Replace(text, listed, "\n"+strings.Join(causes, "\n"), 1)
}

// plain is an error without the mark that it is not to be tried again, for people.
func plain(err error) error {
	if errors.Is(err, reconcile.TerminalError(nil)) {
		if inner := errors.Unwrap(err); inner != nil {
			return inner
		}
	}
	return err
}
