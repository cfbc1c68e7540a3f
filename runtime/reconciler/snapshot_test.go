package reconciler

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestSnapshot(t *testing.T) {
	cases := map[string]struct {
		reason, spec, err string
	}{
		"Empty":      {reason: "a resource without a spec", spec: `{}`},
		"Usual":      {reason: "it comes back byte for byte", spec: `{"a":1,"b":1.5,"c":["x",null,true]}`},
		"Repetitive": {reason: "what counts is what it takes packed", spec: `{"a":"` + strings.Repeat("a", 10*maxSnapshot) + `"}`},
		"TooLarge": {
			reason: "an annotation can't hold it", spec: `{"a":"` + incompressible() + `"}`,
			err: "bytes compressed, and an annotation of at most 102400 keeps it",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			snapshot, err := pack([]byte(tc.spec))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("\n%s\npack(...): %v, want %s", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := unpack(snapshot)
			if err != nil || string(got) != tc.spec {
				t.Errorf("\n%s\nunpack(pack(%.100s)) = %.100s, %v", tc.reason, tc.spec, got, err)
			}
		})
	}
}

// incompressible is a text that takes more packed than a snapshot may.
func incompressible() string {
	random := make([]byte, 2*maxSnapshot)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	return base64.StdEncoding.EncodeToString(random)
}

// zip is what pack makes of any bytes.
func zip(text string) string {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	_, _ = zipped.Write([]byte(text))
	_ = zipped.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

func TestUnpackForeign(t *testing.T) {
	cases := map[string]struct{ reason, snapshot, want string }{
		"NoBase64": {reason: "any text may stand in an annotation", snapshot: "{no base64 at all}", want: "unpack: illegal base64"},
		"NoGzip":   {reason: "so may any bytes", snapshot: base64.StdEncoding.EncodeToString([]byte("hello, hello")), want: "unpack: gzip: invalid header"},
		"NoJSON":   {reason: "and any text in a right archive", snapshot: zip("spec"), want: "unpack: it is not JSON"},
		"Cut":      {reason: "a part of one", snapshot: zip(`{"a":"b"}`)[:24], want: "unpack: "},
		"Bomb":     {reason: "a small archive may unpack to much", snapshot: zip(strings.Repeat(" ", maxSpec+1)), want: "unpack: it has more than 4194304 bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := unpack(tc.snapshot); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("\n%s\nunpack(...) = %.100s, %v, want %s", tc.reason, got, err, tc.want)
			}
		})
	}
}

func TestSpecOf(t *testing.T) {
	resource := &unstructured.Unstructured{Object: map[string]any{}}
	if spec, err := specOf(resource); err != nil || string(spec) != "{}" {
		t.Errorf("specOf(no spec) = %s, %v, want {}", spec, err)
	}
	resource.Object["spec"] = map[string]any{"b": int64(1), "a": 1.0}
	if spec, err := specOf(resource); err != nil || string(spec) != `{"a":1,"b":1}` {
		t.Errorf("specOf(...) = %s, %v, want the keys in order", spec, err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(zip(`{"a":1}`))
	f.Add("")
	f.Add("H4sI")
	f.Fuzz(func(t *testing.T, snapshot string) {
		spec, err := unpack(snapshot)
		if err != nil {
			return
		}
		if len(spec) > maxSpec {
			t.Errorf("unpack(...) has %d bytes", len(spec))
		}
		if packed, err := pack(spec); err == nil {
			if again, err := unpack(packed); err != nil || !bytes.Equal(again, spec) {
				t.Errorf("unpack(pack(%q)) = %q, %v", spec, again, err)
			}
		}
	})
}
