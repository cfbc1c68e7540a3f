package katalog

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// offending is the character that an error is about.
const offending = "◆"

// offendingIn is the position of that character in a text, as an editor tells it.
func offendingIn(file, text string) Position {
	before, _, _ := strings.Cut(text, offending)
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return Position{file, 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[lineStart:])}
}

// scalarsOf returns the scalars of a text, which are nodes that a file spells.
func scalarsOf(t *testing.T, data string) []*node {
	t.Helper()
	s := source{file: "k.yaml", log: &log{}, budget: &budget{left: maxAdded}}
	var scalars []*node
	var walk func(*node)
	walk = func(n *node) {
		if n.isText() {
			scalars = append(scalars, n)
		}
		for _, item := range n.items {
			walk(item)
		}
		for _, e := range n.fields {
			walk(e.value)
		}
	}
	for _, document := range s.parse([]byte(data)) {
		walk(document)
	}
	return scalars
}

func TestFindInScalar(t *testing.T) {
	cases := map[string]struct{ reason, text string }{
		"Plain":            {"a plain text begins where the scalar does", "a: b ◆ c"},
		"PlainLines":       {"a line break is a space", "a: b\n  c  \n  d ◆"},
		"PlainEmptyLine":   {"an empty line is a line break", "a: b\n\n  ◆"},
		"Flow":             {"in a flow there are other texts beside it", "{a: b, c: [d, e ◆ f], g: h}"},
		"Single":           {"quotes do not count", "a: 'b ◆'"},
		"SingleQuote":      {"a quote that is written twice is one", "a: 'it''s ''◆'''"},
		"SingleLines":      {"lines fold", "a: 'b  \n\n\n  c\n  ◆'"},
		"Double":           {"quotes do not count", `a: "◆"`},
		"DoubleEscapes":    {"an escape is one character", `a: "\t\x41\u00e4\U0001F600\\\"\_◆"`},
		"DoubleBreak":      {"an escaped line break is nothing", "a: \"b \\\n  \\ c\\\n\n  ◆\""},
		"DoubleLines":      {"lines fold", "a: \"b\t\n  c\n\n  ◆ d\""},
		"Literal":          {"the indentation does not count", "a: |\n  b\n    c\n\n  ◆\n"},
		"LiteralDeep":      {"nor does a deeper one", "a:\n  - b: |-\n      c\n      d ◆\n    e: f\n"},
		"LiteralIndicator": {"what is deeper than the indicator is text", "a: |2-  # a comment\n    b\n  ◆\n\n"},
		"LiteralEmpty":     {"empty lines in front are text", "a: |+\n\n \n  ◆\n\n\n"},
		"LiteralSpaces":    {"spaces at the end of a line are text", "a: |\n  b   \n  ◆\n"},
		"LiteralNoEnd":     {"the last line may end with the file", "a: |\n  b\n  ◆"},
		"Folded":           {"lines fold", "a: >\n  b\n  c\n\n  d\n  ◆\n"},
		"FoldedMore":       {"deeper lines do not", "a: >-\n  b\n    c\n    d\n\n  e\n  ◆\n"},
		"FoldedIndicator":  {"with an indicator", "a: >1+\n     b\n c ◆\n"},
		"Anchor":           {"the text begins behind its anchor and tag", `a: &image !!str   "b ◆"`},
		"AnchorLine":       {"which may stand on another line", "a: !!str &image # a comment\n  b ◆"},
		"Alias":            {"the text stands where the anchor does", "a: &a\n  b: 'c ◆'\nd:\n  <<: *a\ne: *a"},
		"Wide":             {"a column is a character", `a: "äöü 漢字 😀 ◆"`},
		"LiteralWide":      {"in a block as well", "a: |\n  漢字\n  äö ◆"},
		"JSON":             {"JSON has escapes", "{\n\t\"ä\": \"ö\", \"a\": \"\\ud83d\\ude00\\/\\n\\\"\\u00e4 😀 ◆\"}"},
		"JSONSurrogate":    {"half a pair is one character", `{"a": "\ud83d ◆"}`},
	}
	for name, tc := range cases {
		for ends, text := range map[string]string{"": tc.text, "CRLF": strings.ReplaceAll(tc.text, "\n", "\r\n")} {
			t.Run(name+ends, func(t *testing.T) {
				found := 0
				for _, n := range scalarsOf(t, "\ufeff"+text) {
					offset := strings.Index(n.text, offending)
					if offset < 0 {
						continue
					}
					found++
					got, ok := n.find(n.pos, n.text, offset)
					if want := offendingIn("k.yaml", text); !ok || got != want {
						t.Errorf("%s: %q stands in %q at %s (%t), want %s", tc.reason, offending, n.text, got, ok, want)
					}
				}
				if found == 0 {
					t.Errorf("%q has no text with %q", text, offending)
				}
			})
		}
	}
}

func TestFindEndOfScalar(t *testing.T) {
	cases := map[string]struct{ reason, text string }{
		"Plain":   {"behind the last character", "a: b>◆"},
		"Double":  {"which is the closing quote", `a: "b>◆"`},
		"Literal": {"and not the line behind the block", "a: |\n  b>◆\n\nc: d"},
		"Folded":  {"nor a line that a fold has added", "a: >+\n  b>◆\n\n\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := scalarsOf(t, strings.Replace(tc.text, offending, "", 1))[0]
			got, ok := n.find(n.pos, n.text, len(n.text))
			if want := offendingIn("k.yaml", tc.text); !ok || got != want {
				t.Errorf("%s: the end of %q is at %s (%t), want %s", tc.reason, n.text, got, ok, want)
			}
		})
	}
}

// What is found in a text has the position of the character in the file that has the text, and no other place in its message. A text
// that no file has, as one that is made of a Motif and its inputs, begins where the value does.
func TestFindingsInside(t *testing.T) {
	image := field.NewPath("spec", "crds").Key("website").Child("operatorBox", "onReconcile", "deployments").Index(0).Child("image")
	absent := field.NewPath("spec", "crds").Key("website").Child("operatorBox", "onReconcile", "deployments").Index(0).Child("name")
	status := field.NewPath("spec", "crds").Key("website").Child("operatorBox", "status", "fields").Index(0).Child("value")
	const block = "      operatorBox:\n        onReconcile:\n          deployments:\n"
	cases := map[string]struct {
		reason string
		files  map[string]string
		err    *field.Error
		want   string
	}{
		"File": {
			"in the Katalog itself",
			map[string]string{"k.yaml": importHead + block + "            - image: \"{{ x }}\"\n"},
			field.Invalid(image, "{{ x }}", "1:4: wrong"), `k.yaml:11:26: ` + image.String() + `: wrong, got "{{ x }}"`,
		},
		"NoPlace": {
			"an error about the whole text stands at its beginning",
			map[string]string{"k.yaml": importHead + block + "            - image: \"{{ x }}\"\n"},
			field.Invalid(image, "{{ x }}", "all wrong"), `k.yaml:11:22: ` + image.String() + `: all wrong, got "{{ x }}"`,
		},
		"Forbidden": {
			"errors of other types say what they want",
			map[string]string{"k.yaml": importHead + block + "            - image: \"{{ x }}\"\n"},
			field.Forbidden(image, "1:4: wrong"), `k.yaml:11:22: ` + image.String() + `: 1:4: wrong`,
		},
		"OtherText": {
			"a text that is not in the file keeps the place in its message",
			map[string]string{"k.yaml": importHead + block + "            - image: \"{{ x }}\"\n"},
			field.Invalid(image, "{{ y }}", "1:4: wrong"), `k.yaml:11:22: ` + image.String() + `: 1:4: wrong, got "{{ y }}"`,
		},
		"TooFar": {
			"as does a place that is not in the text",
			map[string]string{"k.yaml": importHead + block + "            - image: \"{{ x }}\"\n"},
			field.Invalid(image, "{{ x }}", "2:4: wrong"), `k.yaml:11:22: ` + image.String() + `: 2:4: wrong, got "{{ x }}"`,
		},
		"Absent": {
			"a value that is not written stands where what is around it does",
			map[string]string{"k.yaml": importHead + block + "            - image: x\n"},
			field.Invalid(absent, "{{ x }}", "1:4: wrong"), `k.yaml:11:15: ` + absent.String() + `: 1:4: wrong, got "{{ x }}"`,
		},
		"Include": {
			"in an included file",
			map[string]string{
				"k.yaml":      importHead + "      operatorBox:\n        status: {include: status.yaml}\n",
				"status.yaml": "fields:\n- path: phase\n  value: |\n    a\n    {{ x }}\n",
			},
			field.Invalid(status, "a\n{{ x }}\n", "2:4: wrong"), `status.yaml:5:8: ` + status.String() + `: wrong, got "a\n{{ x }}\n"`,
		},
		"Motif": {
			"in a Motif, a text without inputs",
			map[string]string{
				"k.yaml": importHead + "      imports: [{motif: m.yaml}]\n", "m.yaml": motifHead + "resources: {deployments: [{image: '{{ x }}'}]}\n",
			},
			field.Invalid(image, "{{ x }}", "1:4: wrong"), `m.yaml:4:39: ` + image.String() + `: wrong, got "{{ x }}"; imported at k.yaml:8:25`,
		},
		"Bound": {
			"and one with inputs",
			map[string]string{
				"k.yaml": importHead + "      imports: [{motif: m.yaml, with: {a: '{{ y }}'}}]\n",
				"m.yaml": motifHead + "inputs: [{name: a}]\nresources: {deployments: [{image: 'z{{ .inputs.a }}{{ x }}'}]}\n",
			},
			field.Invalid(image, "z{{y}}{{x}}", "1:9: wrong"),
			`m.yaml:5:35: ` + image.String() + `: 1:9: wrong, got "z{{y}}{{x}}"; imported at k.yaml:8:25`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for file, text := range tc.files {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			result, err := Load(Options{}, "k.yaml")
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Documents[0].Findings(field.ErrorList{tc.err}).Error(); got != tc.want {
				t.Errorf("%s:\nwant %s\ngot  %s", tc.reason, tc.want, got)
			}
		})
	}
}

// FuzzFindInScalar holds that every byte of a text that a file spells is found, inside of the scalar and where that byte stands. The text is a
// file as it is or, by the style, a value in one of the notations that a library writes.
func FuzzFindInScalar(f *testing.F) {
	for _, text := range []string{
		"a: b\n  c\n\n  d", "{a: 'b''c', d: \"e\\n\\x41\\\n  f\"}", "a: |2\n     b\n\n   c", "- >-\n  b\n   c\n\n  d\n- &x !!str e\n- *x", "{\"a\": \"\\ud83d\\ude00\"}",
		"{{ .spec.a }}", " a\n\nb  \n  c\nd ", "\ta: 'b' # \"c\" \\", "ä\u00a0漢\U0001f600", "",
	} {
		for style := range uint8(6) {
			f.Add(text, style)
		}
	}
	styles := []yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}
	f.Fuzz(func(t *testing.T, text string, style uint8) {
		if n := int(style) % 6; n < len(styles) {
			out, err := yaml.Marshal(map[string][]yaml.Node{"key": {{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: styles[n]}}})
			if err != nil {
				return
			}
			text = string(out)
		}
		if len(text) > 400 || strings.ContainsAny(text, "\u0085\u2028\u2029") {
			return // each byte is looked for alone; line breaks for some readers, and not for others
		}
		for _, n := range scalarsOf(t, text) {
			checkFind(t, n)
		}
	})
}

func checkFind(t *testing.T, n *node) {
	t.Helper()
	last := n.file.offset(n.pos)
	if strings.TrimRight(n.text, " \t\r\n") == "" {
		if at, ok := n.find(n.pos, n.text, len(n.text)); !ok || at != n.pos {
			t.Errorf("%q: %q at %s is found at %s (%t)", n.file.data, n.text, n.pos, at, ok)
		}
		return
	}
	for offset, character := range n.text + "." {
		at, ok := n.find(n.pos, n.text, offset)
		if !ok {
			t.Fatalf("%q: %q at %s has no byte %d", n.file.data, n.text, n.pos, offset)
		}
		here := n.file.offset(at)
		if offset == len(n.text) {
			if here < n.file.offset(n.pos) || here > len(n.file.data) {
				t.Errorf("%q: the end of %q is at %s", n.file.data, n.text, at)
			}
			return
		}
		if here < last {
			t.Fatalf("%q: byte %d of %q is at %s, before the one in front of it", n.file.data, offset, n.text, at)
		}
		last = here
		if !spells(n.file.data[here:], character, n.style) {
			t.Errorf("%q: byte %d of %q is at %s, where there is %.4q", n.file.data, offset, n.text, at, n.file.data[here:])
		}
	}
}

// spells tells whether a character can stand for another one in a notation.
func spells(data []byte, character rune, s style) bool {
	there, _ := utf8.DecodeRune(data)
	switch {
	case there == character:
		return true
	case there == '\\':
		return s == styleDouble || s == styleJSON
	case there == '\r' || there == '\n' || len(data) == 0:
		return character == ' ' || character == '\n'
	default:
		return false
	}
}
