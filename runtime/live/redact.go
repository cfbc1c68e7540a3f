package live

import (
	"encoding/json"
	"regexp"
)

// redactedText stands for what is not shown.
const redactedText = "<redacted>"

var (
	// sensitiveKey matches the keys of values that are secret by what they are called.
	sensitiveKey = regexp.MustCompile(`(?i)(pass(word|wd|phrase)?|pwd|secret([-_]?(access)?[-_]?key)?|token|api[-_]?key|private[-_]?key|access[-_]?key` +
		`|credentials?|authorization|cookie|connection[-_]?string)([-_]?(value|data|text))?$|^(auth|dsn|pat)$`)
	// userInfo finds the credentials in a URL, and secretQuery those behind its question mark.
	userInfo    = regexp.MustCompile(`://[^/@\s"]+@`)
	secretQuery = regexp.MustCompile(`(?i)([?&](?:[a-z_-]*(?:token|key|secret|password|signature|sig)))=[^&\s"]+`)
	// header finds a credential as HTTP sends it.
	header = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}`)
)

// hide takes what is secret out of a JSON value, and returns it. The value may be changed.
func hide(value any) any { return hideBelow(value, false) }

// hideBelow hides with all every text and number.
func hideBelow(value any, all bool) any {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			switch {
			case all || sensitiveKey.MatchString(key):
				v[key] = hideBelow(below, true)
			case isData(key) && v["kind"] == "Secret":
				v[key] = hideBelow(below, true)
			case key == "secrets":
				v[key] = hideSecrets(below)
			case key == "value" && named(v):
				v[key] = hideBelow(below, true)
			default:
				v[key] = hideBelow(below, false)
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = hideBelow(v[i], all)
		}
		return v
	case string:
		if all && v != "" {
			return redactedText
		}
		return hideIn(v)
	case float64, int64, json.Number:
		if all {
			return redactedText
		}
	}
	return value
}

func isData(key string) bool { return key == "data" || key == "stringData" || key == "binaryData" }

// hideSecrets hides the data of declared Secrets, and shows the rest of them.
func hideSecrets(value any) any {
	list, ok := value.([]any)
	if !ok {
		return hideBelow(value, false)
	}
	for _, one := range list {
		declared, ok := one.(map[string]any)
		if !ok {
			continue
		}
		for key, below := range declared {
			declared[key] = hideBelow(below, isData(key) || sensitiveKey.MatchString(key))
		}
	}
	return list
}

// named tells whether the name beside a value, as of an environment variable or of a header, is that of something secret.
func named(m map[string]any) bool {
	name, ok := m["name"].(string)
	return ok && sensitiveKey.MatchString(name)
}

// hideIn hides credentials inside of a text, such as a URL or an error.
func hideIn(text string) string {
	text = userInfo.ReplaceAllString(text, "://"+redactedText+"@")
	text = secretQuery.ReplaceAllString(text, "$1="+redactedText)
	return header.ReplaceAllString(text, "$1 "+redactedText)
}
