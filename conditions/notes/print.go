package notes

import (
	"fmt"
	"net/url"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/text"
)

// printFamily replaces the printing functions of Go's templates, which write "<nil>", "<no value>" and 1e+06.
func printFamily() []Function {
	escaped := func(name, doc, example, result string, escape func(string) string) Function {
		return Function{
			Name: name, Signature: "value...", Result: "text", Doc: doc, Examples: []Example{{example, result}},
			Code: func(values ...any) (string, error) {
				text, err := joined(name, values, "")
				if err != nil {
					return "", err
				}
				return bounded(name, escape(text))
			},
		}
	}
	return []Function{
		{
			Name: "print", Signature: "value...", Result: "text", Doc: "all values, one behind the other",
			Code:     func(values ...any) (string, error) { return joined("print", values, "") },
			Examples: []Example{{`{{ print .metadata.name "-" 1 }}`, "shop-1"}},
		},
		{
			Name: "println", Signature: "value...", Result: "text", Doc: "all values with blanks in between, and the end of the line",
			Code: func(values ...any) (string, error) {
				line, err := joined("println", values, " ")
				return line + "\n", err
			},
			Examples: []Example{{`{{ println "a" 1 | trimSpace }}`, "a 1"}},
		},
		{
			Name: "printf", Signature: "format value...", Result: "text", Code: printf,
			Doc:      "as in Go; `%d` takes any whole number, `%f` any number, `%s` anything",
			Examples: []Example{{`{{ printf "%s-%02d" .metadata.name .spec.replicas }}`, "shop-03"}},
		},
		escaped("html", "escaped for HTML", `{{ html "a<b" }}`, "a&lt;b", template.HTMLEscapeString),
		escaped("js", "escaped for a text of JavaScript", `{{ js "it's" }}`, `it\'s`, template.JSEscapeString),
		escaped("urlquery", "escaped for a query of a URL", `{{ urlquery "a b" }}`, "a+b", url.QueryEscape),
	}
}

// maxWidth bounds the width and precision of a verb, which are sizes that a few characters can make huge.
const maxWidth = 1024

// printf is fmt.Sprintf with arguments read as the verb wants them: %d takes any whole number, %f any number, %t a
// boolean, %s, %v and %q the text. Widths are written in the format; * and [n] are errors.
func printf(format any, args ...any) (string, error) {
	text := Text(format)
	size, used := len(text), 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		verb, width, err := scanVerb(text[i+1:])
		if err != nil {
			return "", err
		}
		i += verb + 1
		size += width
		if text[i] == '%' {
			continue
		}
		if used == len(args) {
			return "", fmt.Errorf("printf: the format %s wants more than %d values", quote(text), len(args))
		}
		if args[used], err = verbArgument(text[i], args[used]); err != nil {
			return "", err
		}
		size += len(Text(args[used]))
		used++
	}
	if used < len(args) {
		return "", fmt.Errorf("printf: the format %s uses %d of %d values", quote(text), used, len(args))
	}
	if err := checkLength("printf", size); err != nil {
		return "", err
	}
	return bounded("printf", fmt.Sprintf(text, args...))
}

// scanVerb finds the verb behind flags, width and precision: its offset, and the sum of width and precision.
func scanVerb(rest string) (offset, width int, err error) {
	number := 0
	for i := range len(rest) {
		c := rest[i]
		switch {
		case c >= '0' && c <= '9':
			number = number*10 + int(c-'0')
			if number > maxWidth {
				return 0, 0, fmt.Errorf("printf: a width or precision of more than %d", maxWidth)
			}
		case strings.IndexByte("+-# .", c) >= 0:
			width, number = width+number, 0
		case strings.IndexByte("dxXobcqsvtfFeEgGU%", c) >= 0:
			return i, width + number, nil
		default:
			return 0, 0, fmt.Errorf("printf: %q is not a verb: use %%s, %%v, %%q, %%d, %%f or %%t", "%"+rest[:i+1])
		}
	}
	return 0, 0, fmt.Errorf("printf: the format ends in an unfinished verb %q", "%"+rest)
}

func verbArgument(verb byte, arg any) (any, error) {
	switch verb {
	case 's', 'v', 'q':
		return Text(arg), nil
	case 't':
		return toBool(arg)
	case 'f', 'F', 'e', 'E', 'g', 'G':
		n, err := number("printf", arg)
		return n.Float(), err
	case 'x', 'X':
		if s, ok := arg.(string); ok {
			return s, nil
		}
	}
	n, err := number("printf", arg)
	if err == nil && !n.whole {
		err = fmt.Errorf("printf: %s is not a whole number, as %%%c wants", quote(arg), verb)
	}
	return n.integer, err
}
