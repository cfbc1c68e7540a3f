package checkout

import (
	"strings"
	"testing"
)

func TestParseRemote(t *testing.T) {
	cases := map[string]struct{ text, want, wrong string }{
		"HTTPS":      {text: "https://git.example.com/acme/app.git", want: "https://git.example.com/acme/app.git"},
		"Port":       {text: " http://git.example.com:8080/app ", want: "http://git.example.com:8080/app"},
		"IPv6":       {text: "http://[fd00::1]:80/app", want: "http://[fd00::1]:80/app"},
		"SSH":        {text: "ssh://deploy@git.example.com:2222/acme/app.git", want: "ssh://git.example.com:2222/acme/app.git"},
		"SCP":        {text: "git@git.example.com:acme/app.git", want: "ssh://git.example.com/acme/app.git"},
		"NoUser":     {text: "git.example.com:acme/app.git", want: "ssh://git.example.com/acme/app.git"},
		"Escaped":    {text: "https://git.example.com/a%20b.git", want: "https://git.example.com/a%20b.git"},
		"Empty":      {text: " ", wrong: "is empty"},
		"Option":     {text: "--upload-pack=touch", wrong: "begins with a dash"},
		"Space":      {text: "ext::sh -c touch", wrong: "a space or a control character"},
		"Ext":        {text: "ext::sh", wrong: "is no URL"},
		"Newline":    {text: "https://git.example.com/a\nb", wrong: "a space or a control character"},
		"Escape":     {text: "https://git.example.com/a%0ab", wrong: "a character that has a meaning for shells"},
		"File":       {text: "file:///srv/app.git", wrong: "begins with file://"},
		"Git":        {text: "git://git.example.com/app.git", wrong: "begins with git://"},
		"Folder":     {text: "/srv/app.git", wrong: "is no URL"},
		"Relative":   {text: "../app.git", wrong: "is no URL"},
		"Password":   {text: "https://me:secret@git.example.com/app.git", wrong: "holds a credential"},
		"Token":      {text: "https://secret@git.example.com/app.git", wrong: "holds a credential"},
		"SSHSecret":  {text: "ssh://git:secret@git.example.com/app.git", wrong: "holds a credential"},
		"DashHost":   {text: "ssh://-oProxyCommand=touch/app.git", wrong: "is not valid"},
		"DashUser":   {text: "-oProxyCommand=touch@git.example.com:app.git", wrong: "begins with a dash"},
		"DashPath":   {text: "git@git.example.com:--upload-pack=touch", wrong: "begins with a dash"},
		"Quote":      {text: "git@git.example.com:a'b", wrong: "a character that has a meaning for shells"},
		"Semicolon":  {text: "git@git.example.com:a;b", wrong: "a character that has a meaning for shells"},
		"Above":      {text: "https://git.example.com/a/../b", wrong: "a part of the path"},
		"AboveCoded": {text: "https://git.example.com/a/%2e%2e/b", wrong: "a part of the path"},
		"Query":      {text: "https://git.example.com/a?service=x", wrong: "a query or a fragment"},
		"NoHost":     {text: "https:///a", wrong: "names no host"},
		"NoPath":     {text: "https://git.example.com/", wrong: "names no repository"},
		"Port0":      {text: "https://git.example.com:0/a", wrong: "has the port 0"},
		"Long":       {text: "https://git.example.com/" + strings.Repeat("a", mostText), wrong: "longer than"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := ParseRemote(tc.text)
			switch {
			case tc.wrong == "" && err != nil:
				t.Errorf("ParseRemote(%q): %v", tc.text, err)
			case tc.wrong == "" && r.String() != tc.want:
				t.Errorf("ParseRemote(%q): %s, want %s", tc.text, r.String(), tc.want)
			case tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong) || strings.Contains(err.Error(), "secret@")):
				t.Errorf("ParseRemote(%q): %v, want an error with %q", tc.text, err, tc.wrong)
			}
		})
	}
}

// Whatever is let through has a host that no program takes for an option, and a path that no shell takes for more than a word.
func FuzzParseRemote(f *testing.F) {
	for _, text := range []string{"https://a/b", "git@a:b", "ext::sh -c x", "ssh://-o/x", "a:'b'", "--x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRemote(text)
		if err != nil {
			return
		}
		if r.Host == "" || strings.HasPrefix(r.Host, "-") || strings.HasPrefix(r.User, "-") || strings.ContainsAny(r.Path, "'\n\r\x00;") || strings.HasPrefix(r.Path, "-") {
			t.Errorf("ParseRemote(%q) lets %+v through", text, r)
		}
	})
}

func TestCleanPath(t *testing.T) {
	for name, want := range map[string]string{"": "", ".": "", "/": "", "a": "a", "./a//b/": "a/b", "..": "!", "a/../..": "!", "a\x00": "!"} {
		got, err := CleanPath(name)
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("CleanPath(%q): %q, want %q", name, got, want)
		}
	}
}
