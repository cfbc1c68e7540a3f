package cel

import (
	"fmt"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

const (
	// assumedSize is how many elements a list or map, and how many characters a text, is taken to have where the schema
	// does not say. It rates expressions; what really happens is bounded when they are evaluated.
	assumedSize = 1000
	// maxEstimate is the highest worst case of an expression: what the API server allows a rule in a CRD.
	maxEstimate = 10_000_000
)

// checkCost refuses an expression whose worst case is too expensive.
func (e *Environment) checkCost(env *cel.Env, text string, checked *cel.Ast) error {
	sizes := &sizes{roots: e.roots, ranges: map[int64]uint64{}}
	estimate, err := env.EstimateCost(checked, &library.CostEstimator{SizeEstimator: sizes})
	if err != nil {
		return problem(text, 0, "internal error: %v", err)
	}
	if estimate.Max <= maxEstimate {
		return nil
	}
	worst := "is unbounded"
	if estimate.Max < math.MaxInt64 {
		worst = fmt.Sprintf("may reach %d", estimate.Max)
	}
	said := fmt.Sprintf("too expensive: the cost %s, and the limit is %d", worst, maxEstimate)
	loop := sizes.heaviest(ast.NavigateAST(checked.NativeRep()))
	if len(loop.ranges) == 0 {
		return problem(text, 0, "%s: it works on long texts; set maxLength in the CRD's schema, or compare less", said)
	}
	walked := make([]string, len(loop.ranges))
	for i, r := range loop.ranges {
		written, err := cel.ExprToString(r, checked.NativeRep().SourceInfo())
		if err != nil {
			written = "a list"
		}
		walked[i] = template.Shorten(written)
		if size, ok := sizes.ranges[r.ID()]; ok {
			walked[i] += fmt.Sprintf(" (up to %d elements)", size)
		}
	}
	at := startOf(text, checked, loop.ranges[0])
	return problem(text, at, "%s: it walks %s; %s", said, strings.Join(walked, ", and for each of them "),
		"bound them with maxItems and maxLength in the CRD's schema, or ask for an element with in")
}

// startOf is where a part of the expression begins: the library points at its operator.
func startOf(text string, checked *cel.Ast, node ast.Expr) int {
	first := len(text)
	ast.PreOrderVisit(node, ast.NewExprVisitor(func(part ast.Expr) {
		first = min(first, offsetOf(text, checked.NativeRep().SourceInfo().GetStartLocation(part.ID())))
	}))
	return first
}

// sizes tells the checker how large values may be, from the schemas of the roots.
type sizes struct {
	roots  map[string]root
	ranges map[int64]uint64 // of the parts of the expression that were asked for
}

// EstimateSize implements checker.CostEstimator.
func (s *sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	size := uint64(assumedSize)
	switch node.Type().Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.NullTypeKind, types.TimestampKind, types.DurationKind:
		return nil // the library knows them
	case types.StructKind, types.TypeKind, types.OpaqueKind:
		size = 1
	default: // of any size
	}
	if found := s.at(node.Path()); found != nil {
		size = found.size
	}
	if node.Expr() != nil {
		s.ranges[node.Expr().ID()] = size
	}
	return &checker.SizeEstimate{Max: size}
}

// EstimateCallCost leaves calls to the library.
func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// at follows a path in the words of the checker.
func (s *sizes) at(path []string) *schema {
	if len(path) == 0 {
		return nil
	}
	found := s.roots[path[0]].schema
	for _, name := range path[1:] {
		switch {
		case found == nil:
			return nil
		case name == "@keys":
			found = plainText
		case found.element != nil:
			found = found.element
		default:
			_, found = found.field(name)
		}
	}
	return found
}

// loop is a walk through lists within one another, from the outermost, and how often its innermost step may run.
type loop struct {
	ranges []ast.Expr
	steps  uint64
}

// heaviest finds the loop with the most steps.
func (s *sizes) heaviest(node ast.NavigableExpr) loop {
	heaviest := loop{steps: 1}
	for _, child := range node.Children() {
		if inner := s.heaviest(child); inner.steps > heaviest.steps || len(heaviest.ranges) == 0 {
			heaviest = inner
		}
	}
	if node.Kind() == ast.ComprehensionKind {
		r := node.AsComprehension().IterRange()
		if size := s.of(r); size > 0 {
			heaviest.ranges = append([]ast.Expr{r}, heaviest.ranges...)
			heaviest.steps *= size
		}
	}
	return heaviest
}

func (s *sizes) of(node ast.Expr) uint64 {
	if size, ok := s.ranges[node.ID()]; ok {
		return size
	}
	if node.Kind() == ast.ListKind {
		return uint64(len(node.AsList().Elements()))
	}
	return assumedSize
}
