package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// intro is what stands above the index.
//
//go:embed intro.md
var intro string

// Generate returns the page: the introduction, an index, a table for each family, and the roots of the examples.
func Generate(roots []byte) []byte {
	var out bytes.Buffer
	out.WriteString(intro)
	families := byFamily()
	for _, family := range families {
		fmt.Fprintf(&out, "- [%s](#%s): %s\n", family[0].Family, anchor(family[0].Family), names(family))
	}
	for _, family := range families {
		fmt.Fprintf(&out, "\n## %s\n\n%s<!-- functions -->\n| function | gives | | example |\n|---|---|---|---|\n", family[0].Family, note(family))
		for _, function := range family {
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n",
				code(strings.TrimSpace(function.Name+" "+function.Signature)), function.Result, doc(function, needs(family) != ""), examples(function))
		}
	}
	fmt.Fprintf(&out, "\n## The resource of the examples\n\nThe clock stands at %s.\n\n```text\n%s```\n", notes.ExampleTime().Format("Monday, 2006-01-02 15:04:05 MST"), roots)
	return out.Bytes()
}

// byFamily groups the functions, in their order.
func byFamily() [][]notes.Function {
	var families [][]notes.Function
	for _, function := range notes.Functions() {
		if last := len(families) - 1; last >= 0 && families[last][0].Family == function.Family {
			families[last] = append(families[last], function)
		} else {
			families = append(families, []notes.Function{function})
		}
	}
	return families
}

// anchor is what a heading is called in a link.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

func names(family []notes.Function) string {
	all := make([]string, len(family))
	for i, function := range family {
		all[i] = code(function.Name)
	}
	return strings.Join(all, ", ")
}

// note is what holds for a whole family.
func note(family []notes.Function) string {
	if family[0].Random {
		return "Every evaluation draws anew. In a child that is kept as declared that is a change in every cycle: use them in `onCreate`.\n\n"
	}
	return needs(family)
}

// needs is the sentence for a family of which every function needs the same target; "" for any other.
func needs(family []notes.Function) string {
	for _, function := range family {
		if function.Needs == "" || function.Needs != family[0].Needs {
			return ""
		}
	}
	return fmt.Sprintf("All of them need `enrich: [%s]`.\n\n", family[0].Needs)
}

func doc(f notes.Function, said bool) string {
	text := strings.ReplaceAll(f.Doc, "|", `\|`)
	if f.Needs != "" && !said {
		text += fmt.Sprintf(". Needs `enrich: [%s]`", f.Needs)
	}
	return text
}

func examples(f notes.Function) string {
	all := make([]string, len(f.Examples))
	for i, example := range f.Examples {
		verb := "is"
		if f.Random {
			verb = "is such as"
		}
		all[i] = fmt.Sprintf("%s %s %s", code(example.Template), verb, code(example.Result))
	}
	return strings.Join(all, "<br>")
}

// code puts a text between backticks, in a cell of a table.
func code(text string) string {
	fence, pad := "`", ""
	if strings.Contains(text, "`") {
		fence, pad = "``", " "
	}
	return fence + pad + strings.ReplaceAll(text, "|", `\|`) + pad + fence
}
