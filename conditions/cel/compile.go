package cel

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// CompileBool compiles an expression that is a condition: its type is bool, or is known only at evaluation.
func (e *Environment) CompileBool(expression string) (*Program, error) {
	p, err := e.Compile(expression)
	if err != nil {
		return nil, err
	}
	if !p.output.IsAssignableType(cel.BoolType) {
		return nil, problem(expression, 0, "gives %s, and a condition wants bool: compare it with something", typeName(p.output))
	}
	return p, nil
}

// Compile compiles an expression of any type. An error is a *template.SyntaxError: it tells line and column inside the
// text for wrong syntax, unknown names, fields that the schema does not have, wrong types, and an expression that could
// cost too much.
func (e *Environment) Compile(expression string) (p *Program, err error) {
	template.CountParsed()
	// The parser and checker read what a person wrote: a defect of theirs must not end the process.
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, problem(expression, 0, "internal error of the CEL library: %v", r)
		}
	}()
	if strings.TrimSpace(expression) == "" {
		return nil, problem(expression, 0, "the expression is empty: write one such as spec.replicas > 1")
	}
	env, err := e.extended()
	if err != nil {
		return nil, problem(expression, 0, "internal error: %v", err)
	}
	checked, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, e.explain(env, expression, issues.Errors())
	}
	if err := checkPatterns(expression, checked); err != nil {
		return nil, err
	}
	if err := e.checkEnums(expression, checked); err != nil {
		return nil, err
	}
	if err := e.checkCost(env, expression, checked); err != nil {
		return nil, err
	}
	root := ast.NavigateAST(checked.NativeRep())
	loops := len(ast.MatchDescendants(root, ast.KindMatcher(ast.ComprehensionKind))) > 0
	program, err := env.Program(checked, programOptions(loops)...)
	if err != nil {
		return nil, problem(expression, 0, "%s", firstLine(err.Error()))
	}
	return &Program{
		source:     expression,
		program:    program,
		roots:      e.roots,
		output:     checked.OutputType(),
		references: references(root, e.roots),
		loops:      loops,
	}, nil
}

// checkPatterns reports a regular expression that is written in the text and does not compile.
func checkPatterns(text string, checked *cel.Ast) error {
	var err error
	ast.PreOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(node ast.Expr) {
		if node.Kind() != ast.CallKind || err != nil {
			return
		}
		call := node.AsCall()
		switch call.FunctionName() {
		case "matches", "find", "findAll":
		default:
			return
		}
		arguments := call.Args()
		if !call.IsMemberFunction() {
			arguments = arguments[1:]
		}
		pattern, ok := arguments[0].AsLiteral().(types.String)
		if !ok {
			return
		}
		_, wrong := regexp.Compile(string(pattern))
		if syntaxError, ok := errors.AsType[*syntax.Error](wrong); ok {
			at := offsetOf(text, checked.NativeRep().SourceInfo().GetStartLocation(arguments[0].ID()))
			err = problem(text, at, "not a regular expression: %s in %q", syntaxError.Code, template.Shorten(syntaxError.Expr))
		}
	}))
	return err
}

// problem is a SyntaxError at an offset of the text, in bytes.
func problem(text string, offset int, format string, args ...any) *template.SyntaxError {
	before := text[:offset]
	return &template.SyntaxError{
		Line:    1 + strings.Count(before, "\n"),
		Column:  len(before) - strings.LastIndexByte(before, '\n'),
		Problem: fmt.Sprintf(format, args...),
	}
}

// typeName is the name of a type as messages show it.
func typeName(t *cel.Type) string { return cel.FormatCELType(t) }

func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}
