package box_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestObserve(t *testing.T) {
	set := only(t, `
apiTypes: {group: example.com, version: v1, kind: Website}
operatorBox:
  observe:
    watch:
    - {apiVersion: v1, kind: ConfigMap, namespace: platform, name: flags, "on": [update]}
    - {apiVersion: batch/v1, kind: Job, labelSelector: {b: "2", a: "1"}, keyFrom: {label: demo.io/owner}}
    events:
      dbReady: {reason: DatabaseReady, regarding: {apiVersion: db.io/v1, kind: Database, name: "{{ .spec.dbRef }}"}}
      any: {type: Warning, regarding: {kind: Node}}
  reconciler:
    hooks:
      location: x
      function: New
      managedResources: [{kind: Deployment}, {apiVersion: v1, kind: ConfigMap}, {kind: Deployment}]
`)
	var got []string
	for _, one := range set.Selections() {
		got = append(got, one.String())
	}
	want := []string{"ConfigMap platform/flags", "Job.batch with a=1,b=2", "Deployment.apps", "ConfigMap", "Event.events.k8s.io"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is observed: -want, +got:\n%s", diff)
	}
	watches := set.Effective("").Watches
	flags, jobs, deployments, configMaps := watches[0], watches[1], watches[2], watches[3]
	if flags.On != box.Updated || jobs.On != box.Created|box.Updated|box.Deleted {
		t.Errorf("on = %b and %b, want update alone and all three", flags.On, jobs.On)
	}
	if flags.Implicit || jobs.Implicit || !deployments.Implicit || !configMaps.Implicit {
		t.Error("the kinds that Go code writes are watched implicitly, and no others")
	}
	events := set.Effective("").EventWatches
	if len(events) != 2 || events[0].Name != "any" || events[0].PerResource() || !events[1].PerResource() {
		t.Errorf("%v, want any, which is the same for all, and dbReady, which is not", events)
	}
}

// An explicit watch of a kind has priority over the implicit one for the objects that it takes in, and for no others.
func TestImplicitWatchLeaves(t *testing.T) {
	object := func(namespace, name, label string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		o.SetNamespace(namespace)
		o.SetName(name)
		o.SetLabels(map[string]string{"a": label})
		return o
	}
	cases := map[string]struct {
		reason, explicit string
		object           *unstructured.Unstructured
		want             bool
	}{
		"None":           {reason: "without an explicit watch the implicit one sees all", object: object("x", "one", "1")},
		"All":            {reason: "one that takes in all has priority everywhere", explicit: `{apiVersion: v1, kind: ConfigMap}`, object: object("x", "one", "1"), want: true},
		"OtherKind":      {reason: "one of another kind has none", explicit: `{apiVersion: v1, kind: Secret}`, object: object("x", "one", "1")},
		"OtherVersion":   {reason: "the version of a kind does not matter", explicit: `{apiVersion: v2, kind: ConfigMap}`, object: object("x", "one", "1"), want: true},
		"Name":           {reason: "one for a name has it for that", explicit: `{apiVersion: v1, kind: ConfigMap, name: one}`, object: object("x", "one", "1"), want: true},
		"OtherName":      {reason: "and for no other", explicit: `{apiVersion: v1, kind: ConfigMap, name: z}`, object: object("x", "one", "1")},
		"OtherNamespace": {reason: "one for a namespace has it there alone", explicit: `{apiVersion: v1, kind: ConfigMap, namespace: z}`, object: object("x", "one", "1")},
		"Label":          {reason: "one for a label has it for objects with the label", explicit: `{apiVersion: v1, kind: ConfigMap, labelSelector: {a: "1"}}`, object: object("x", "one", "1"), want: true},
		"OtherLabel":     {reason: "and for no others", explicit: `{apiVersion: v1, kind: ConfigMap, labelSelector: {a: "2"}}`, object: object("x", "one", "1")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := only(t, `
apiTypes: {group: example.com, version: v1, kind: Website}
operatorBox:
  observe: {watch: [`+tc.explicit+`]}
  reconciler: {default: false, constructor: {location: x, function: New, managedResources: [{kind: ConfigMap}]}}`)
			watches := set.Effective("").Watches
			if got := watches[len(watches)-1].Leaves(tc.object); got != tc.want {
				t.Errorf("\n%s\nLeaves(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestObserveErrors(t *testing.T) {
	const at = "spec.crds[website].operatorBox."
	cases := map[string]struct {
		reason, box string
		want        []string
	}{
		"Versions": {
			reason: "a version is one",
			box:    `observe: {watch: [{apiVersion: a/b/c, kind: Job}], events: {a: {regarding: {apiVersion: a/b/c}}}}`,
			want: []string{
				at + `observe.watch[0].apiVersion: Invalid value: "a/b/c": want a version such as v1, or a group and a version such as apps/v1`,
				at + `observe.events[a].regarding.apiVersion: Invalid value: "a/b/c": want a version such as v1, or a group and a version such as apps/v1`,
			},
		},
		"Index": {
			reason: "the path of an index is read before anything runs",
			box:    `observe: {watch: [{apiVersion: batch/v1, kind: Job, index: [{name: a, field: ".a[x]"}]}]}`,
			want: []string{
				at + `observe.watch[0].index[0].field: Invalid value: ".a[x]": "x" is neither a position nor a quoted key; ` +
					`want a path such as .metadata.ownerReferences[0].name or .metadata.labels['app.kubernetes.io/name']`,
			},
		},
		"Managed": {
			reason: "a kind alone must be known",
			box:    `reconciler: {hooks: {location: x, function: New, managedResources: [{kind: Zebra}, {apiVersion: v1}]}}`,
			want: []string{
				at + `reconciler.hooks.managedResources[0].apiVersion: Required value: Zebra is no built-in kind`,
				at + `reconciler.hooks.managedResources[1].kind: Required value: which objects to watch`,
			},
		},
		"Selecting": {
			reason: "resources are told apart by what is theirs, before there is a cycle",
			box: `observe:
    watch: [{apiVersion: v1, kind: Secret, keyFrom: {name: "{{ .children.secret.metadata.name }}"}}]
    events:
      a: {regarding: {name: "{{ .cross.db.name }}"}}
      b: {regarding: {name: "{{ .events.b.regarding.name }}"}}
      c: {related: {namespace: "{{ toJson . }}"}}
      d: {regarding: {name: "{{ .watched.metadata.name }}"}}`,
			want: []string{
				at + `observe.watch[0].keyFrom.name: Invalid value: "{{ .children.secret.metadata.name }}": reads .children, which is not known when a change is observed; valid: .apiVersion, .kind, .metadata, .spec, .status, .target, .watched`,
				at + `observe.events[a].regarding.name: Invalid value: "{{ .cross.db.name }}": reads .cross, which is not known when a change is observed; valid: .apiVersion, .kind, .metadata, .spec, .status, .target`,
				at + `observe.events[b].regarding.name: Invalid value: "{{ .events.b.regarding.name }}": reads .events, which is not known when a change is observed; valid: .apiVersion, .kind, .metadata, .spec, .status, .target`,
				at + `observe.events[c].related.namespace: Invalid value: "{{ toJson . }}": reads everything, which is not known when a change is observed; valid: .apiVersion, .kind, .metadata, .spec, .status, .target`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, wrong := compile(t, "apiTypes: {group: example.com, version: v1, kind: Website}\noperatorBox:\n  "+tc.box)
			if len(wrong) > len(tc.want) && name == "Selecting" {
				wrong = wrong[:len(tc.want)] // the last one is an unknown root, which is told as everywhere
			}
			if diff := cmp.Diff(tc.want, wrong); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRulesOfObservations(t *testing.T) {
	set := only(t, `
apiTypes: {group: example.com, version: v1, kind: Website}
operatorBox:
  observe:
    watch: [{apiVersion: v1, kind: Secret}]
    events: {a: {reason: x}}
  reconciler: {hooks: {location: x, function: New, managedResources: [{apiVersion: batch/v1, kind: Job}]}}`)
	got := map[string][]string{}
	for _, rule := range box.Rules(set) {
		got[rule.Resources[0]] = rule.Verbs
	}
	want := map[string][]string{
		"secrets": {"get", "list", "watch"}, "events": {"create", "patch", "list", "watch"},
		"jobs": {"get", "list", "watch", "create", "update", "patch", "delete"},
	}
	for resource, verbs := range want {
		if diff := cmp.Diff(verbs, got[resource]); diff != "" {
			t.Errorf("the rights on %s: -want, +got:\n%s", resource, diff)
		}
	}
}
