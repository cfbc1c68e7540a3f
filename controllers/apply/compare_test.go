package apply

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	deploymentKind    = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	networkPolicyKind = schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}
	customKind        = schema.GroupVersionKind{Group: "test.example.com", Version: "v1", Kind: "Part"}
)

func paths(found []difference) []string {
	list := make([]string, 0, len(found))
	for _, one := range found {
		list = append(list, one.path)
	}
	return list
}

func TestDifferences(t *testing.T) {
	cases := map[string]struct {
		reason            string
		kind              schema.GroupVersionKind
		desired, observed string
		want              []string
	}{
		"Equal": {
			reason: "nothing differs", kind: deploymentKind,
			desired: `{spec: {replicas: 1, paused: false}}`, observed: `{spec: {replicas: 1, paused: false}}`,
		},
		"Defaults": {
			reason: "what the server adds is not ours", kind: deploymentKind,
			desired:  `{spec: {template: {spec: {containers: [{name: a, image: x}]}}}}`,
			observed: `{spec: {replicas: 1, template: {spec: {restartPolicy: Always, containers: [{name: a, image: x, imagePullPolicy: Always}]}}}, status: {}}`,
		},
		"OtherOrder": {
			reason: "elements are found by their key", kind: deploymentKind,
			desired:  `{spec: {template: {spec: {containers: [{name: a, env: [{name: A, value: "1"}, {name: B, value: "2"}]}, {name: b}]}}}}`,
			observed: `{spec: {template: {spec: {containers: [{name: b}, {name: a, env: [{name: B, value: "2"}, {name: A, value: "1"}]}]}}}}`,
		},
		"Sidecar": {
			reason: "an injected container is somebody else's", kind: deploymentKind,
			desired:  `{spec: {template: {spec: {containers: [{name: a}], volumes: [{name: v, emptyDir: {}}]}}}}`,
			observed: `{spec: {template: {spec: {containers: [{name: proxy}, {name: a}], volumes: [{name: token}, {name: v, emptyDir: {}}]}}}}`,
		},
		"LostElement": {
			reason: "ours is missing", kind: deploymentKind,
			desired:  `{spec: {template: {spec: {containers: [{name: a}, {name: b}]}}}}`,
			observed: `{spec: {template: {spec: {containers: [{name: a}]}}}}`,
			want:     []string{"spec.template.spec.containers[b]"},
		},
		"InElement": {
			reason: "the path names the element", kind: deploymentKind,
			desired:  `{spec: {template: {spec: {containers: [{name: a, image: "x:1"}]}}}}`,
			observed: `{spec: {template: {spec: {containers: [{name: a, image: "x:2"}]}}}}`,
			want:     []string{"spec.template.spec.containers[a].image"},
		},
		"AtomicList": {
			reason: "a list without keys is one value", kind: deploymentKind,
			desired: `{args: [a, b]}`, observed: `{args: [b, a]}`, want: []string{"args[0]", "args[1]"},
		},
		"CustomList": {
			reason: "the lists of other kinds have no known keys", kind: customKind,
			desired: `{spec: {containers: [{name: a}]}}`, observed: `{spec: {containers: [{name: a}, {name: b}]}}`,
			want: []string{"spec.containers"},
		},
		"CustomDefaults": {
			reason: "the elements of a list may have been completed", kind: customKind,
			desired: `{spec: {steps: [{id: a}]}}`, observed: `{spec: {steps: [{id: a, weight: 1}]}}`,
		},
		"OwnerReferences": {
			reason: "every kind has those, by uid", kind: customKind,
			desired: `{metadata: {ownerReferences: [{uid: b, name: n}]}}`, observed: `{metadata: {ownerReferences: [{uid: a}, {uid: b, name: n}]}}`,
		},
		"Quantity": {
			reason: "the server spells quantities its own way", kind: deploymentKind,
			desired:  `{resources: {requests: {cpu: 1000m, memory: 1024Mi, pods: 2}}}`,
			observed: `{resources: {requests: {cpu: "1", memory: 1Gi, pods: "2"}}}`,
		},
		"OtherQuantity": {
			reason: "another amount", kind: deploymentKind,
			desired: `{resources: {requests: {cpu: 1000m}}}`, observed: `{resources: {requests: {cpu: "2"}}}`,
			want: []string{"resources.requests.cpu"},
		},
		"HugeQuantity": {
			reason: "an exponent that would be computed digit by digit is a text", kind: deploymentKind,
			desired: `{resources: {requests: {cpu: "1e-999999999"}}}`, observed: `{resources: {requests: {cpu: "1"}}}`,
			want: []string{"resources.requests.cpu"},
		},
		"QuantityOfACustomKind": {
			reason: "who knows what it means there", kind: customKind,
			desired: `{spec: {cpu: 1000m}}`, observed: `{spec: {cpu: "1"}}`, want: []string{"spec.cpu"},
		},
		"Text": {
			reason: "where text is text, 1000m is not 1", kind: deploymentKind,
			desired: `{metadata: {labels: {a: 1000m}, annotations: {a: 1000m}}, data: {a: 1000m}, stringData: {a: 1000m},
  spec: {selector: {matchLabels: {a: 1000m}}, template: {metadata: {labels: {a: 1000m}, annotations: {a: 1000m}},
    spec: {nodeSelector: {a: 1000m}, containers: [{name: a, command: [1000m], args: [1000m], env: [{name: A, value: 1000m}]}]}}}}`,
			observed: `{metadata: {labels: {a: "1"}, annotations: {a: "1"}}, data: {a: "1"}, stringData: {a: "1"},
  spec: {selector: {matchLabels: {a: "1"}}, template: {metadata: {labels: {a: "1"}, annotations: {a: "1"}},
    spec: {nodeSelector: {a: "1"}, containers: [{name: a, command: ["1"], args: ["1"], env: [{name: A, value: "1"}]}]}}}}`,
			want: []string{
				"data.a", "metadata.annotations.a", "metadata.labels.a", "spec.selector.matchLabels.a",
				"spec.template.metadata.annotations.a", "spec.template.metadata.labels.a",
				"spec.template.spec.containers[a].args[0]", "spec.template.spec.containers[a].command[0]",
				"spec.template.spec.containers[a].env[A].value", "spec.template.spec.nodeSelector.a", "stringData.a",
			},
		},
		"Protocol": {
			reason: "the default is part of the key", kind: deploymentKind,
			desired:  `{spec: {ports: [{port: 53, protocol: UDP}, {port: 53}], containers: [{name: a, ports: [{containerPort: 80}]}]}}`,
			observed: `{spec: {ports: [{port: 53, protocol: TCP}, {port: 53, protocol: UDP}], containers: [{name: a, ports: [{containerPort: 80, protocol: TCP}]}]}}`,
		},
		"ProtocolDiffers": {
			reason: "a port of another protocol is another port", kind: deploymentKind,
			desired: `{spec: {ports: [{port: 53, protocol: UDP}]}}`, observed: `{spec: {ports: [{port: 53, protocol: TCP}]}}`,
			want: []string{"spec.ports[53/UDP]"},
		},
		"NarrowedSelector": {
			reason: "a selector is one value: with one more label a Service finds nothing", kind: schema.GroupVersionKind{Version: "v1", Kind: "Service"},
			desired: `{spec: {selector: {app: a}}}`, observed: `{spec: {selector: {app: a, extra: x}}}`, want: []string{"spec.selector"},
		},
		"NarrowedMatchLabels": {
			reason: "so are the labels of a selector of labels, and its expressions", kind: schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
			desired:  `{spec: {selector: {matchLabels: {app: a}}}}`,
			observed: `{spec: {selector: {matchLabels: {app: a, extra: x}, matchExpressions: [{key: b, operator: Exists}]}}}`,
			want:     []string{"spec.selector", "spec.selector.matchLabels"},
		},
		"SelectorOfAll": {
			reason: "an empty selector means all pods, and no longer does with a label", kind: networkPolicyKind,
			desired: `{spec: {podSelector: {}}}`, observed: `{spec: {podSelector: {matchLabels: {a: b}}}}`, want: []string{"spec.podSelector"},
		},
		"SelectorOfAllAsTheServerHasIt": {
			reason: "the server leaves empty maps and lists out", kind: networkPolicyKind,
			desired:  `{spec: {podSelector: {matchLabels: {}}, ingress: [{from: [{namespaceSelector: {}}]}], egress: []}}`,
			observed: `{spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}}`,
		},
		"WidenedPolicy": {
			reason: "rules, their peers and their ports are one value", kind: networkPolicyKind,
			desired:  `{spec: {ingress: [{ports: [{port: 80}]}, {from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}}`,
			observed: `{spec: {ingress: [{ports: [{port: 80, protocol: TCP}, {port: 22, protocol: TCP}]}, {from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}], ports: [{port: 1}]}]}}`,
			want:     []string{"spec.ingress", "spec.ingress[0].ports", "spec.ingress[1].from[0].ipBlock"},
		},
		"OpenedPolicy": {
			reason: "an empty list of rules lets nothing in, and a rule of another hand is not part of it", kind: networkPolicyKind,
			desired: `{spec: {ingress: []}}`, observed: `{spec: {ingress: [{}]}}`, want: []string{"spec.ingress"},
		},
		"NarrowedRule": {
			reason: "a rule with a name grants less", kind: schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"},
			desired: `{rules: [{resources: [pods], verbs: [get]}]}`, observed: `{rules: [{resources: [pods], verbs: [get], resourceNames: [x]}]}`,
			want: []string{"rules"},
		},
		"NodeSelector": {
			reason: "that of a workload is one value; to that of a Pod admission adds", kind: deploymentKind,
			desired:  `{spec: {nodeSelector: {a: b}, template: {spec: {nodeSelector: {a: b}}}}}`,
			observed: `{spec: {nodeSelector: {a: b, c: d}, template: {spec: {nodeSelector: {a: b, c: d}}}}}`,
			want:     []string{"spec.template.spec.nodeSelector"},
		},
		"CustomSelector": {
			reason: "who knows what it is there", kind: customKind,
			desired: `{spec: {selector: {a: b}, rules: [{a: b}]}}`, observed: `{spec: {selector: {a: b, c: d}, rules: [{a: b, c: d}]}}`,
		},
		"WriteOnly": {
			reason: "a field that is never shown is a difference, to be learned from the answer", kind: deploymentKind,
			desired: `{stringData: {a: b}}`, observed: `{data: {a: Yg==}}`, want: []string{"stringData.a"},
		},
		"EmptyAndAbsent": {
			reason: "what is empty need not be kept", kind: customKind,
			desired: `{a: "", b: null, c: {}, d: []}`, observed: `{}`,
		},
		"KindOfAnotherVersion": {
			reason: "the object was found by its kind", kind: customKind,
			desired: `{apiVersion: a/v1, kind: A}`, observed: `{apiVersion: a/v2, kind: A}`,
		},
		"OtherType": {
			reason: "a value in the place of a map or list", kind: customKind,
			desired: `{a: {b: 1}, c: [1], d: 1}`, observed: `{a: x, c: x, d: [1]}`, want: []string{"a", "c", "d"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired, observed := parse(t, tc.desired), parse(t, tc.observed)
			want := tc.want
			if want == nil {
				want = []string{}
			}
			if diff := cmp.Diff(want, paths(differences(tc.kind, desired, observed))); diff != "" {
				t.Errorf("\n%s\ndifferences(...): -want, +got:\n%s", tc.reason, diff)
			}
			if holds(desired, observed) && len(tc.want) > 0 {
				t.Errorf("\n%s\nholds(...) = true although something differs", tc.reason)
			}
		})
	}
}

func TestHolds(t *testing.T) {
	cases := map[string]struct {
		reason            string
		desired, observed any
		want              bool
	}{
		"More":          {reason: "more is allowed in maps", desired: map[string]any{"a": "1"}, observed: map[string]any{"a": "1", "b": "1"}, want: true},
		"MoreInList":    {reason: "and not in lists", desired: []any{"a"}, observed: []any{"a", "b"}},
		"IntAndFloat":   {reason: "numbers are compared by value", desired: int64(3), observed: 3.0, want: true},
		"FloatAndInt":   {reason: "numbers are compared by value", desired: 3.0, observed: int64(3), want: true},
		"Floats":        {reason: "numbers are compared by value", desired: 3.5, observed: 3.5, want: true},
		"NumberAndText": {reason: "a text is no number", desired: int64(3), observed: "3"},
		"Bools":         {reason: "booleans by their value", desired: true, observed: false},
		"BoolAndText":   {reason: "a text is no boolean", desired: true, observed: "true"},
		"Null":          {reason: "null and absent are the same", desired: nil, observed: nil, want: true},
		"EmptyMap":      {reason: "an empty map need not be kept", desired: map[string]any{}, observed: nil, want: true},
		"EmptyList":     {reason: "an empty list need not be kept", desired: []any{}, observed: nil, want: true},
		"MapAndText":    {reason: "other types", desired: map[string]any{}, observed: "x"},
		"Unknown":       {reason: "what JSON cannot hold is equal to nothing", desired: struct{}{}, observed: struct{}{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := holds(tc.desired, tc.observed); got != tc.want {
				t.Errorf("\n%s\nholds(%v, %v) = %t, want %t", tc.reason, tc.desired, tc.observed, got, tc.want)
			}
		})
	}
}

func TestHoldsAllocatesNothing(t *testing.T) {
	object := parse(t, deployment)
	if n := testing.AllocsPerRun(100, func() { holds(object, object) }); n > 0 {
		t.Errorf("holds allocates %v times: it is asked on every cycle", n)
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(`{"spec":{"a":1,"l":[{"name":"x","v":"1000m"}]}}`, `{"spec":{"a":1.0,"l":[{"name":"y"},{"name":"x","v":"1"}]}}`)
	f.Add(`{"ports":[{"port":1},{"port":1,"protocol":"UDP"}]}`, `{"ports":[{"port":1,"protocol":"TCP"}]}`)
	f.Add(`{"a":null,"b":"","c":[],"d":{}}`, `{}`)
	f.Add(`{"env":[{"name":null}]}`, `{"env":[null]}`)
	f.Add(`{"selector":{"a":"b"},"rules":[{}]}`, `{"selector":{"a":"b","c":""},"rules":[{"c":"d"}]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		desired, ok := decode(a)
		if !ok {
			return
		}
		observed, ok := decode(b)
		if !ok {
			return
		}
		if again, _ := decode(a); hashOf(desired) != hashOf(again) || !holds(desired, again) {
			t.Errorf("%s does not equal itself", a)
		}
		for _, kind := range []schema.GroupVersionKind{deploymentKind, customKind} {
			found := paths(differences(kind, desired, observed))
			if holds(desired, observed) && len(found) > 0 {
				t.Errorf("%s is held by %s, but %v differ", a, b, found)
			}
			if again := paths(differences(kind, desired, observed)); !slices.Equal(found, again) {
				t.Errorf("differences are %v and then %v", found, again)
			}
		}
		if hashOf(desired) == hashOf(observed) && (!holds(desired, observed) || !holds(observed, desired)) {
			t.Errorf("%s and %s have one hash and differ", a, b)
		}
	})
}
