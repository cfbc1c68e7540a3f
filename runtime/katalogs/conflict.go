package katalogs

import (
	"fmt"
	"maps"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// conflicts returns the sources that want what another one has. What runs keeps what it has; of those that want something new, the
// earlier one gets it. A source that loses runs on as it did, which may take something from another one: so the search begins anew.
func conflicts(sources []*source) map[*source]*ConflictError {
	lost := map[*source]*ConflictError{}
	for {
		loser, conflict := firstConflict(sources, lost)
		if loser == nil {
			return lost
		}
		lost[loser] = conflict
	}
}

func firstConflict(sources []*source, lost map[*source]*ConflictError) (*source, *ConflictError) {
	taken := map[string]*source{}
	for _, one := range sources {
		wanted := declares(one.chosen(lost))
		for what := range declares(one.running) {
			if wanted[what] {
				taken[what] = one
			}
		}
	}
	for _, one := range sources {
		if one.wanted == nil || lost[one] != nil {
			continue
		}
		for _, what := range slices.Sorted(maps.Keys(declares(one.wanted))) {
			if other := taken[what]; other != nil && other != one {
				return one, &ConflictError{What: what, Other: other.name}
			}
			taken[what] = one
		}
	}
	return nil, nil
}

// chosen is what is to run of a source.
func (s *source) chosen(lost map[*source]*ConflictError) []*orkv1.Katalog {
	if s.wanted == nil || lost[s] != nil {
		return s.running
	}
	return s.wanted
}

// declares lists what only one source may declare: names of CRDs, and kinds that are operated.
func declares(katalogs []*orkv1.Katalog) map[string]bool {
	all := map[string]bool{}
	for _, katalog := range katalogs {
		for name, crd := range katalog.Spec.CRDs {
			all["CRD "+name] = true
			if types := crd.APITypes; types.Kind != "" && (crd.Enabled == nil || *crd.Enabled) {
				all[fmt.Sprintf("kind %s of %s/%s", types.Kind, types.Group, types.Version)] = true
			}
		}
	}
	return all
}
