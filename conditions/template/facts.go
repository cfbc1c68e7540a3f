package template

import (
	"crypto/rand"
	"maps"
	"time"
)

// Facts is what an expression reads: the roots, such as metadata, spec, status and children, and the clock. It is
// immutable, and nobody may write to the maps it was made of. The zero Facts has no roots, and the system's clock and
// source of randomness.
type Facts struct {
	roots  map[string]any
	now    func() time.Time
	random func([]byte) // nil: the system's
	edges  *Edges       // nil: nobody watches
	flow   *flow        // nil: nobody asks what counts the time
	unique UniqueCheck  // nil: everything is unique
}

// NewFacts returns Facts of the roots, whose values are of JSON's types, as unstructured objects hold them. now nil is
// time.Now.
func NewFacts(roots map[string]any, now func() time.Time) Facts {
	return Facts{roots: roots, now: now}
}

// With returns a copy with one more root, or another value for it. The copy shares everything else.
func (f Facts) With(name string, value any) Facts {
	roots := maps.Clone(f.roots)
	if roots == nil {
		roots = map[string]any{}
	}
	roots[name] = value
	f.roots = roots
	return f
}

// Lookup follows the keys through maps. It is false when a key is absent or something on the way is not a map; a key
// with an explicit null is found. No keys at all give the map of roots.
func (f Facts) Lookup(path []string) (value any, found bool) {
	return descend(f.roots, path)
}

// Now is the time of the clock.
func (f Facts) Now() time.Time {
	if f.now == nil {
		return time.Now()
	}
	return f.now()
}

// WithRandom returns a copy whose random functions draw from fill, which fills what it is given. Nil is the system's cryptographic
// source.
func (f Facts) WithRandom(fill func([]byte)) Facts {
	f.random = fill
	return f
}

// Random fills p with random bytes.
func (f Facts) Random(p []byte) {
	if f.random == nil {
		_, _ = rand.Read(p) // it never fails
		return
	}
	f.random(p)
}

func descend(value any, path []string) (any, bool) {
	for _, key := range path {
		var found bool
		switch m := value.(type) {
		case map[string]any:
			value, found = m[key]
		case map[string]string:
			value, found = m[key]
		}
		if !found {
			return nil, false
		}
	}
	return value, true
}
