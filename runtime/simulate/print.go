package simulate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Print writes the result as one stream of YAML: for each resource what happened as comments, then the children, and last the resource
// with its status.
func (r *Result) Print(out io.Writer) error {
	var b bytes.Buffer
	comments(&b, "warning: ", r.Warnings...)
	for _, one := range r.Resources {
		if err := one.print(&b); err != nil {
			return err
		}
	}
	_, err := out.Write(b.Bytes())
	return err //nolint:wrapcheck // says all there is to say
}

func (o *Outcome) print(b *bytes.Buffer) error {
	name := &unstructured.Unstructured{}
	name.SetNamespace(o.Namespace)
	name.SetName(o.Name)
	comments(b, "", qualified(name, o.Kind))
	comments(b, "warning: ", o.Warnings...)
	for i, cycle := range o.Cycles {
		if len(o.Cycles) > 1 {
			comments(b, "", fmt.Sprintf("cycle %d", i+1))
		}
		for _, gate := range cycle.Gates {
			comments(b, gate.Gate+": ", gate.String())
		}
		byOthers := slices.IndexFunc(cycle.Changes, func(c Change) bool { return c.Action == collected })
		if byOthers < 0 {
			byOthers = len(cycle.Changes)
		}
		for _, change := range cycle.Changes[:byOthers] {
			comments(b, "", change.String())
		}
		for _, question := range cycle.Providers {
			comments(b, "", question)
		}
		for _, change := range cycle.Changes[byOthers:] { // once the resource is gone
			comments(b, "", change.String())
		}
		if cycle.Waiting != "" {
			comments(b, "", cycle.Waiting)
		}
	}
	comments(b, "error: ", o.Errors...)
	if o.RequeueAfter != "" {
		comments(b, "", "next cycle after "+o.RequeueAfter)
	}
	documents := o.Children
	if o.Resource != nil {
		documents = append(slices.Clip(documents), o.Resource)
	}
	for _, document := range documents {
		text, err := yaml.Marshal(document.Object)
		if err != nil {
			return fmt.Errorf("print %s: %w", qualified(document, document.GetKind()), err)
		}
		fmt.Fprintf(b, "---\n%s", text)
	}
	return nil
}

// String is true, with what there is to say of it, or the reason why not.
func (g Gate) String() string {
	switch {
	case g.Pass && g.Reason == "":
		return "true"
	case g.Pass:
		return "true; " + g.Reason
	}
	return g.Reason
}

// String is what was done to what.
func (c Change) String() string {
	object := &unstructured.Unstructured{}
	object.SetNamespace(c.Namespace)
	object.SetName(c.Name)
	if c.Action == collected {
		return "delete " + qualified(object, c.Kind) + ", by garbage collection"
	}
	return c.Action + " " + qualified(object, c.Kind)
}

// comments writes texts as comments, whatever lines they have.
func comments(b *bytes.Buffer, before string, texts ...string) {
	for _, text := range texts {
		for line := range strings.Lines(before + text) {
			b.WriteString(strings.TrimRight("# "+strings.TrimRight(line, "\r\n"), " ") + "\n")
		}
	}
}
