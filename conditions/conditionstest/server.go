package conditionstest

import (
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
)

// server is the environment in which the API server evaluates expressions about objects, without its libraries.
var server = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(cel.Variable("object", cel.DynType), cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true))
})

// InServer is an expression over object, null where it is nil, as the API server evaluates it for a webhook. It fails the test where the expression fails.
func InServer(tb testing.TB, expression string) func(object map[string]any) bool {
	tb.Helper()
	env, err := server()
	if err != nil {
		tb.Fatal(err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		tb.Fatalf("%s: %v", expression, issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		tb.Fatalf("%s: %v", expression, err)
	}
	return func(object map[string]any) bool {
		tb.Helper()
		variables := map[string]any{"object": nil}
		if object != nil {
			variables["object"] = object
		}
		result, _, err := program.Eval(variables)
		if err != nil {
			tb.Fatalf("%s fails for %v, which denies it: %v", expression, object, err)
		}
		return result.Value() == true
	}
}
