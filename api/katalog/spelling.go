package katalog

import (
	"reflect"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// respelling brings one other spelling of a type into the shape of its Go type, on the node, before it is decoded.
type respelling func(d *decoder, n *node, path string)

// respellings lists the other spellings by type, in the order in which they are tried. A spelling of an older generation
// is reported as a warning, an equally good one is not.
var respellings = map[reflect.Type][]respelling{
	typeMotif: {
		asField("notes", "functions", older),
		drop("metadata", "clusterName", "createdBy", "projects"),
	},
	typeKatalog: {
		asField("notes", "functions", older),
		into("about", "metadata", "version", "description", "author", "license", "tags"),
		drop("metadata", "clusterName", "createdBy", "projects"),
		move("metadata.deprecation", "lifecycle.deprecation", older),
		move("security.gatewayEndpoint", "gateway.endpoint", older),
		providersOfBlocks,
	},
	reflect.TypeFor[orkv1.KatalogSpec](): {
		namedList("crds"),
	},
	typeCRD: {
		move("reconciler", "operatorBox", older),
		move("operatorBox.reconcile", "operatorBox.reconciler", current),
		move("workers", "operatorBox.reconciler.workers", older),
		move("resync", "operatorBox.reconciler.resync", older),
		move("queue", "operatorBox.reconciler.queue", older),
		move("operatorBox.normalize", "normalize", current),
		move("operatorBox.reconciler.imports", "imports", current),
		move("admission.validation", "validation", current),
		move("admission.mutation", "mutation", current),
		dependencyList,
		asField("setup", "apply", current),
	},
	typeBox: {
		move("reconcile", "reconciler", current),
		move("reconciler.onCreate", "onCreate", current),
		move("reconciler.onReconcile", "onReconcile", current),
		move("reconciler.onDelete", "onDelete", current),
		move("emit.status", "status", current),
		move("default", "reconciler.default", older),
		move("workers", "reconciler.workers", older),
		move("resync", "reconciler.resync", older),
		move("queue", "reconciler.queue", older),
		move("hooks", "reconciler.hooks", older),
		move("constructor", "reconciler.constructor", older),
		move("enqueueGate", "preReconcile.enqueueGate", current),
		move("reconcileGate", "preReconcile.reconcileGate", current),
		move("watch", "observe.watch", older),
		move("events", "observe.events", older),
	},
	reflect.TypeFor[orkv1.Reconciler](): {
		oneOrMore("requeue"),
	},
	reflect.TypeFor[orkv1.Queue](): {
		plainQueueType,
		wholeThreshold,
	},
	reflect.TypeFor[orkv1.RetryBackoff]():    {scalarAs("initial")},
	reflect.TypeFor[orkv1.Dependency]():      {scalarAs("condition")},
	reflect.TypeFor[orkv1.Enrichment]():      {scalarAs("name"), keyAsName},
	typeProvided:                             {actionAsKind},
	reflect.TypeFor[orkv1.ManagedResource](): {scalarAs("kind")},
	reflect.TypeFor[orkv1.ClaimMatch]():      {scalarAs("equals")},
	reflect.TypeFor[orkv1.ServiceNames]():    {oneServiceName},
	reflect.TypeFor[orkv1.Hooks]():           {move("resources", "managedResources", older)},
	reflect.TypeFor[orkv1.Constructor]():     {move("resources", "managedResources", older)},
	reflect.TypeFor[orkv1.ConfigMap]():       {move("copyToNamespaces", "toNamespaces", current)},
	reflect.TypeFor[orkv1.Secret]():          {move("copyToNamespaces", "toNamespaces", current)},
	reflect.TypeFor[orkv1.NetworkPolicy]():   {move("copyToNamespaces", "toNamespaces", current)},
	reflect.TypeFor[orkv1.ResourceQuota]():   {move("copyToNamespaces", "toNamespaces", current)},
	reflect.TypeFor[orkv1.LimitRange]():      {move("copyToNamespaces", "toNamespaces", current)},
	reflect.TypeFor[orkv1.ExternalCall]():    {tokenVariable},
	reflect.TypeFor[orkv1.Serve]():           {move("targets", "target", older), targetName, oneName("cluster", "clusters")},
	reflect.TypeFor[orkv1.ServeTarget]():     {oneName("cluster", "clusters")},
	reflect.TypeFor[orkv1.ServeToken]():      {asField("permissions", "global", older)},
	reflect.TypeFor[orkv1.ServeApply]():      {move("targetOverride", "overrides.targetConflict", older)},
	reflect.TypeFor[orkv1.OperatorAutoscale](): {
		move("when", "conditions.when", older),
		move("or", "conditions.or", older),
		move("anyOf", "conditions.or", older),
	},
	reflect.TypeFor[orkv1.Block]():          blockSpellings,
	reflect.TypeFor[orkv1.MotifResources](): blockSpellings,
}

var blockSpellings = []respelling{
	move("configmaps", "configMaps", older),
	move("cronjobs", "cronJobs", older),
	move("statefulsets", "statefulSets", older),
	move("serviceaccounts", "serviceAccounts", older),
	move("rolebindings", "roleBindings", older),
	move("pvcs", "persistentVolumeClaims", older),
	move("pdbs", "pdb", older),
	move("hpas", "hpa", older),
}

// gateSpelling holds for every type with when and or.
var gateSpelling = move("anyOf", "or", older)

// age tells whether a spelling is of an older generation.
type age bool

const (
	older   age = true
	current age = false
)

// respell takes in what n includes and then applies the other spellings of its type.
func (d *decoder) respell(n *node, t reflect.Type, path string) {
	d.includer.object(d, n, t, path)
	for _, apply := range respellings[t] {
		apply(d, n, path)
	}
	if n.kind == kindMap && infoOf(t).gated {
		gateSpelling(d, n, path)
	}
}

// move takes a value from one dotted path below a node to another. A value at both is an error.
func move(from, to string, a age) respelling {
	return func(d *decoder, n *node, path string) {
		parents, key := walk(n, from)
		if parents == nil {
			return
		}
		source := parents[len(parents)-1]
		target := n
		steps := strings.Split(to, ".")
		for _, step := range steps[:len(steps)-1] {
			if target = child(target, step, source.fields[source.index(key)].pos); target == nil {
				return // not a map: the decoder says so
			}
		}
		last := steps[len(steps)-1]
		e, _ := source.take(key)
		if i := target.index(last); i >= 0 {
			d.errorf(e.pos, join(path, from), "%s and %s (line %d) mean the same; keep %s", from, to, target.fields[i].pos.Line, to)
			removeEmpty(parents, strings.Split(from, "."))
			return
		}
		target.put(entry{last, e.pos, e.value})
		removeEmpty(parents, strings.Split(from, "."))
		if a == older {
			d.warnf(e.pos, join(path, from), "older spelling; write %s", to)
		}
	}
}

// walk returns the maps from n to the one that holds the last key of a dotted path, or nil.
func walk(n *node, dotted string) (parents []*node, key string) {
	steps := strings.Split(dotted, ".")
	for i, step := range steps {
		if n.index(step) < 0 {
			return nil, ""
		}
		parents = append(parents, n)
		if i == len(steps)-1 {
			return parents, step
		}
		n = n.get(step)
	}
	return nil, ""
}

// child returns the map under a key and makes it if the key is absent. It is nil when something else stands there.
func child(n *node, key string, pos Position) *node {
	found := n.get(key)
	if found == nil || found.isNull() {
		n.take(key)
		found = newMap(pos)
		n.put(entry{key, pos, found})
	}
	if found.kind != kindMap {
		return nil
	}
	return found
}

// removeEmpty drops the maps that the last move has emptied, so that they are not read as declared.
func removeEmpty(parents []*node, steps []string) {
	for i := len(parents) - 1; i > 0 && len(parents[i].fields) == 0; i-- {
		parents[i-1].take(steps[i-1])
	}
}

// into moves keys from one field to another.
func into(to, from string, keys ...string) respelling {
	return func(d *decoder, n *node, path string) {
		for _, key := range keys {
			move(from+"."+key, to+"."+key, current)(d, n, path)
		}
	}
}

// drop ignores keys that other programs keep in a field.
func drop(from string, keys ...string) respelling {
	return func(d *decoder, n *node, path string) {
		for _, key := range keys {
			if e, ok := n.get(from).takeFrom(key); ok {
				d.warnf(e.pos, join(join(path, from), key), "the key has no meaning here and is ignored")
			}
		}
	}
}

// asField wraps a list, or a single text, that stands in place of a map with one field.
func asField(key, name string, a age) respelling {
	return func(d *decoder, n *node, path string) {
		i := n.index(key)
		if i < 0 || n.fields[i].value.kind == kindMap || n.fields[i].value.isNull() {
			return
		}
		e := &n.fields[i]
		if e.value.kind == kindScalar {
			e.value = &node{kind: kindList, pos: e.value.pos, items: []*node{e.value}}
		}
		wrapped := newMap(e.value.pos)
		wrapped.put(entry{name, e.pos, e.value})
		e.value = wrapped
		if a == older {
			d.warnf(e.pos, join(path, key), "older spelling; write %s.%s", key, name)
		}
	}
}

// scalarAs wraps a text that stands in place of a map with one field.
func scalarAs(name string) respelling {
	return func(_ *decoder, n *node, _ string) {
		if !n.isText() {
			return
		}
		inner := *n
		*n = *newMap(inner.pos)
		n.put(entry{name, inner.pos, &inner})
	}
}

// oneOrMore wraps a map that stands in place of a list with one element.
func oneOrMore(key string) respelling {
	return func(_ *decoder, n *node, _ string) {
		if i := n.index(key); i >= 0 && n.fields[i].value.kind == kindMap {
			only := n.fields[i].value
			n.fields[i].value = &node{kind: kindList, pos: only.pos, items: []*node{only}}
		}
	}
}

func (n *node) takeFrom(key string) (entry, bool) {
	if n == nil {
		return entry{}, false
	}
	return n.take(key)
}
