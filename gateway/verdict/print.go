package verdict

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// Print writes verdicts for people.
func Print(out io.Writer, verdicts []Verdict) error {
	var text strings.Builder
	for _, v := range verdicts {
		v.print(&text)
	}
	_, err := io.WriteString(out, text.String())
	return err //nolint:wrapcheck // says all there is to say
}

func (v *Verdict) print(out *strings.Builder) {
	name := v.Name
	if v.Namespace != "" {
		name = v.Namespace + "/" + name
	}
	said := "allowed"
	if !v.Allowed {
		said = "denied"
	}
	fmt.Fprintf(out, "%s %s, %s: %s\n", v.Kind, name, v.Operation, said)
	for _, one := range v.Changes {
		fmt.Fprintf(out, "  sets     %s: %s -> %s (%s)\n", one.Path, written(one.From), written(one.To), notes.TypeOf(one.To))
	}
	for _, one := range v.Violations {
		fmt.Fprintf(out, "  denies   %s: %s\n", one.Field, one.Message)
	}
	if !v.Allowed && len(v.Violations) == 0 {
		fmt.Fprintf(out, "  denies   %s\n", v.Reason)
	}
	for _, one := range v.Warnings {
		fmt.Fprintf(out, "  warns    %s\n", one)
	}
	for _, one := range v.Notes {
		fmt.Fprintf(out, "  note     %s\n", one)
	}
}

// written is a value in one line.
func written(value any) string {
	if value == nil {
		return "none"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
