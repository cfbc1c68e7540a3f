package cel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// explain turns the first error of the library, which gives texts only, into one that tells what to write instead.
// TestCompileErrors holds the texts of the version in use.
func (e *Environment) explain(env *cel.Env, text string, errs []*cel.Error) *template.SyntaxError {
	first := slices.MinFunc(errs, func(a, b *cel.Error) int {
		return offsetOf(text, a.Location) - offsetOf(text, b.Location)
	})
	at, message := offsetOf(text, first.Location), firstLine(first.Message)
	if said, ok := strings.CutPrefix(message, "Syntax error: "); ok {
		if braces := strings.Index(text, "{{"); braces >= 0 {
			return problem(text, braces, "braces belong to templates: in CEL a field is written as spec.name")
		}
		return problem(text, at, "%s", unexpected(said))
	}
	if found := scan(message, "undeclared reference to '%' (in container '%')"); found != nil {
		return problem(text, at, "%s", e.unknown(env, text, first.ExprID, found[0]))
	}
	if found := scan(message, "undefined field '%'"); found != nil {
		if strings.HasPrefix(text[at:], ".") { // the library points at the dot
			at++
		}
		return problem(text, at, "%s", e.unknownField(env, text, first.ExprID, found[0]))
	}
	if found := scan(message, "found no matching overload for '%' applied to '%'"); found != nil {
		return problem(text, at, "%s", noOverload(env, found[0], found[1]))
	}
	return problem(text, at, "%s", reworded(message))
}

// reworded says in plain words what needs no more than the message to be said.
func reworded(message string) string {
	if found := scan(message, "expression of type '%' cannot be range of a comprehension%"); found != nil {
		return found[0] + " has no elements to walk through: it must be a list or a map"
	}
	if found := scan(message, "type '%' does not support field selection"); found != nil {
		return found[0] + " has no fields"
	}
	switch {
	case strings.Contains(message, "argument to has() macro"):
		return "has() asks for a field, as in has(spec.name)"
	case message == "invalid duration argument":
		return "not a duration: write one such as duration('1h30m')"
	case message == "invalid timestamp argument":
		return "not a moment: write one such as timestamp('2026-01-02T15:04:05Z')"
	case strings.HasPrefix(message, "expression recursion limit exceeded"):
		return "the expression is nested too deeply"
	case strings.HasPrefix(message, "expression code point size exceeds limit"):
		return fmt.Sprintf("the expression is longer than %d characters", maxExpression)
	}
	return message
}

// offsetOf is the place in bytes of what the library counts in lines from 1 and characters from 0.
func offsetOf(text string, l common.Location) int {
	offset := 0
	for range l.Line() - 1 {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	for range l.Column() {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}

// scan reads the texts that stand for % in a pattern; nil when the message has another form.
func scan(message, pattern string) []string {
	parts := strings.Split(pattern, "%")
	rest, ok := strings.CutPrefix(message, parts[0])
	if !ok {
		return nil
	}
	var found []string
	for _, part := range parts[1:] {
		text := rest
		if part != "" {
			if text, rest, ok = strings.Cut(rest, part); !ok {
				return nil
			}
		}
		found = append(found, text)
	}
	return found
}

// unexpected drops the list of every token that could have come instead.
func unexpected(said string) string {
	said, _, _ = strings.Cut(said, " expecting ")
	if token, ok := strings.CutPrefix(said, "missing "); ok {
		token, _, _ = strings.Cut(token, " at ")
		return token + " is missing"
	}
	for _, prefix := range []string{"mismatched input ", "extraneous input ", "no viable alternative at input ", "token recognition error at: "} {
		if token, ok := strings.CutPrefix(said, prefix); ok {
			if strings.Contains(token, "<EOF>") {
				return "the expression ends too early"
			}
			if strings.HasPrefix(token, "'= ") || token == "'='" {
				return "unexpected '=': two values are compared with =="
			}
			return "unexpected " + token
		}
	}
	return said
}

// unknown is about the name of a variable or a function.
func (e *Environment) unknown(env *cel.Env, text string, id int64, name string) string {
	if node, _ := find(env, text, id); node != nil && node.Kind() == ast.CallKind {
		return fmt.Sprintf("unknown function %q%s", name, meant(name, functionNames(env)))
	}
	roots := slices.Sorted(maps.Keys(e.roots))
	if hint := meant(name, roots); hint != "" {
		return fmt.Sprintf("unknown name %q%s", name, hint)
	}
	return fmt.Sprintf("unknown name %q (valid: %s)", name, strings.Join(roots, ", "))
}

func functionNames(env *cel.Env) []string {
	names := make([]string, 0, len(env.Functions()))
	for name := range env.Functions() {
		if !strings.ContainsAny(name, "@_!-") {
			names = append(names, name)
		}
	}
	for _, macro := range env.Macros() {
		names = append(names, macro.Function())
	}
	return names
}

func (e *Environment) unknownField(env *cel.Env, text string, id int64, name string) string {
	said := fmt.Sprintf("the schema has no field %q", name)
	node, loops := find(env, text, id)
	if node == nil || node.Kind() != ast.SelectKind {
		return said
	}
	operand := node.AsSelect().Operand()
	s := e.schemaOf(operand, loops)
	if s == nil {
		return said
	}
	if written, err := cel.ExprToString(operand, ast.NewSourceInfo(nil)); err == nil {
		said = fmt.Sprintf("%s has no field %q", written, name)
	}
	fields := slices.Sorted(maps.Keys(s.fields))
	if hint := meant(name, fields); hint != "" || len(fields) == 0 {
		return said + hint
	}
	const most = 20
	if len(fields) > most {
		return said
	}
	return fmt.Sprintf("%s (valid: %s)", said, strings.Join(fields, ", "))
}

// schemaOf follows fields and indexes from a root, or from the variable of a loop; nil when the expression is anything
// else.
func (e *Environment) schemaOf(node ast.Expr, loops map[string]ast.Expr) *schema {
	switch node.Kind() {
	case ast.IdentKind:
		if walked, ok := loops[node.AsIdent()]; ok {
			if s := e.schemaOf(walked, nil); s != nil && s.celType.Kind() == types.ListKind {
				return s.element
			}
			return nil
		}
		return e.roots[strings.TrimPrefix(node.AsIdent(), ".")].schema
	case ast.SelectKind:
		if s := e.schemaOf(node.AsSelect().Operand(), loops); s != nil {
			if s.element != nil {
				return s.element
			}
			_, field := s.field(node.AsSelect().FieldName())
			return field
		}
	case ast.CallKind:
		if call := node.AsCall(); call.FunctionName() == operators.Index {
			if s := e.schemaOf(call.Args()[0], loops); s != nil {
				return s.element
			}
		}
	default: // a value that is computed
	}
	return nil
}

// noOverload says what an operator or function can't take, and what a function can.
func noOverload(env *cel.Env, name, signature string) string {
	if symbol, ok := operators.FindReverse(name); ok && symbol != "" {
		return fmt.Sprintf("%s can't be applied to %s", symbol, signature)
	}
	if name == operators.Conditional {
		return fmt.Sprintf("?: can't be applied to %s: a bool decides between two values of one type", signature)
	}
	if name == operators.Index {
		return noElement(signature)
	}
	var valid []string
	if function := env.Functions()[name]; function != nil {
		for _, o := range function.OverloadDecls() {
			arguments := make([]string, len(o.ArgTypes()))
			for i, t := range o.ArgTypes() {
				arguments[i] = typeName(t)
			}
			target := ""
			if o.IsMemberFunction() {
				target, arguments = arguments[0]+".", arguments[1:]
			}
			valid = append(valid, fmt.Sprintf("%s%s(%s)", target, name, strings.Join(arguments, ", ")))
		}
	}
	written := name + signature
	if strings.Contains(signature, ".(") {
		written = strings.Replace(signature, ".(", "."+name+"(", 1)
	}
	const most = 8
	if len(valid) == 0 || len(valid) > most {
		return "there is no " + written
	}
	return fmt.Sprintf("there is no %s (valid: %s)", written, strings.Join(valid, "; "))
}

// noElement is about a value in brackets behind another one. The signature has the types of both.
func noElement(signature string) string {
	said := "there is no element " + signature
	switch {
	case strings.HasPrefix(signature, "(object "):
		return said + ": a field is written with a dot, as spec.name"
	case strings.HasPrefix(signature, "(list("):
		return said + ": an element of a list is asked for by its position, as list[0], and found by a field with exists or filter"
	case strings.HasPrefix(signature, "(map("):
		return said + ": an element of a map is asked for by its key, a text in quotes"
	default:
		return said + ": only lists and maps have elements"
	}
}

func meant(name string, known []string) string {
	if word := nearest.Word(name, known); word != "" {
		return fmt.Sprintf(": did you mean %q?", word)
	}
	return ""
}

// find is the part of the expression with an id, and what the loops before it walk through, by their variables; nil when
// there is none.
func find(env *cel.Env, text string, id int64) (found ast.Expr, loops map[string]ast.Expr) {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, nil
	}
	loops = map[string]ast.Expr{}
	ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(node ast.Expr) {
		if found != nil {
			return
		}
		if node.Kind() == ast.ComprehensionKind {
			loops[node.AsComprehension().IterVar()] = node.AsComprehension().IterRange()
		}
		if node.ID() == id {
			found = node
		}
	}))
	return found, loops
}
