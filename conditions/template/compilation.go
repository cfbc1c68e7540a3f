package template

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// compilation collects what is found while a value with many texts is compiled.
type compilation struct {
	language   *Language
	errors     field.ErrorList
	references [][]string
	random     []string
}

// leaf compiles one text; nil when the text is used as it is, or does not compile.
func (c *compilation) leaf(text string, at *field.Path) *leaf {
	if !strings.Contains(text, "{{") {
		return nil
	}
	program, errs := c.language.Compile(text, at)
	if len(errs) > 0 {
		c.errors = append(c.errors, errs...)
		return nil
	}
	c.references = append(c.references, program.References()...)
	if program.random {
		c.random = append(c.random, at.String())
	}
	return &leaf{program: program, at: at.String()}
}

// leaf is a program and the path of its text, for errors.
type leaf struct {
	program *Program
	at      string
}
