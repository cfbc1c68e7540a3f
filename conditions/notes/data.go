package notes

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

func dataFamily() []Function {
	return []Function{
		{
			Name: "toBase64", Signature: "s", Result: "text", Code: toBase64, Doc: "the text in base64",
			Examples: []Example{{"{{ toBase64 .metadata.name }}", "c2hvcA=="}},
		},
		{
			Name: "fromBase64", Signature: "s", Result: "text", Code: fromBase64, Doc: "the text that base64 stands for",
			Examples: []Example{{`{{ fromBase64 "c2hvcA==" }}`, "shop"}},
		},
		{
			Name: "toJSON", Signature: "value", Result: "text", Code: jsonFunction("toJSON"), AliasOf: "toJson", Doc: "the same as `toJson`",
			Examples: []Example{{"{{ toJSON .spec.hosts }}", `["shop.example.com","www.shop.example.com"]`}},
		},
		{
			Name: "sha256sum", Signature: "s", Result: "text", Code: sha256sum, Doc: "the first 8 hexadecimal digits of the SHA-256 checksum",
			Examples: []Example{{"{{ sha256sum .spec.image }}", "11df2fed"}},
		},
		{
			Name: "slugify", Signature: "s", Result: "text", Code: func(s any) string { return slug(Text(s)) },
			Doc:      "lower-case ASCII letters and digits, one hyphen for everything in between",
			Examples: []Example{{`{{ slugify "My Shop, 2nd" }}`, "my-shop-2nd"}},
		},
		{
			Name: "truncateName", Signature: "s max", Result: "text", Code: truncateName,
			Doc:      "the first `max` characters, without hyphens, dots and underscores at the end",
			Examples: []Example{{`{{ truncateName "shop-frontend" 5 }}`, "shop"}},
		},
		{
			Name: "repoSlug", Signature: "url", Result: "text", Code: func(url any) string { return slug(parseRepository(Text(url)).name) },
			Doc:      "the name of a repository, as `slugify` writes it",
			Examples: []Example{{"{{ repoSlug .spec.repo }}", "shop"}},
		},
		{
			Name: "lookup", Signature: "key pair...", Result: "any", Code: lookup,
			Doc:      "the value behind the key, of keys and values that follow each other; else `\"\"`",
			Examples: []Example{{`{{ lookup .spec.tier "gold" 3 "silver" 2 }}`, "3"}},
		},
	}
}

func toBase64(s any) (string, error) {
	text := Text(s)
	if err := checkLength("toBase64", base64.StdEncoding.EncodedLen(len(text))); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString([]byte(text)), nil
}

func fromBase64(s any) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(Text(s))
	if err != nil {
		// The text may be a secret: the error says where it is wrong, not what it is.
		return "", fmt.Errorf("fromBase64: %w", err)
	}
	return string(raw), nil
}

func sha256sum(s any) string {
	sum := sha256.Sum256([]byte(Text(s)))
	return hex.EncodeToString(sum[:4])
}

func slug(text string) string {
	var out strings.Builder
	between := false
	for _, r := range strings.ToLower(text) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			between = out.Len() > 0
			continue
		}
		if between {
			out.WriteByte('-')
			between = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

func truncateName(s, most any) (string, error) {
	n, err := wholeFrom0("truncateName", most)
	if err != nil {
		return "", err
	}
	runes := []rune(Text(s))
	if int64(len(runes)) <= n {
		return string(runes), nil
	}
	return strings.TrimRight(string(runes[:n]), "-._"), nil
}

// wholeFrom0 reads a count or size.
func wholeFrom0(function string, value any) (int64, error) {
	n, err := number(function, value)
	if err == nil && (!n.whole || n.integer < 0) {
		err = fmt.Errorf("%s: %s is no size: use a whole number from 0", function, quote(value))
	}
	return n.integer, err
}

// lookup ignores a last key without a value.
func lookup(key any, pairs ...any) any {
	wanted := Text(key)
	for i := 0; i+1 < len(pairs); i += 2 {
		if Text(pairs[i]) == wanted {
			return pairs[i+1]
		}
	}
	return ""
}
