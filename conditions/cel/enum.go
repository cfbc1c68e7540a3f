package cel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/orkestra-runtime/orkestra/api/nearest"
)

// textsOf are the values of an enum of texts, nil if it has others, too.
func textsOf(values []apiextensionsv1.JSON) []string {
	var texts []string
	for _, value := range values {
		var text string
		if json.Unmarshal(value.Raw, &text) != nil {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

// checkEnums reports an equality with a text that the field can't have. The empty text is that of a field which is not set.
func (e *Environment) checkEnums(text string, checked *cel.Ast) error {
	for _, node := range ast.MatchDescendants(ast.NavigateAST(checked.NativeRep()), ast.KindMatcher(ast.CallKind)) {
		operands := node.Children()
		var fields, values []ast.NavigableExpr
		switch node.AsCall().FunctionName() {
		case operators.Equals:
			fields, values = operands, []ast.NavigableExpr{operands[1], operands[0]}
		case operators.In:
			if operands[1].Kind() != ast.ListKind {
				continue
			}
			values = operands[1].Children()
			fields = slices.Repeat(operands[:1], len(values))
		default:
			continue
		}
		for i, field := range fields {
			value, ok := values[i].AsLiteral().(types.String)
			s := e.schemaOf(field, loopsAround(node))
			if !ok || value == "" || s == nil || s.values == nil || slices.Contains(s.values, string(value)) {
				continue
			}
			said := fmt.Sprintf("the field is never %q: it is one of %s", string(value), strings.Join(s.values, ", "))
			if near := nearest.Word(string(value), s.values); near != "" {
				said += fmt.Sprintf("; did you mean %q?", near)
			}
			return problem(text, offsetOf(text, checked.NativeRep().SourceInfo().GetStartLocation(values[i].ID())), "%s", said)
		}
	}
	return nil
}

// loopsAround are the names of the loops around an expression, with what each walks through.
func loopsAround(node ast.NavigableExpr) map[string]ast.Expr {
	loops := map[string]ast.Expr{}
	for above, ok := node.Parent(); ok; above, ok = above.Parent() {
		if above.Kind() != ast.ComprehensionKind {
			continue
		}
		loop := above.AsComprehension()
		for _, name := range []string{loop.IterVar(), loop.IterVar2()} {
			if _, inner := loops[name]; !inner {
				loops[name] = loop.IterRange()
			}
		}
	}
	return loops
}
