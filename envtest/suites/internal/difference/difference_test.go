package difference

import "testing"

func TestLacking(t *testing.T) {
	want := map[string]any{"a": "1000m", "list": []any{map[string]any{"name": "x"}}, "n": int64(1)}
	if got := Lacking(want, map[string]any{"a": "1", "b": "more", "list": []any{map[string]any{"name": "x", "set": true}}, "n": float64(1)}); len(got) > 0 {
		t.Errorf("what the server adds and how it spells is no difference: %v", got)
	}
	if got := Lacking(want, map[string]any{"a": "2", "list": []any{}}); len(got) != 3 {
		t.Errorf("all that is lacking is told: %v", got)
	}
}
