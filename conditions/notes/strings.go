package notes

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// MaxText is the longest text, in bytes, that a function makes.
const MaxText = 1 << 20

func stringsFamily() []Function {
	one := func(f func(string) string) func(any) string {
		return func(s any) string { return f(Text(s)) }
	}
	two := func(f func(s, arg string) string) func(any, any) string {
		return func(s, arg any) string { return f(Text(s), Text(arg)) }
	}
	test := func(f func(s, arg string) bool) func(any, any) bool {
		return func(s, arg any) bool { return f(Text(s), Text(arg)) }
	}
	return []Function{
		{
			Name: "toLower", Signature: "s", Result: "text", Code: one(strings.ToLower), Doc: "the text in lower case",
			Examples: []Example{{`{{ toLower "Web" }}`, "web"}},
		},
		{
			Name: "lower", Signature: "s", Result: "text", Code: one(strings.ToLower), AliasOf: "toLower", Doc: "the same as `toLower`",
			Examples: []Example{{`{{ "Web" | lower }}`, "web"}},
		},
		{
			Name: "toUpper", Signature: "s", Result: "text", Code: one(strings.ToUpper), Doc: "the text in upper case",
			Examples: []Example{{`{{ toUpper "web" }}`, "WEB"}},
		},
		{
			Name: "upper", Signature: "s", Result: "text", Code: one(strings.ToUpper), AliasOf: "toUpper", Doc: "the same as `toUpper`",
			Examples: []Example{{`{{ "web" | upper }}`, "WEB"}},
		},
		{
			Name: "trim", Signature: "s cutset", Result: "text", Code: two(strings.Trim), Doc: "without the characters of `cutset` at both ends",
			Examples: []Example{{`{{ trim "--web-1-" "-" }}`, "web-1"}},
		},
		{
			Name: "trimSpace", Signature: "s", Result: "text", Code: one(strings.TrimSpace), Doc: "without white space at both ends",
			Examples: []Example{{`{{ trimSpace "  web " }}`, "web"}},
		},
		{
			Name: "trimPrefix", Signature: "s prefix", Result: "text", Code: two(strings.TrimPrefix), Doc: "without the prefix, if it has it",
			Examples: []Example{{`{{ trimPrefix .spec.version "v" }}`, "1.4.2"}},
		},
		{
			Name: "trimSuffix", Signature: "s suffix", Result: "text", Code: two(strings.TrimSuffix), Doc: "without the suffix, if it has it",
			Examples: []Example{{`{{ trimSuffix "shop.git" ".git" }}`, "shop"}},
		},
		{
			Name: "hasPrefix", Signature: "s prefix", Result: "bool", Code: test(strings.HasPrefix), Doc: "whether the text begins with the prefix",
			Examples: []Example{{`{{ hasPrefix .spec.version "v" }}`, "true"}},
		},
		{
			Name: "hasSuffix", Signature: "s suffix", Result: "bool", Code: test(strings.HasSuffix), Doc: "whether the text ends with the suffix",
			Examples: []Example{{`{{ hasSuffix .spec.repo ".git" }}`, "true"}},
		},
		{
			Name: "contains", Signature: "s part", Result: "bool", Code: test(strings.Contains), Doc: "whether the part is in the text",
			Examples: []Example{{`{{ contains .spec.image ":" }}`, "true"}},
		},
		{
			Name: "replace", Signature: "s old new", Result: "text", Code: replace, Doc: "with every `old` replaced",
			Examples: []Example{{`{{ replace "a.b.c" "." "-" }}`, "a-b-c"}},
		},
		{
			Name: "split", Signature: "s separator", Result: "list", Code: split, Doc: "the parts between separators; none of an empty text",
			Examples: []Example{{`{{ split "a,b" "," }}`, `["a","b"]`}},
		},
		{
			Name: "join", Signature: "list separator", Result: "text", Code: join, Doc: "the elements, with the separator in between",
			Examples: []Example{{`{{ join .spec.hosts ", " }}`, "shop.example.com, www.shop.example.com"}},
		},
		{
			Name: "repeat", Signature: "s n", Result: "text", Code: repeat, Doc: "the text `n` times",
			Examples: []Example{{`{{ repeat "ab" 3 }}`, "ababab"}},
		},
		{
			Name: "camelToKebab", Signature: "s", Result: "text", Code: one(camelToKebab), Doc: "words in lower case with hyphens in between",
			Examples: []Example{{`{{ camelToKebab "myHTTPServer" }}`, "my-http-server"}},
		},
		{
			Name: "truncate", Signature: "s n", Result: "text", Code: truncate, Doc: "the first `n` characters of a longer text, and `...`",
			Examples: []Example{{`{{ truncate "a long text" 6 }}`, "a long..."}},
		},
		{
			Name: "concat", Signature: "s...", Result: "text", Code: concat, Doc: "all texts, one behind the other",
			Examples: []Example{{`{{ concat .metadata.name "-" .spec.replicas }}`, "shop-3"}},
		},
	}
}

// bounded is an error when a text is longer than MaxText.
func bounded(function, text string) (string, error) {
	return text, checkLength(function, len(text))
}

func checkLength(function string, n int) error {
	if n > MaxText {
		return fmt.Errorf("%s: the result of %d bytes is longer than %d", function, n, MaxText)
	}
	return nil
}

func replace(s, old, replacement any) (string, error) {
	text, from, to := Text(s), Text(old), Text(replacement)
	if err := checkLength("replace", len(text)+strings.Count(text, from)*(len(to)-len(from))); err != nil {
		return "", err
	}
	return strings.ReplaceAll(text, from, to), nil
}

// split gives no element for an empty text.
func split(s, separator any) []any {
	text := Text(s)
	if text == "" {
		return []any{}
	}
	parts := strings.Split(text, Text(separator))
	list := make([]any, len(parts))
	for i, part := range parts {
		list[i] = part
	}
	return list
}

// join takes a value that is not a list as a list of one, and a missing one as an empty list.
func join(list, separator any) (string, error) {
	if list == nil {
		return "", nil
	}
	if TypeOf(list) != TypeList {
		return Text(list), nil
	}
	v := reflect.ValueOf(list)
	values := make([]any, v.Len())
	for i := range values {
		values[i] = v.Index(i).Interface()
	}
	return joined("join", values, Text(separator))
}

// joined is the text of all values, with another one in between.
func joined(function string, values []any, between string) (string, error) {
	var out strings.Builder
	for i, value := range values {
		text := Text(value)
		if i > 0 {
			text = between + text
		}
		if err := checkLength(function, out.Len()+len(text)); err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

func repeat(s, count any) (string, error) {
	text := Text(s)
	n, err := number("repeat", count)
	if err != nil {
		return "", err
	}
	if !n.whole || n.integer < 0 {
		return "", fmt.Errorf("repeat: %s is no count: use a whole number from 0", quote(count))
	}
	if text == "" {
		return "", nil
	}
	if n.integer > int64(MaxText/len(text)) {
		return "", fmt.Errorf("repeat: %d times %d bytes is longer than %d", n.integer, len(text), MaxText)
	}
	return strings.Repeat(text, int(n.integer)), nil
}

// camelToKebab keeps a run of capitals together: HTTPServer is http-server.
func camelToKebab(s string) string {
	runes := []rune(s)
	var out strings.Builder
	for i, r := range runes {
		startsWord := i > 0 && unicode.IsUpper(r) && runes[i-1] != '-' &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if startsWord {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// truncate keeps the first n characters of a longer text and appends "...".
func truncate(s, n any) (string, error) {
	most, err := number("truncate", n)
	if err != nil {
		return "", err
	}
	if !most.whole || most.integer < 0 {
		return "", fmt.Errorf("truncate: %s is no length: use a whole number from 0", quote(n))
	}
	text := Text(s)
	runes := []rune(text)
	if int64(len(runes)) <= most.integer {
		return text, nil
	}
	return string(runes[:most.integer]) + "...", nil
}

func concat(values ...any) (string, error) { return joined("concat", values, "") }
