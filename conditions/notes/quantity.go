package notes

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func quantityFamily() []Function {
	return []Function{
		{
			Name: "parseQuantity", Signature: "s", Result: "number", Code: parseQuantity, Doc: "the number that a quantity of Kubernetes stands for",
			Examples: []Example{{`{{ parseQuantity "250m" }}`, "0.25"}, {`{{ parseQuantity "1Ki" }}`, "1024"}},
		},
		{
			Name: "formatQuantity", Signature: "number", Result: "text", Code: formatQuantity,
			Doc:      "the shortest quantity; whole mebibytes are written in Mi, Gi, ...",
			Examples: []Example{{"{{ formatQuantity 0.25 }}", "250m"}, {`{{ formatQuantity 2147483648 }}`, "2Gi"}},
		},
		{
			Name: "sumQuantity", Signature: "a b", Result: "text", Doc: "the sum, in the notation of `a`",
			Code: func(a, b any) (string, error) {
				return combine("sumQuantity", a, b, func(x *resource.Quantity, y resource.Quantity) { x.Add(y) })
			},
			Examples: []Example{{`{{ sumQuantity "1Gi" "512Mi" }}`, "1536Mi"}},
		},
		{
			Name: "subtractQuantity", Signature: "a b", Result: "text", Doc: "the difference, in the notation of `a`",
			Code: func(a, b any) (string, error) {
				return combine("subtractQuantity", a, b, func(x *resource.Quantity, y resource.Quantity) { x.Sub(y) })
			},
			Examples: []Example{{`{{ subtractQuantity "1" "250m" }}`, "750m"}},
		},
	}
}

func quantity(function string, value any) (resource.Quantity, error) {
	text := strings.TrimSpace(Text(value))
	if text == "" {
		return resource.Quantity{Format: resource.DecimalSI}, nil
	}
	wrong := fmt.Errorf("%s: %s is not a quantity: use a number with a unit or without, such as 250m, 2 or 1Gi", function, quote(value))
	q, err := orkv1.ParseQuantity(text)
	if err != nil {
		return resource.Quantity{}, wrong
	}
	return q, nil
}

func parseQuantity(s any) (float64, error) {
	q, err := quantity("parseQuantity", s)
	n := q.AsApproximateFloat64()
	if math.IsInf(n, 0) {
		return 0, fmt.Errorf("parseQuantity: %s is out of range (64 bits)", quote(s))
	}
	return n, err
}

func formatQuantity(value any) (string, error) {
	n, err := number("formatQuantity", value)
	if err != nil {
		return "", err
	}
	const mebi, mega = 1 << 20, 1_000_000
	if n.whole && n.integer != 0 && n.integer%mebi == 0 && n.integer%mega != 0 {
		return resource.NewQuantity(n.integer, resource.BinarySI).String(), nil
	}
	if math.Abs(n.Float()) > math.MaxInt64 {
		return "", fmt.Errorf("formatQuantity: %s is out of range (64 bits)", quote(value))
	}
	// A quantity has no digits below nano.
	q, err := quantity("formatQuantity", strconv.FormatFloat(n.Float(), 'f', 9, 64))
	if n.whole {
		q, err = *resource.NewQuantity(n.integer, resource.DecimalSI), nil
	}
	return q.String(), err
}

func combine(function string, a, b any, operation func(*resource.Quantity, resource.Quantity)) (string, error) {
	x, err := quantity(function, a)
	if err != nil {
		return "", err
	}
	y, err := quantity(function, b)
	if err != nil {
		return "", err
	}
	if x.IsZero() {
		x.Format = y.Format
	}
	operation(&x, y)
	return x.String(), nil
}
