package difference

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// Identity is Kind.group namespace/name.
func Identity(object *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %s/%s", object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName())
}

// Lacking lists what of want is not in have. Numbers and quantities are compared by their values: the server has its own spelling. What is
// generated has to be there. A list has to have as many elements.
func Lacking(want, have map[string]any) []string { return lacking("", want, have) }

func lacking(path string, want, have any) []string {
	var all []string
	switch want := want.(type) {
	case map[string]any:
		fields, _ := have.(map[string]any)
		for name, value := range want {
			all = append(all, lacking(path+"."+name, value, fields[name])...)
		}
	case []any:
		elements, _ := have.([]any)
		if len(elements) != len(want) {
			return []string{fmt.Sprintf("%s has %d elements, %d are simulated", path, len(elements), len(want))}
		}
		for i := range want {
			all = append(all, lacking(fmt.Sprintf("%s[%d]", path, i), want[i], elements[i])...)
		}
	default:
		if want == simulate.Generated && have != nil {
			return nil
		}
		if a, b := fmt.Sprint(want), fmt.Sprint(have); a != b && !sameQuantity(a, b) {
			return []string{fmt.Sprintf("%s is %v, %v is simulated", path, have, want)}
		}
	}
	return all
}

func sameQuantity(a, b string) bool {
	x, err := resource.ParseQuantity(a)
	if err != nil {
		return false
	}
	y, err := resource.ParseQuantity(b)
	return err == nil && x.Cmp(y) == 0
}
