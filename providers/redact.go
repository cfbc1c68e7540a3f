package providers

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Redacted stands for a credential.
const Redacted = "[redacted]"

const (
	// shortestCredential is the length in bytes from which on a value is hidden: to hide shorter ones would make texts unreadable.
	shortestCredential = 4
	// shortestLine is the length in bytes from which on one line of a credential of many is hidden by itself.
	shortestLine = 16
	// longestSpelled is the length in bytes up to which a credential is hidden in other spellings than its own.
	longestSpelled = 16 << 10
)

// Redactor takes credentials out of texts. The zero value, and nil, have none to take out. It is safe for concurrent use.
type Redactor struct{ hide *strings.Replacer }

// NewRedactor returns a Redactor that hides credentials: as they are, as a URL, JSON and base64 have them, each line of a long one, and
// the password of one that is a URL itself. Those that are shorter than four bytes are not hidden.
func NewRedactor(credentials ...string) *Redactor {
	var hide []string
	add := func(values ...string) {
		for _, value := range values {
			if len(value) >= shortestCredential {
				hide = append(hide, value)
			}
		}
	}
	for _, one := range credentials {
		one = strings.TrimSpace(one)
		add(spellings(one)...)
		add(lines(one)...)
		user, password := loginOf(one)
		add(spellings(password)...)
		if plain, err := url.PathUnescape(password); err == nil {
			add(spellings(plain)...)
			name, _ := url.PathUnescape(user)
			add(spellings(Login(name, plain))...)
		}
	}
	// A part of another one comes after it.
	slices.SortFunc(hide, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	hide = slices.Compact(hide)
	if len(hide) == 0 {
		return &Redactor{}
	}
	pairs := make([]string, 0, 2*len(hide))
	for _, one := range hide {
		pairs = append(pairs, one, Redacted)
	}
	return &Redactor{hide: strings.NewReplacer(pairs...)}
}

// Login is what HTTP sends for a user with a password: a credential to hide besides the password. It is empty without a password.
func Login(user, password string) string {
	if password == "" {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

// spellings are the ways in which a text may be written.
func spellings(text string) []string {
	if len(text) < shortestCredential || len(text) > longestSpelled {
		return []string{text}
	}
	quoted, err := json.Marshal(text)
	if err != nil { // which no text has
		quoted = []byte(text)
	}
	return []string{
		text, url.QueryEscape(text), url.PathEscape(text), strings.Trim(string(quoted), `"`), strings.Join(strings.Fields(text), " "),
		base64.StdEncoding.EncodeToString([]byte(text)), base64.RawStdEncoding.EncodeToString([]byte(text)),
		base64.URLEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)),
	}
}

// lines are those of a credential that has many, such as a private key, without those around it.
func lines(text string) []string {
	if !strings.Contains(text, "\n") {
		return nil
	}
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= shortestLine && !strings.HasPrefix(line, "-----") {
			all = append(all, line)
		}
	}
	return all
}

// loginOf is the user and the password of a URL, as they are written. It may name several hosts, and is none for net/url then.
func loginOf(text string) (user, password string) {
	_, rest, found := strings.Cut(text, "://")
	if !found {
		return "", ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	user, password, _ = strings.Cut(rest[:max(0, strings.LastIndex(rest, "@"))], ":")
	return user, password
}

// Text is a text without credentials.
func (r *Redactor) Text(text string) string {
	if r == nil || r.hide == nil {
		return text
	}
	return r.hide.Replace(text)
}

// Line is a text of somebody else's for an error: one line without credentials, and without what is not printed, of no more bytes than that.
func (r *Redactor) Line(text string, most int) string {
	printed := func(one rune) rune {
		if !unicode.IsPrint(one) {
			return ' '
		}
		return one
	}
	text = strings.Join(strings.Fields(strings.Map(printed, r.Text(text))), " ")
	const more = " ..."
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(more))], "") + more
}

// Redact hides credentials in a text, as a Redactor does.
func Redact(text string, credentials ...string) string { return NewRedactor(credentials...).Text(text) }
