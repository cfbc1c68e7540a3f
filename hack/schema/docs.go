package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// comment is what the source says of a type or field.
type comment struct {
	text    string            // for people, without markers
	markers map[string]string // +kubebuilder:validation markers, by what follows that prefix
}

// comments of a package, by type name or, for fields, Type.Field.
type comments map[string]comment

// readComments parses the Go files of a directory.
func readComments(dir string) (comments, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no Go files in %s (%w)", dir, err)
	}
	out := comments{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", path, err)
		}
		for _, declaration := range file.Decls {
			if general, ok := declaration.(*ast.GenDecl); ok && general.Tok == token.TYPE {
				out.add(general)
			}
		}
	}
	return out, nil
}

func (c comments) add(declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		c[t.Name.Name] = parseComment(declaration.Doc)
		fields, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			for _, name := range f.Names {
				c[t.Name.Name+"."+name.Name] = parseComment(f.Doc)
			}
		}
	}
}

var marker = regexp.MustCompile(`^\+kubebuilder:validation:(\w+)=(.*)$`)

func parseComment(group *ast.CommentGroup) comment {
	out := comment{markers: map[string]string{}}
	if group == nil {
		return out
	}
	var text []string
	for line := range strings.Lines(group.Text()) {
		line = strings.TrimSpace(line)
		if match := marker.FindStringSubmatch(line); match != nil {
			out.markers[match[1]] = match[2]
		}
		if line != "" && !strings.HasPrefix(line, "+") {
			text = append(text, line)
		}
	}
	out.text = strings.Join(text, " ")
	return out
}

// bounds copies the numeric limits of a field to its schema.
func (c comment) bounds(schema object) {
	for from, to := range map[string]string{"Minimum": "minimum", "Maximum": "maximum", "MinItems": "minItems", "MaxProperties": "maxProperties"} {
		if limit, err := strconv.Atoi(c.markers[from]); err == nil {
			schema[to] = limit
		}
	}
}
