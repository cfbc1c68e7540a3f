package template

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// NotesOf are the functions that a Katalog declares, for CompileNotes.
func NotesOf(katalog *orkv1.Katalog) []Declared {
	if katalog.Notes == nil {
		return nil
	}
	at := field.NewPath("notes", "functions")
	declared := make([]Declared, 0, len(katalog.Notes.Functions))
	for i, one := range katalog.Notes.Functions {
		declared = append(declared, Declared{Name: one.Name, Expression: string(one.Expression), At: at.Index(i).Child("expression")})
	}
	return declared
}
