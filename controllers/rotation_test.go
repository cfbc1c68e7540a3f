package controllers_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/controllers/core"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestRotatesAt(t *testing.T) {
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason      string
		declaration string
		annotations map[string]string
		want        time.Time
		never       bool
	}{
		"Stamped":  {reason: "so long after it was made", declaration: `{rotateAfter: 1d}`, annotations: map[string]string{"orkestra.konductor.io/generated-at": "2026-03-01T12:00:00Z"}, want: noon.Add(24 * time.Hour)},
		"Legacy":   {reason: "the other domain is read as well", declaration: `{rotateAfter: 1d}`, annotations: map[string]string{"orkestra.orkspace.io/generated-at": "2026-03-01T13:00:00+01:00"}, want: noon.Add(24 * time.Hour)},
		"Changed":  {reason: "the Katalog is right, not what the Secret says", declaration: `{rotateAfter: 2d}`, annotations: map[string]string{"orkestra.konductor.io/generated-at": "2026-03-01T12:00:00Z", "orkestra.konductor.io/rotate-after": "1d"}, want: noon.Add(48 * time.Hour)},
		"Missing":  {reason: "of unknown age: at once", declaration: `{rotateAfter: 1d}`},
		"Mangled":  {reason: "an age that can't be read is unknown", declaration: `{rotateAfter: 1d}`, annotations: map[string]string{"orkestra.konductor.io/generated-at": "yesterday"}},
		"NoRotate": {reason: "without an age it stays", declaration: `{}`, never: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			child := &unstructured.Unstructured{Object: map[string]any{}}
			child.SetAnnotations(tc.annotations)
			at, ever := kindtest.Declare(t, core.Secrets(), tc.declaration).RotatesAt(child)
			if ever == tc.never || !at.Equal(tc.want) {
				t.Errorf("\n%s\nRotatesAt(...) = %s, %t, want %s", tc.reason, at, ever, tc.want)
			}
		})
	}
}
