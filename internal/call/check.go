package call

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Check tells of the calls that the clients of a program will not make, whatever the resource: for want of one for the protocol, which another
// program may have, or because it refuses a query that no resource has a say in. The places are those in the document.
func (l List) Check(clients external.Registry) (missing, refused field.ErrorList) {
	for _, one := range l {
		client := clients[one.Base.Protocol]
		if client == nil {
			missing = append(missing, field.Invalid(one.At.Child("protocol"), string(one.Base.Protocol), "has no client in this program (it has: "+
				clients.Names()+"); run the Katalog with one that has it, or add it to External of the program's options: see docs/external.md"))
			continue
		}
		checker, checks := client.(external.Checker)
		if one.Texts == nil { // it does not compile, which is said
			continue
		}
		texts := one.Texts.Declared()
		if !checks || strings.Contains(string(texts.Query), "{{") {
			continue
		}
		if err := checker.Check(string(texts.Query), spelled(texts.Args)); err != nil {
			refused = append(refused, field.Invalid(one.At.Child("query"), string(texts.Query), err.Error()))
		}
	}
	return missing, refused
}

func spelled(texts []orkv1.Template) []string {
	all := make([]string, 0, len(texts))
	for _, text := range texts {
		all = append(all, string(text))
	}
	return all
}
