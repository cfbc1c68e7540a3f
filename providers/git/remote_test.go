package git

import "testing"

func TestCheckBranch(t *testing.T) {
	for name, ok := range map[string]bool{
		"main": true, "feature/x": true, "v1.2": true, "ünïcode": true,
		"": false, "-x": false, "--upload-pack=x": false, "a..b": false, "../etc": false, "a b": false, "a\nb": false, "a~1": false, "a^": false,
		"a:b": false, "a?": false, "a*": false, "a[": false, "a\\b": false, "/a": false, "a/": false, "a//b": false, ".a": false, "a.lock": false, "@{x": false,
	} {
		if err := checkBranch(name); (err == nil) != ok {
			t.Errorf("checkBranch(%q): %v", name, err)
		}
	}
}
