package examples_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// printed is what ork prints when everything is settled: resources, each with a table of its children.
type printed []resource

type resource struct {
	unstructured.Unstructured
	// table is the lines of the table, without the comment signs.
	table []string
}

// object names something in the cluster.
type object struct{ kind, namespace, name string }

// read takes the output apart. It is one YAML stream; the tables are comments behind each document.
func read(t *testing.T, out string) printed {
	t.Helper()
	var all printed
	for document := range strings.SplitSeq(out, "---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		var one resource
		if err := yaml.Unmarshal([]byte(document), &one.Object); err != nil {
			t.Fatalf("the output is not YAML: %v\n%s", err, out)
		}
		for line := range strings.Lines(document) {
			if row, ok := strings.CutPrefix(line, "# "); ok {
				one.table = append(one.table, strings.TrimRight(row, "\n"))
			}
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		t.Fatalf("nothing is printed:\n%s", out)
	}
	return all
}

// String is what does not differ from run to run.
func (p printed) String() string {
	var b strings.Builder
	for _, one := range p {
		head := fmt.Sprintf("%s %s/%s %s", one.GetKind(), orDash(one.GetNamespace()), one.GetName(), one.ready())
		fmt.Fprintln(&b, strings.TrimSpace(head))
		b.WriteString(one.status())
		for _, row := range one.table {
			fmt.Fprintf(&b, "    %s\n", row)
		}
	}
	return b.String()
}

// ready is the condition that sums up, or "" for a kind that has none of ours.
func (r *resource) ready() string {
	conditions, _, _ := unstructured.NestedSlice(r.Object, "status", "conditions")
	for _, given := range conditions {
		condition, ok := given.(map[string]any)
		if ok && condition["type"] == orkv1.ConditionReady {
			return fmt.Sprintf("Ready=%v %v", condition["status"], condition["reason"])
		}
	}
	return ""
}

// status is the fields that a Katalog declares.
func (r *resource) status() string {
	fields, _, _ := unstructured.NestedMap(r.Object, "status")
	delete(fields, "conditions")
	if r.ready() == "" || len(fields) == 0 {
		return ""
	}
	text, err := yaml.Marshal(fields)
	if err != nil {
		return err.Error()
	}
	return "  " + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n  ") + "\n"
}

// objects are all that was printed: the resources and their children.
func (p printed) objects() []object {
	var all []object
	for _, one := range p {
		all = append(all, object{one.GetKind(), one.GetNamespace(), one.GetName()})
		for _, row := range one.table[min(1, len(one.table)):] {
			columns := strings.Fields(row)
			namespace, name, _ := strings.Cut(columns[1], "/")
			all = append(all, object{columns[0], strings.TrimPrefix(namespace, "-"), name})
		}
	}
	return all
}

// roots are the resources that nobody but a person made.
func (p printed) roots() []object {
	var roots []object
	for _, one := range p {
		if len(one.GetOwnerReferences()) == 0 {
			roots = append(roots, object{one.GetKind(), one.GetNamespace(), one.GetName()})
		}
	}
	return roots
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
