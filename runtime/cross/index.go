package cross

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Asker is a resource that reads others.
type Asker struct {
	CRD string
	types.NamespacedName
}

// Index knows who reads what: for each asker what it read last, and nothing of one that is forgotten. A change is looked up by the name and the
// labels of what changed, and not by going through the askers. It is safe for concurrent use.
type Index struct {
	mu sync.RWMutex // guards the rest
	// queries are those of each asker, which are never changed.
	queries map[Asker][]Query
	// entries have the askers of each entry, by what their queries can be found by.
	entries map[Entry]map[feature]map[Asker]struct{}
}

// feature is something of a resource that a query wants.
type feature struct {
	kind      kindOfFeature
	namespace string
	// value is a name, or a label as key=value.
	value string
}

type kindOfFeature int

const (
	// whole is what every query wants: that there is the entry.
	whole kindOfFeature = iota
	byName
	byLabel
	byNothing
)

// everywhere stands for all namespaces, and can't be the name of one.
const everywhere = "*"

// NewIndex returns an Index of nobody.
func NewIndex() *Index {
	return &Index{queries: map[Asker][]Query{}, entries: map[Entry]map[feature]map[Asker]struct{}{}}
}

// Set notes what an asker reads, in the place of what it read before. The queries must not be changed any more.
func (i *Index) Set(who Asker, queries []Query) {
	i.mu.RLock()
	same := slices.EqualFunc(i.queries[who], queries, func(a, b Query) bool { return a.equal(&b) })
	i.mu.RUnlock()
	if same { // as in almost every cycle
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.forgetLocked(who)
	if len(queries) == 0 {
		return
	}
	i.queries[who] = queries
	for at := range queries {
		for _, feature := range queries[at].features() {
			i.addLocked(queries[at].Entry, feature, who)
		}
	}
}

// Forget notes that an asker reads nothing any more.
func (i *Index) Forget(who Asker) {
	i.mu.RLock()
	_, known := i.queries[who]
	i.mu.RUnlock()
	if known {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.forgetLocked(who)
	}
}

// ForgetAll notes that no resource of an entry reads anything any more.
func (i *Index) ForgetAll(crd string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for who := range i.queries {
		if who.CRD == crd {
			i.forgetLocked(who)
		}
	}
}

// Len is how many askers there are.
func (i *Index) Len() int {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return len(i.queries)
}

// Of are those who read from one of the entries, which are different names of one.
func (i *Index) Of(entries ...Entry) []Asker {
	i.mu.RLock()
	defer i.mu.RUnlock()
	found := map[Asker]struct{}{}
	for _, entry := range entries {
		maps.Copy(found, i.entries[entry][feature{kind: whole}])
	}
	return slices.Collect(maps.Keys(found))
}

// Concerned are those whose queries one of the two states of a resource matches. Before is nil for one that came, after for one that went.
func (i *Index) Concerned(before, after *unstructured.Unstructured, entries ...Entry) []Asker {
	i.mu.RLock()
	defer i.mu.RUnlock()
	var found map[Asker]struct{}
	for _, entry := range entries {
		features := i.entries[entry]
		if len(features) == 0 {
			continue
		}
		for _, state := range []*unstructured.Unstructured{before, after} {
			for _, feature := range featuresOf(state) {
				for who := range features[feature] {
					if _, known := found[who]; known || !i.asksLocked(who, entry, state) {
						continue
					}
					if found == nil {
						found = map[Asker]struct{}{}
					}
					found[who] = struct{}{}
				}
			}
		}
	}
	return slices.Collect(maps.Keys(found))
}

// asksLocked tells whether one of the queries of an asker matches a resource.
func (i *Index) asksLocked(who Asker, entry Entry, object *unstructured.Unstructured) bool {
	for at := range i.queries[who] {
		if query := &i.queries[who][at]; query.Entry == entry && query.Matches(object) {
			return true
		}
	}
	return false
}

func (i *Index) addLocked(entry Entry, f feature, who Asker) {
	if i.entries[entry] == nil {
		i.entries[entry] = map[feature]map[Asker]struct{}{}
	}
	if i.entries[entry][f] == nil {
		i.entries[entry][f] = map[Asker]struct{}{}
	}
	i.entries[entry][f][who] = struct{}{}
}

func (i *Index) forgetLocked(who Asker) {
	for at := range i.queries[who] {
		entry := i.queries[who][at].Entry
		for _, feature := range i.queries[who][at].features() {
			delete(i.entries[entry][feature], who)
			if len(i.entries[entry][feature]) == 0 {
				delete(i.entries[entry], feature)
			}
		}
		if len(i.entries[entry]) == 0 {
			delete(i.entries, entry)
		}
	}
	delete(i.queries, who)
}

// features are what the query is found by: the most telling thing that it wants. A resource without a namespace is found by a query for any.
func (q *Query) features() []feature {
	wanted := feature{kind: byNothing}
	switch {
	case q.Name != "":
		wanted = feature{kind: byName, value: q.Name}
	case len(q.Labels) > 0:
		key := slices.Min(slices.Collect(maps.Keys(q.Labels)))
		wanted = feature{kind: byLabel, value: key + "=" + q.Labels[key]}
	}
	found := []feature{{kind: whole}}
	if q.Namespace == "" {
		wanted.namespace = everywhere
		return append(found, wanted)
	}
	for _, namespace := range []string{q.Namespace, ""} {
		wanted.namespace = namespace
		found = append(found, wanted)
	}
	return found
}

// featuresOf are what queries for a resource are found by.
func featuresOf(object *unstructured.Unstructured) []feature {
	if object == nil {
		return nil
	}
	metadata, _ := object.Object["metadata"].(map[string]any)
	carried, _ := metadata["labels"].(map[string]any)
	found := make([]feature, 0, 2*(len(carried)+2))
	for _, namespace := range []string{object.GetNamespace(), everywhere} {
		found = append(found, feature{byNothing, namespace, ""}, feature{byName, namespace, object.GetName()})
		for key, value := range carried {
			if text, ok := value.(string); ok {
				found = append(found, feature{byLabel, namespace, key + "=" + text})
			}
		}
	}
	return found
}
