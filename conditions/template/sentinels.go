package template

import (
	"fmt"
	"slices"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
)

// SentinelRoot is the root that holds the sentinels by name, each true or false.
const SentinelRoot = "sentinels"

// sentinels are those that a place declares.
type sentinels struct {
	declared []sentinel.Name
	// list names the list in the Katalog that would have to hold another one.
	list string
}

// WithSentinels returns the Language of a place where texts may call the declared sentinels by their names. List names the list of the
// Katalog that declares them, for the message about one that it does not have.
func (l *Language) WithSentinels(declared []sentinel.Name, list string) *Language {
	with := l.copy()
	with.sentinels = &sentinels{declared: declared, list: list}
	return with
}

// sentinel returns the function that a declared sentinel is.
func (l *Language) sentinel(name string) (function, bool) {
	if l == nil || l.sentinels == nil || !slices.Contains(l.sentinels.declared, sentinel.Name(name)) {
		return function{}, false
	}
	return function{sentinel: true, code: func(e notes.Evaluation) bool {
		computed, _ := e.Root(SentinelRoot).(map[string]any)
		is, _ := computed[name].(bool)
		return is
	}}, true
}

// notASentinel says why a sentinel can't be called here, "" for what is none.
func (l *Language) notASentinel(name string) string {
	switch {
	case !sentinel.Known(name):
		return ""
	case l == nil || l.sentinels == nil:
		return fmt.Sprintf("%s is a sentinel: the gates of preReconcile and observe and the conditions of queue.behaviour have them, "+
			"and nothing else", name)
	default:
		return fmt.Sprintf("the sentinel %s is not declared: add it to %s", name, l.sentinels.list)
	}
}
