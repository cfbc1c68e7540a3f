package rules

import (
	"errors"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Redacted stands for a value that nobody is to see.
const Redacted = "[redacted]"

// errHidden is in place of an error that may quote such a value.
var errHidden = errors.New("it fails for a value that is sensitive and not shown")

// Hidden are the places in a resource whose values nobody is to see: those of serve fields that are sensitive. The zero Hidden is none.
type Hidden struct{ paths []template.Path }

// HiddenOf are those of a CRD.
func HiddenOf(serve *orkv1.Serve) Hidden {
	var h Hidden
	for _, one := range served(serve) {
		if !one.Sensitive {
			continue
		}
		h.paths = append(h.paths, template.Path{roots.RequestRoot, one.key}, template.Path{roots.IntentRoot, one.key})
		if one.group != "fields" {
			h.paths = append(h.paths, template.Path{"metadata", one.group, one.key})
			continue
		}
		for _, written := range one.written() {
			h.paths = append(h.paths, written.path)
		}
	}
	return h
}

// Concerns tells whether a text that reads these paths reads a hidden value, all of what is above it, or part of it.
func (h Hidden) Concerns(references ...[]string) bool {
	return slices.ContainsFunc(references, func(reference []string) bool {
		return slices.ContainsFunc(h.paths, func(path template.Path) bool { return within(path, reference) || within(reference, path) })
	})
}

// within tells whether a path leads to a place, or to something below it.
func within(path, place []string) bool {
	return len(path) >= len(place) && slices.Equal(path[:len(place)], place)
}

// facts are those in which hidden values are redacted.
func (h Hidden) facts(f template.Facts) template.Facts {
	for _, path := range h.paths {
		root, _ := f.Lookup(path[:1])
		object, ok := root.(map[string]any)
		if value, found := f.Lookup(path); !ok || !found || unset(value) {
			continue
		}
		if redacted, err := with(object, path[1:], 0, Redacted); err == nil {
			f = f.With(path[0], redacted)
		}
	}
	return f
}

// Redact returns what stands at a path of a resource without what is hidden. Nobody may write to the result.
func (h Hidden) Redact(path []string, value any) any {
	for _, hidden := range h.paths {
		switch {
		case unset(value):
		case within(path, hidden):
			return Redacted
		case within(hidden, path):
			object, _ := value.(map[string]any)
			if below, found := lookup(object, hidden[len(path):]); !found || unset(below) {
				continue
			}
			if redacted, err := with(object, hidden[len(path):], 0, Redacted); err == nil {
				value = redacted
			}
		}
	}
	return value
}

// Texts are the hidden values of an object that are texts or numbers, as texts.
func (h Hidden) Texts(object map[string]any) []string {
	var all []string
	var add func(value any)
	add = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, below := range v {
				add(below)
			}
		case []any:
			for _, below := range v {
				add(below)
			}
		case nil, bool:
		default:
			all = append(all, template.Text(v))
		}
	}
	for _, path := range h.paths {
		value, _ := lookup(object, path)
		add(value)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
