package observe_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// listed holds the resources of an entry.
type listed []*unstructured.Unstructured

func (m listed) List() []*unstructured.Unstructured { return m }

func (m listed) Get(name types.NamespacedName) *unstructured.Unstructured {
	for _, one := range m {
		if client.ObjectKeyFromObject(one) == name {
			return one
		}
	}
	return nil
}

// parse reads an object.
func parse(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	return o
}

// widget is a resource of the entry.
func widget(tb testing.TB, namespace, name, spec string) *unstructured.Unstructured {
	tb.Helper()
	o := parse(tb, "{apiVersion: example.com/v1, kind: Widget, metadata: {resourceVersion: '1'}, spec: {"+spec+"}}")
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// scene is an entry that observes.
type scene struct {
	*observe.Observer
	queue *queue.Queue
	// counted are the counters of the one declaration.
	counted metrics.Observation
}

// observing compiles the observations of a box of Widgets, which are the given resources.
func observing(tb testing.TB, declared string, resources ...*unstructured.Unstructured) *scene {
	tb.Helper()
	katalog := &orkv1.Katalog{}
	crd := orkv1.CRD{APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Widget"}}
	if err := yaml.UnmarshalStrict([]byte(declared), &crd.OperatorBox); err != nil {
		tb.Fatalf("%v in %s", err, declared)
	}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"widget": crd}
	registry, err := builtin.Registry()
	if err != nil {
		tb.Fatal(err)
	}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		tb.Fatal(found.Errors.ToAggregate())
	}
	recorder, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		tb.Fatal(err)
	}
	s := &scene{queue: newQueue(tb)}
	crdMetrics := recorder.CRD("widget")
	s.Observer = &observe.Observer{
		Path:      &observe.Path{Set: sets[0], Queue: s.queue, Resources: listed(resources)},
		Resources: listed(resources),
		Metrics: func(source, name string) metrics.Observation {
			s.counted = crdMetrics.Observed(source, name)
			return s.counted
		},
	}
	return s
}

// watches returns the handler of all declared watches: each object goes to those that select it, as the server's informers do.
func (s *scene) watches() toolscache.ResourceEventHandler {
	var all handlers
	for _, selection := range s.Path.Set.Selections() {
		if selection == box.EventSelection {
			events := &observe.Events{Observer: s.Observer}
			all = append(all, events.Handler())
			continue
		}
		watch := &observe.Watch{Observer: s.Observer, Selection: selection}
		all = append(all, watch.Handler())
	}
	return all
}

// handlers are told of everything.
type handlers []toolscache.ResourceEventHandler

func (h handlers) OnAdd(object any, initial bool) {
	for _, one := range h {
		one.OnAdd(object, initial)
	}
}

func (h handlers) OnUpdate(before, after any) {
	for _, one := range h {
		one.OnUpdate(before, after)
	}
}

func (h handlers) OnDelete(object any) {
	for _, one := range h {
		one.OnDelete(object)
	}
}

// names are the resources that were queued, in order.
func (s *scene) names() []string {
	var names []string
	for _, one := range drain(s.queue) {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	return names
}

func TestWatchRoutes(t *testing.T) {
	resources := func(t *testing.T) []*unstructured.Unstructured {
		t.Helper()
		return []*unstructured.Unstructured{
			widget(t, "shop", "one", "ref: a"), widget(t, "shop", "two", "ref: b"), widget(t, "other", "one", "ref: a"), widget(t, "", "zone", ""),
		}
	}
	const plain = `observe: {watch: [{apiVersion: v1, kind: ConfigMap}]}`
	cases := map[string]struct {
		reason, box, object string
		want                []string
	}{
		"OwnerReference": {
			reason: "Row 51: an owned object concerns its owner", box: plain,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: one}]`, want: []string{"shop/one"},
		},
		"Defect19": {
			reason: "another served version of the kind is the same kind", box: plain,
			object: `ownerReferences: [{apiVersion: example.com/v1beta1, kind: Widget, name: one}]`, want: []string{"shop/one"},
		},
		"OwnerOfOtherGroup": {
			reason: "a kind of the same name in another group is another kind: nobody owns the object, so it concerns all", box: plain,
			object: `ownerReferences: [{apiVersion: other.com/v1, kind: Widget, name: one}]`,
			want:   []string{"/zone", "other/one", "shop/one", "shop/two"},
		},
		"ClusterScopedOwner": {
			reason: "an owner without a namespace is found by its name", box: plain,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: zone}]`, want: []string{"/zone"},
		},
		"TwoOwners": {
			reason: "an object with two owners concerns both", box: plain,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: one}, {apiVersion: example.com/v1, kind: Widget, name: two}]`,
			want:   []string{"shop/one", "shop/two"},
		},
		"OwnerIsGone": {
			reason: "one whose owner is not there concerns nobody", box: plain,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: gone}]`,
		},
		"OwnerAnnotation": {
			reason: "a child in another namespace says itself whose it is", box: plain,
			object: `annotations: {orkestra.konductor.io/owner: Widget.example.com/other/one}`, want: []string{"other/one"},
		},
		"OtherOwnerAnnotation": {
			reason: "a child of another kind's resource has no owner here", box: `reconciler: {hooks: {location: x, function: F, managedResources: [{kind: ConfigMap}]}}`,
			object: `annotations: {orkestra.konductor.io/owner: Other.example.com/other/one}`,
		},
		"Broadcast": {
			reason: "Row 53: an object that leads nowhere concerns all", box: plain, object: ``,
			want: []string{"/zone", "other/one", "shop/one", "shop/two"},
		},
		"Implicit": {
			reason: "Row 55: an object of a managed kind concerns its owner", box: `reconciler: {hooks: {location: x, function: F, managedResources: [{kind: ConfigMap}]}}`,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: two}]`, want: []string{"shop/two"},
		},
		"ImplicitNeverBroadcasts": {
			reason: "Row 55: and without an owner nobody", box: `reconciler: {hooks: {location: x, function: F, managedResources: [{kind: ConfigMap}]}}`, object: ``,
		},
		"Label": {
			reason: "Row 52, Defect15: a label holds a name, which is one in the namespace of the object", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: demo.io/owner}}]}`,
			object: `labels: {demo.io/owner: one}`, want: []string{"shop/one"},
		},
		"LabelOfClusterScoped": {
			reason: "or one without a namespace", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: demo.io/owner}}]}`,
			object: `labels: {demo.io/owner: zone}`, want: []string{"/zone"},
		},
		"LabelOfNobody": {
			reason: "a label that names nobody decides all the same", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: demo.io/owner}}]}`,
			object: `labels: {demo.io/owner: gone}`,
		},
		"NoLabel": {
			reason: "without the label the owner decides", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: demo.io/owner}}]}`,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: two}]`, want: []string{"shop/two"},
		},
		"Annotation": {
			reason: "an annotation may name a namespace as well", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {annotation: demo.io/owner}}]}`,
			object: `annotations: {demo.io/owner: other/one}`, want: []string{"other/one"},
		},
		"BareAnnotation": {
			reason: "and is a name in the object's namespace otherwise", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {annotation: demo.io/owner}}]}`,
			object: `annotations: {demo.io/owner: two}`, want: []string{"shop/two"},
		},
		"Name": {
			reason: "Row 52: a name is that of one resource", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {name: one, namespace: other}}]}`,
			object: ``, want: []string{"other/one"},
		},
		"NameBeforeOwner": {
			reason: "the owner is not asked then", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {name: one}}]}`,
			object: `ownerReferences: [{apiVersion: example.com/v1, kind: Widget, name: two}]`, want: []string{"shop/one"},
		},
		"NameOfObject": {
			reason: "a name may come from the object", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {name: "{{ .watched.metadata.annotations.of }}"}}]}`,
			object: `annotations: {of: two}`, want: []string{"shop/two"},
		},
		"NameOfResource": {
			reason: "or from the resource, which then says whether it is the one",
			box:    `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {name: "{{ if eq .spec.ref .watched.metadata.annotations.ref }}{{ .metadata.name }}{{ end }}", namespace: "{{ .metadata.namespace }}"}}]}`,
			object: `annotations: {ref: a}`, want: []string{"other/one", "shop/one"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := observing(t, tc.box, resources(t)...)
			object := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: c, resourceVersion: '2', `+tc.object+`}}`)
			s.watches().OnAdd(object, false)
			if diff := cmp.Diff(tc.want, s.names()); diff != "" {
				t.Errorf("\n%s\nwho is queued: -want, +got:\n%s", tc.reason, diff)
			}
			if queued, unrouted := testutil.ToFloat64(s.counted.Queued), testutil.ToFloat64(s.counted.Unrouted); int(queued) != len(tc.want) || (unrouted == 1) != (len(tc.want) == 0) {
				t.Errorf("counted %v queued and %v unrouted, want %d and 1 if none", queued, unrouted, len(tc.want))
			}
		})
	}
}

func TestWatchSees(t *testing.T) {
	const plain = `observe: {watch: [{apiVersion: v1, kind: ConfigMap}]}`
	configMap := func(t *testing.T, version, metadata string) *unstructured.Unstructured {
		t.Helper()
		return parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: c, resourceVersion: '`+version+`', `+metadata+`}}`)
	}
	cases := map[string]struct {
		reason, box string
		late        bool
		happens     func(*testing.T, toolscache.ResourceEventHandler)
		want        []string
		dropped     float64
	}{
		"Initial": {
			reason: "the first list is no news: the resources' own has all of them reconciled", box: plain,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnAdd(configMap(t, "1", ""), true)
			},
		},
		"Relisted": {
			reason: "the same version again is no change", box: plain,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnUpdate(configMap(t, "1", ""), configMap(t, "1", ""))
			},
		},
		"On": {
			reason: "Row 54: what is not among on is dropped", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, "on": [delete]}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnAdd(configMap(t, "1", ""), false)
				h.OnUpdate(configMap(t, "1", ""), configMap(t, "2", ""))
			},
			dropped: 2,
		},
		"Tombstone": {
			reason: "Defect14: a deletion that was not seen is one all the same", box: `observe: {watch: [{apiVersion: v1, kind: ConfigMap, "on": [delete]}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "shop/c", Obj: configMap(t, "1", "")})
			},
			want: []string{"shop/one", "shop/two"},
		},
		"ChangedHands": {
			reason: "an object that changed hands concerns the one who lost it, too",
			box:    `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: of}}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnUpdate(configMap(t, "1", "labels: {of: one}"), configMap(t, "2", "labels: {of: two}"))
			},
			want: []string{"shop/one", "shop/two"},
		},
		"GateClosed": {
			reason: "Row 56: the gate sees the sentinels of the object",
			box:    `observe: {watch: [{apiVersion: v1, kind: ConfigMap, enqueueGate: {sentinels: [labelsChanged]}}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnUpdate(configMap(t, "1", ""), configMap(t, "2", "annotations: {a: b}"))
			},
		},
		"GateOpen": {
			reason: "Row 56: and lets through what they are true of",
			box:    `observe: {watch: [{apiVersion: v1, kind: ConfigMap, enqueueGate: {sentinels: [labelsChanged]}}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnUpdate(configMap(t, "1", ""), configMap(t, "2", "labels: {a: b}"))
			},
			want: []string{"shop/one", "shop/two"},
		},
		"GateOfWatched": {
			reason: "a gate compares the resource with the object",
			box:    `observe: {watch: [{apiVersion: v1, kind: ConfigMap, enqueueGate: {when: [{field: "{{ .watched.metadata.name }}-{{ .spec.ref }}", equals: c-a}]}}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnUpdate(configMap(t, "1", ""), configMap(t, "2", ""))
			},
			want: []string{"shop/one"},
		},
		"Defect21": {
			reason: "two entries for one kind have two gates",
			box: `observe: {watch: [
  {apiVersion: v1, kind: ConfigMap, name: c, keyFrom: {name: one}, enqueueGate: {sentinels: [labelsChanged]}},
  {apiVersion: v1, kind: ConfigMap, namespace: shop, keyFrom: {name: two}, enqueueGate: {sentinels: [annotationsChanged]}}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnUpdate(configMap(t, "1", ""), configMap(t, "2", "annotations: {a: b}"))
			},
			want: []string{"shop/two"},
		},
		"ItselfIsPrimary": {
			reason: "a resource that is observed by its own kind is told of by its own source",
			box:    `observe: {watch: [{apiVersion: example.com/v1, kind: Widget}]}`,
			happens: func(t *testing.T, h toolscache.ResourceEventHandler) {
				t.Helper()
				h.OnAdd(widget(t, "shop", "one", ""), false)
			},
			want: []string{"shop/two"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := observing(t, tc.box, widget(t, "shop", "one", "ref: a"), widget(t, "shop", "two", "ref: b"))
			tc.happens(t, s.watches())
			if diff := cmp.Diff(tc.want, s.names()); diff != "" {
				t.Errorf("\n%s\nwho is queued: -want, +got:\n%s", tc.reason, diff)
			}
			if dropped := testutil.ToFloat64(s.counted.Dropped); dropped != tc.dropped {
				t.Errorf("\n%s\n%v are counted as dropped, want %v", tc.reason, dropped, tc.dropped)
			}
		})
	}
}

// An observation that came late has missed what is in its first list.
func TestWatchLate(t *testing.T) {
	s := observing(t, `observe: {watch: [{apiVersion: v1, kind: ConfigMap}]}`, widget(t, "shop", "one", ""))
	late := &observe.Watch{Observer: s.Observer, Selection: s.Path.Set.Selections()[0], Late: true}
	late.Handler().OnAdd(parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: c}}`), true)
	if diff := cmp.Diff([]string{"shop/one"}, s.names()); diff != "" {
		t.Errorf("who is queued: -want, +got:\n%s", diff)
	}
}

// The answer to a write of our own does not wake the resource for which it was written, and anybody else.
func TestWatchOwnWrites(t *testing.T) {
	s := observing(t, `observe: {watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {annotation: also}}]}`, widget(t, "shop", "one", ""), widget(t, "shop", "two", ""))
	asked := 0
	s.Foreign = func(*unstructured.Unstructured, func()) { asked++ }
	child := func(version, also string) *unstructured.Unstructured {
		return parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: c, resourceVersion: '`+version+`',
  annotations: {orkestra.konductor.io/owner: Widget.example.com/shop/one, also: `+also+`}}}`)
	}
	h := s.watches()
	h.OnAdd(child("1", "one"), false)
	h.OnUpdate(child("1", "one"), child("2", "one"))
	if got := s.names(); asked != 2 || got != nil {
		t.Errorf("%v are queued, and %d writes were asked about; want none and 2", got, asked)
	}
	h.OnUpdate(child("3", "two"), child("4", "two"))
	if diff := cmp.Diff([]string{"shop/two"}, s.names()); diff != "" {
		t.Errorf("another resource wants to know: -want, +got:\n%s", diff)
	}
	h.OnDelete(child("5", "one"))
	if diff := cmp.Diff([]string{"shop/one"}, s.names()); diff != "" {
		t.Errorf("so does the owner of what is gone: -want, +got:\n%s", diff)
	}
}

// TestDefect13 tests the namespace of the resource against those that are allowed, not that of what was observed.
func TestDefect13(t *testing.T) {
	s := observing(t, `{observe: {watch: [{apiVersion: v1, kind: ConfigMap}]}, status: {conditions: false}}`, widget(t, "shop", "one", ""), widget(t, "closed", "two", ""))
	restricted := *s.Path.Set
	restricted.Namespaces = guardOf(t, "closed")
	s.Path.Set = &restricted
	s.watches().OnAdd(parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: closed, name: c}}`), false)
	if diff := cmp.Diff([]string{"shop/one"}, s.names()); diff != "" {
		t.Errorf("who is queued: -want, +got:\n%s", diff)
	}
}

// guardOf compiles a guard that leaves a namespace alone.
func guardOf(t *testing.T, namespace string) namespaces.Guard {
	t.Helper()
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"widget": {
		APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Widget"}, RestrictedNamespaces: []string{namespace},
	}}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	sets, _ := box.CompileKatalog(katalog, box.Options{Registry: registry})
	return sets[0].Namespaces
}
