package cel

import (
	"fmt"
	"math"
	"sync"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// maxWork bounds one call: the pairs of elements that it compares, or the characters that it writes. It is the size of the
// largest request to the API server, in bytes.
const maxWork = uint64(celconfig.MaxRequestSizeBytes)

// heavy lists the functions that can do far more than their operands are large, and at most how much. A call that would
// do too much is refused before it starts: nothing can stop it later.
var heavy = map[string]func(args []ref.Val) uint64{
	"replace":         times(2),
	"join":            written,
	"format":          written,
	"strings.quote":   sum,
	"flatten":         sum,
	"distinct":        times(0),
	"sets.contains":   times(1),
	"sets.equivalent": times(1),
	"sets.intersects": times(1),
	"indexOf":         times(1),
	"lastIndexOf":     times(1),
	"matches":         times(1),
	"find":            times(1),
	"findAll":         times(1),
	"quantity":        digits,
	"isQuantity":      digits,
}

// heavyInLoops do so only with values that a loop made of themselves, as x + x and [x, x]. The library has no functions
// for some of these operators.
var heavyInLoops = map[string]struct {
	work func(args []ref.Val) uint64
	run  functions.FunctionOp
}{
	operators.Add:       {joined, add},
	operators.Equals:    {sum, func(args ...ref.Val) ref.Val { return types.Equal(args[0], args[1]) }},
	operators.NotEquals: {sum, func(args ...ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }},
	operators.In:        {searched, contains},
}

// joined is the length of a text that two make. Lists are put together without a copy.
func joined(args []ref.Val) uint64 {
	switch args[0].(type) {
	case types.String, types.Bytes:
		return sum(args)
	}
	return 0
}

func add(args ...ref.Val) ref.Val {
	if adder, ok := args[0].(traits.Adder); ok {
		return adder.Add(args[1])
	}
	return types.MaybeNoSuchOverloadErr(args[0])
}

// searched is the size of a list. A key of a map is found at once.
func searched(args []ref.Val) uint64 {
	if _, ok := args[1].(traits.Lister); ok {
		return sizeOf(args[1])
	}
	return 0
}

func contains(args ...ref.Val) ref.Val {
	if container, ok := args[1].(traits.Container); ok {
		return container.Contains(args[0])
	}
	return types.MaybeNoSuchOverloadErr(args[1])
}

// times multiplies the size of the first operand with that of another one.
func times(other int) func(args []ref.Val) uint64 {
	return func(args []ref.Val) uint64 {
		if other >= len(args) {
			return 0
		}
		return sizeOf(args[0]) * sizeOf(args[other])
	}
}

func sum(args []ref.Val) uint64 {
	var size uint64
	for _, arg := range args {
		size += sizeOf(arg)
	}
	return size
}

// written adds up the texts of a list, and the other texts once for each of them.
func written(args []ref.Val) uint64 {
	var size uint64
	repeated := uint64(1)
	for _, arg := range args {
		if list, ok := arg.(traits.Lister); ok {
			count, _ := list.Size().(types.Int)
			repeated = uint64(max(1, count))
			size += sizeOf(arg)
		}
	}
	for _, arg := range args {
		if _, ok := arg.(traits.Lister); !ok {
			size += repeated * sizeOf(arg)
		}
	}
	return size
}

// digits is for a number of which all digits are computed with, as 1e9 has ten of them.
func digits(args []ref.Val) uint64 {
	text, ok := args[0].(types.String)
	switch {
	case !ok:
		return 0
	case !orkv1.QuantityInRange(string(text)):
		return math.MaxUint64
	default:
		return uint64(len(text))
	}
}

// sizeOf counts characters, and elements at any depth. It is at least 1, so that nothing hides a large factor, and stops
// soon after maxWork.
func sizeOf(value ref.Val) uint64 {
	switch v := value.(type) {
	case types.String:
		return uint64(max(1, len(v)))
	case types.Bytes:
		return uint64(max(1, len(v)))
	case traits.Mapper:
		return sizeOfElements(v, func(key ref.Val) uint64 {
			element, _ := v.Find(key)
			return sizeOf(key) + sizeOf(element)
		})
	case traits.Lister:
		return sizeOfElements(v, sizeOf)
	}
	return 1
}

func sizeOfElements(value traits.Iterable, sizeOfElement func(ref.Val) uint64) uint64 {
	size := uint64(1)
	for i := value.Iterator(); i.HasNext() == types.True && size <= maxWork; {
		size += sizeOfElement(i.Next())
	}
	return size
}

// implementations are those of the heavy functions, by the names under which a call finds them.
var implementations = sync.OnceValues(func() (map[string]functions.FunctionOp, error) {
	env, err := libraries()
	if err != nil {
		return nil, err
	}
	found := map[string]functions.FunctionOp{}
	for name := range heavy {
		function := env.Functions()[name]
		if function == nil {
			return nil, fmt.Errorf("the library has no function %s", name)
		}
		overloads, err := function.Bindings()
		if err != nil {
			return nil, err
		}
		for _, o := range overloads {
			found[o.Operator] = operation(o)
		}
	}
	return found, nil
})

func operation(o *functions.Overload) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		switch {
		case len(args) == 1 && o.Unary != nil:
			return o.Unary(args[0])
		case len(args) == 2 && o.Binary != nil:
			return o.Binary(args[0], args[1])
		case o.Function != nil:
			return o.Function(args...)
		}
		return types.NoSuchOverloadErr()
	}
}

// guard wraps the calls of heavy functions.
func guard(loops bool) interpreter.InterpretableDecoratorV2 {
	return func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		call, ok := i.(interpreter.InterpretableCall)
		if !ok {
			return i, nil
		}
		name := call.Function()
		if work := heavy[name]; work != nil {
			known, err := implementations()
			if err != nil {
				return nil, err
			}
			run, ok := known[call.OverloadID()]
			if !ok {
				run = known[name] // it finds the overload by the values
			}
			return bounded(call, work, run), nil
		}
		if operator, ok := heavyInLoops[name]; ok && loops {
			return bounded(call, operator.work, operator.run), nil
		}
		return i, nil
	}
}

// bounded is a call that is not made when it would do too much.
func bounded(call interpreter.InterpretableCall, work func([]ref.Val) uint64, run functions.FunctionOp) interpreter.InterpretableCall {
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
		if work(args) > maxWork {
			return types.NewErr("%s is given too much: its work may exceed the limit of %d", symbol(call.Function()), maxWork)
		}
		return run(args...)
	})
}

// symbol is an operator as it is written, and the name of a function.
func symbol(name string) string {
	if written, ok := operators.FindReverse(name); ok && written != "" {
		return written
	}
	return name
}
