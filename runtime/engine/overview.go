package engine

import "github.com/orkestra-runtime/orkestra/runtime/health"

// Overview is what an entry does, without its resources: cheap however many these are.
type Overview struct {
	// Name of the entry, and Katalog the Katalog that declares it.
	Name, Katalog string
	// Running tells whether its controller runs.
	Running bool
	Health  health.Snapshot
	// Resources is how many there are in memory.
	Resources int
}

// Overviews returns those of all entries, in the order of their names.
func (e *Engine) Overviews() []Overview {
	entries := e.all()
	overviews := make([]Overview, 0, len(entries))
	for _, one := range entries {
		overview := Overview{Name: one.set.Name, Katalog: one.set.Katalog, Running: one.operates(), Health: e.healthOf(one)}
		if r := one.current(); r != nil {
			overview.Resources = r.resources.Len()
		}
		overviews = append(overviews, overview)
	}
	return overviews
}
