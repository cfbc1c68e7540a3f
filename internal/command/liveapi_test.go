package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// 77. A variable that cannot be read ends the start, and is not taken for 0.
func TestDefect77PortMustBeOne(t *testing.T) {
	for text, wrong := range map[string]bool{"": false, "8080": false, "0": true, "65536": true, "http": true, "80 80": true} {
		t.Setenv("PORT", text)
		err := CheckPort()
		if (err != nil) != wrong {
			t.Errorf("PORT=%q: %v, want an error: %t", text, err, wrong)
		}
		if err != nil && !strings.Contains(err.Error(), "environment: PORT: want a number from 1 to 65535") {
			t.Errorf("PORT=%q: %v", text, err)
		}
	}
}

func TestPort(t *testing.T) {
	for name, tc := range map[string]struct{ reason, port, older, want string }{
		"None":  {"the default", "", "", DefaultPort},
		"Port":  {"as everywhere", "9000", "", "9000"},
		"Older": {"as older installations have it", "", "9001", "9001"},
		"Both":  {"the first one wins", "9000", "9001", "9000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PORT", tc.port)
			t.Setenv("ORK_PORT", tc.older)
			if got := Port(); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	t.Setenv("ORK_API_TOKEN", "of-the-environment")
	cases := map[string]struct {
		reason, file, content, want string
		wrong                       bool
	}{
		"Environment": {reason: "without a file", want: "of-the-environment"},
		"File":        {reason: "the file wins, without its line end", file: file, content: "of-the-file\n", want: "of-the-file"},
		"Empty":       {reason: "an empty file must not open the door", file: file, content: "\n", wrong: true},
		"Missing":     {reason: "nor one that is not there", file: file + "-missing", wrong: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := APIToken(tc.file)
			if got != tc.want || (err != nil) != tc.wrong {
				t.Errorf("\n%s\nAPIToken() = %q, %v; want %q, an error: %t", tc.reason, got, err, tc.want, tc.wrong)
			}
		})
	}
}
