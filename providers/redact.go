package providers

import (
	"net/url"
	"slices"
	"strings"
)

// redacted stands for a credential.
const redacted = "***"

// shortestCredential is the length in bytes from which on a value is hidden: to hide shorter ones would make texts unreadable.
const shortestCredential = 4

// Redact hides credentials in a text: as they are, as a URL has them, and the password of one that is a URL itself.
func Redact(text string, credentials ...string) string {
	var hide []string
	add := func(values ...string) {
		for _, value := range values {
			if value = strings.TrimSpace(value); len(value) >= shortestCredential && !slices.Contains(hide, value) {
				hide = append(hide, value)
			}
		}
	}
	for _, one := range credentials {
		add(one, url.QueryEscape(one), url.PathEscape(one))
		if parsed, err := url.Parse(strings.TrimSpace(one)); err == nil && parsed.User != nil {
			if password, ok := parsed.User.Password(); ok {
				add(password, url.QueryEscape(password), url.PathEscape(password))
			}
		}
	}
	slices.SortFunc(hide, func(a, b string) int { return len(b) - len(a) }) // a part of another one comes after it
	for _, one := range hide {
		text = strings.ReplaceAll(text, one, redacted)
	}
	return text
}
