package conditionstest

import (
	"errors"
	"time"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Now is the time of the Facts: Wednesday, the 4th of March 2026, 10:30:15 UTC.
func Now() time.Time { return time.Date(2026, time.March, 4, 10, 30, 15, 0, time.UTC) }

// Roots is a resource, as the Facts have it.
func Roots() map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": "shop", "labels": map[string]any{"example.com/tier": "gold"}},
		"spec": map[string]any{
			"replicas": int64(3), "weight": 1e6, "ratio": 2.5, "enabled": true, "paused": false, "image": "nginx:1.27", "empty": "",
			"digits": "10", "zero": int64(0), "null": nil, "none": "<no value>", "large": int64(9007199254740993),
			"list": []any{"a", "b"}, "map": map[string]any{"a": "b"}, "emptyList": []any{}, "limits": "2,4", "host": "shop.example.com",
		},
		"status": map[string]any{"phase": "Running"},
	}
}

// Facts are Roots, Now and IsUnique.
func Facts() template.Facts { return template.NewFacts(Roots(), Now).WithUnique(IsUnique) }

// IsUnique knows another resource, which has the same host, as many replicas, and nothing else. It fails for digits.
func IsUnique(path []string, value any) (bool, error) {
	if template.Text(value) == "" {
		return false, nil
	}
	switch template.Path(path).String() {
	case "spec.host":
		return value != "shop.example.com", nil
	case "spec.replicas":
		return value != int64(3), nil
	case "spec.digits":
		return false, errors.New("the cache is not filled")
	}
	return true, nil
}
