package notes

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// validationFamily says of a missing value that it is not valid, but for a label value, which may be empty.
func validationFamily() []Function {
	test := func(name, doc, example, result string, code func(string) bool) Function {
		return Function{
			Name: name, Signature: "s", Result: "bool", Doc: doc, Examples: []Example{{example, result}},
			Code: func(s any) bool {
				text := Text(s)
				return len(text) <= MaxText && code(text)
			},
		}
	}
	return []Function{
		test("isValidURL", "whether it is a URL with scheme and host", `{{ isValidURL "https://example.com/a" }}`, "true", isValidURL),
		test("isValidEmail", "whether it is a mail address, without a name", `{{ isValidEmail "ops@example.com" }}`, "true", isValidEmail),
		{
			Name: "isValidPort", Signature: "s", Result: "bool", Code: isValidPort, Doc: "whether it is a number from 1 to 65535",
			Examples: []Example{{"{{ isValidPort 70000 }}", "false"}},
		},
		test("isValidJSON", "whether it is JSON", "{{ isValidJSON `{\"a\": 1}` }}", "true", func(s string) bool { return json.Valid([]byte(s)) }),
		test("isValidImageRef", "whether it is a reference of an image", "{{ isValidImageRef .spec.image }}", "true", func(s string) bool {
			i, err := imageOf("isValidImageRef", s)
			return err == nil && i.name != ""
		}),
		test("isValidGitRepository", "whether it is the URL of a repository, for HTTPS or SSH", "{{ isValidGitRepository .spec.repo }}", "true", func(s string) bool {
			r := parseRepository(s)
			return slices.Contains([]string{"https", "http", "ssh", "git"}, r.scheme) && r.host != "" && r.name != "" && !strings.ContainsAny(s, " \t\n")
		}),
		test("isDNS1123Subdomain", "whether it can be the name of most objects", "{{ isDNS1123Subdomain .metadata.name }}", "true", func(s string) bool { return len(validation.IsDNS1123Subdomain(s)) == 0 }),
		test("isValidLabelKey", "whether it can be the key of a label", `{{ isValidLabelKey "example.com/tier" }}`, "true", func(s string) bool { return len(validation.IsQualifiedName(s)) == 0 }),
		test("isValidLabelValue", "whether it can be the value of a label", `{{ isValidLabelValue "a b" }}`, "false", func(s string) bool { return len(validation.IsValidLabelValue(s)) == 0 }),
		test("isValidAnnotationKey", "whether it can be the key of an annotation", `{{ isValidAnnotationKey "example.com/Note" }}`, "true", func(s string) bool { return len(validation.IsQualifiedName(strings.ToLower(s))) == 0 }),
	}
}

func isValidURL(s string) bool {
	parsed, err := url.Parse(s)
	return err == nil && parsed.Scheme != "" && parsed.Hostname() != ""
}

func isValidEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

func isValidPort(value any) bool {
	n, ok := NumberOf(value)
	return ok && n.whole && n.integer >= 1 && n.integer <= 65535
}
