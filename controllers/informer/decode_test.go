package informer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// What is read is what client-go's own decoder reads.
func TestDecode(t *testing.T) {
	for name, text := range map[string]string{
		"Types":      `{"i":1,"n":-7,"f":1.5,"e":1e3,"t":true,"b":false,"z":null,"s":"a","l":[],"m":{},"d":[[{"a":[1]}]]}`,
		"Large":      `{"i":9223372036854775807,"more":9223372036854775808,"huge":1e400}`,
		"Whole":      `{"f":1.0,"e":1E0}`,
		"Escapes":    `{"a\n\u00e9":"\ud83d\ude00 \"x\" \\ \/"}`,
		"Letters":    `{"ünï":"cödé","日本":"\u65e5"}`,
		"Twice":      `{"a":1,"a":2}`,
		"TwiceMap":   `{"a":{"b":1},"a":{"c":2}}`,
		"Broken":     "{\"a\":\"\xff\xfe\"}",
		"HalfRune":   `{"a":"\ud83d"}`,
		"Null":       `null`,
		"Spaces":     " \n{ \"a\" :\t[ 1 , 2 ] }\r\n",
		"Cut":        `{"a":[1,`,
		"Behind":     `{} {}`,
		"List":       `[1]`,
		"Text":       `"a"`,
		"Nothing":    ``,
		"Comma":      `{"a":1,}`,
		"Name":       `{1:2}`,
		"Zero":       `{"a":01}`,
		"Control":    "{\"a\":\"\n\"}",
		"Deep":       strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500),
		"BadNumber":  `{"a":-}`,
		"BadLiteral": `{"a":nul}`,
	} {
		t.Run(name, func(t *testing.T) { compare(t, text) })
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5,"b",null,true]}`, `{"a":"\ud83d\ude00"}`, `{"a":1e400}`, `[`, "{\"\xff\":1}"} {
		f.Add(text)
	}
	f.Fuzz(compare)
}

func compare(t *testing.T, text string) {
	t.Helper()
	want := map[string]any{}
	wantErr := json.Unmarshal([]byte(text), &want)
	got, err := decode([]byte(text))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("decode(%q): error %v, want %v", text, err, wantErr)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decode(%q): -want, +got\n%s", text, diff)
	}
}

// The names of two objects are one in memory.
func TestDecodeShares(t *testing.T) {
	const text = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","labels":{"app.kubernetes.io/name":"a"}}}`
	data := []byte(text)
	const rounds = 100
	perName := testing.AllocsPerRun(rounds, func() {
		if _, err := decode(data); err != nil {
			t.Fatal(err)
		}
	})
	theirs := testing.AllocsPerRun(rounds, func() {
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatal(err)
		}
	})
	if perName >= theirs*3/4 {
		t.Errorf("%.0f allocations, and %.0f without shared texts", perName, theirs)
	}
}

var benchmarked = []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w1","namespace":"default","uid":"3b1d7a52-1f0e-4a53-9d3c-6a0a7a3f1c11","resourceVersion":"1234","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app.kubernetes.io/managed-by":"orkestra","app.kubernetes.io/name":"w1"},"annotations":{"orkestra.konductor.io/hash":"abcdef0123456789"},"ownerReferences":[{"apiVersion":"web.example.com/v1","kind":"Website","name":"w1","uid":"3b1d7a52-1f0e-4a53-9d3c-6a0a7a3f1c12","controller":true,"blockOwnerDeletion":true}],"managedFields":[{"manager":"orkestra","operation":"Apply","apiVersion":"apps/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app.kubernetes.io/managed-by":{},"f:app.kubernetes.io/name":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"w1\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{}}}}}}}}]},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"w1"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600,"template":{"metadata":{"labels":{"app":"w1"}},"spec":{"containers":[{"name":"w1","image":"nginx:1","ports":[{"containerPort":8080,"protocol":"TCP"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}}},"status":{}}`)

func BenchmarkDecode(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decode(benchmarked); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("baseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var object map[string]any
			if err := json.Unmarshal(benchmarked, &object); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// An event is read as client-go's own decoder does.
func TestDecodeEvent(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		wrong        bool
	}{
		"Order":   {reason: "whatever comes first", text: `{"object":{"a":[1]},"type":"ADDED"}`},
		"Spaces":  {reason: "however it is written", text: " { \"type\" : \"DELETED\" ,\n \"object\" : { \"a\" : 1 } } "},
		"More":    {reason: "what is not known is left out", text: `{"type":"ADDED","more":{"a":1},"object":{}}`},
		"Nothing": {reason: "an event may have no object", text: `{"type":"BOOKMARK"}`},
		"Cut":     {reason: "half of one is none", text: `{"type":"ADDED","object":{"a":`, wrong: true},
		"List":    {reason: "nor is a list", text: `["ADDED"]`, wrong: true},
		"Number":  {reason: "nor one whose type is no text", text: `{"type":1}`, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got metav1.WatchEvent
			if err := json.Unmarshal([]byte(tc.text), &want); (err != nil) != tc.wrong {
				t.Fatalf("%s: their error is %v", tc.reason, err)
			}
			err := decodeEvent([]byte(tc.text), &got)
			if (err != nil) != tc.wrong {
				t.Fatalf("%s: error %v", tc.reason, err)
			}
			if diff := cmp.Diff(want, got); !tc.wrong && diff != "" {
				t.Errorf("%s: -want, +got\n%s", tc.reason, diff)
			}
		})
	}
}
