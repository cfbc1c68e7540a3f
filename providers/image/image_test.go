package image_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers/image"
)

func TestName(t *testing.T) {
	cases := map[string]struct {
		reason, text, want, says string
	}{
		"Whole":     {reason: "as it is", text: "registry.example.com:5000/shop/web:1.2", want: "registry.example.com:5000/shop/web:1.2"},
		"Short":     {reason: "what people leave out is put in", text: "web", want: "docker.io/library/web:latest"},
		"Spaces":    {reason: "a template leaves some", text: " shop/web:1\n", want: "docker.io/shop/web:1"},
		"Empty":     {reason: "nothing", says: "is empty"},
		"UpperCase": {reason: "a registry takes none", text: "Shop/web", says: "lower"},
		"Option":    {reason: "it is no option of a command", text: "--push", says: "is no name of an image"},
		"Shell":     {reason: "nor of a shell", text: "web:1;reboot", says: "is no name of an image"},
		"Newline":   {reason: "nor two lines", text: "web:1\nweb:2", says: "is no name of an image"},
		"Digest":    {reason: "only the build tells", text: "web@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", says: "has a digest"},
		"ID":        {reason: "64 hexadecimal digits are no name", text: strings.Repeat("a", 64), says: "is no name of an image"},
		"Long":      {reason: "a message must not be flooded", text: strings.Repeat("a", 10_000), says: "has 10000 characters"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := image.Name(tc.text)
			if got != tc.want {
				t.Errorf("\n%s\nName(...): %q, want %q", tc.reason, got, tc.want)
			}
			if tc.says == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("\n%s\nName(...): error %v, want one that says %q", tc.reason, err, tc.says)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	cases := map[string]struct {
		reason, base, name, want string
		wrong                    bool
	}{
		"Relative":  {reason: "as it is", base: "/copy", name: "site/web", want: "site/web"},
		"Nothing":   {reason: "all of it", base: "/copy", name: " ", want: "."},
		"Below":     {reason: "what git tells is a whole path", base: "/copy", name: "/copy/site", want: "site"},
		"Base":      {reason: "and may be the folder itself", base: "/copy/", name: "/copy", want: "."},
		"Back":      {reason: "it stays inside", base: "/copy", name: "site/../web", want: "web"},
		"Above":     {reason: "it does not", base: "/copy", name: "../other", wrong: true},
		"Through":   {reason: "it does not either", base: "/copy", name: "site/../../other", wrong: true},
		"Absolute":  {reason: "it is elsewhere", base: "/copy", name: "/etc", wrong: true},
		"Neighbour": {reason: "the beginning of a name is no folder", base: "/copy", name: "/copy-of/x", wrong: true},
		"Control":   {reason: "no name has that", base: "/copy", name: "a\x00b", wrong: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := image.Within(tc.base, tc.name)
			if got != tc.want || (err != nil) != tc.wrong {
				t.Errorf("\n%s\nWithin(%q, %q): %q, %v, want %q", tc.reason, tc.base, tc.name, got, err, tc.want)
			}
		})
	}
}

func TestParseCredentials(t *testing.T) {
	cases := map[string]struct {
		reason, config string
		want           image.Credentials
		says           string
	}{
		"Auth": {
			reason: "what kubectl writes", config: `{"auths":{"registry.example.com":{"auth":"dXNlcjpwYTpzcw=="}}}`,
			want: image.Credentials{"registry.example.com": {Username: "user", Password: "pa:ss"}},
		},
		"Hub": {
			reason: "one registry has many names", config: `{"auths":{"https://index.docker.io/v1/":{"username":"a","password":"b"}}}`,
			want: image.Credentials{"docker.io": {Username: "a", Password: "b"}},
		},
		"Helper": {
			reason: "no program is started for a credential", config: `{"credsStore":"evil","credHelpers":{"registry.example.com":"evil"}}`, want: image.Credentials{},
		},
		"NoJSON": {reason: "and its text is not repeated", config: `secret`, says: "is no Docker configuration in JSON"},
		"NoAuth": {reason: "as little", config: `{"auths":{"r.example.com":{"auth":"c2VjcmV0"}}}`, says: "its auth of the registry r.example.com is not user:password in base64"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := image.ParseCredentials([]byte(tc.config))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nParseCredentials(...): -want, +got:\n%s", tc.reason, diff)
			}
			if text := errorText(err); text != tc.says {
				t.Errorf("\n%s\nParseCredentials(...): %q, want %q", tc.reason, text, tc.says)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
