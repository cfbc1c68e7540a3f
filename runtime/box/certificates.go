package box

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// certificate is a Secret that an Ingress declares, by the paths of both.
type certificate struct{ secret, ingress string }

// declareCertificates adds the Secrets of those Ingresses that have a certificate made to their blocks, behind the declared ones.
func declareCertificates(box *orkv1.OperatorBox, at *field.Path) []certificate {
	blocks := map[string]*orkv1.Block{"onCreate": box.OnCreate, "onReconcile": box.OnReconcile}
	if box.Rollback != nil {
		blocks["rollback.onRollback"] = box.Rollback.OnRollback
	}
	var made []certificate
	for name, block := range blocks {
		if block == nil {
			continue
		}
		at := at.Child(name)
		for i := range block.Ingresses {
			secret, makes := core.IngressSecret(&block.Ingresses[i])
			if !makes {
				continue
			}
			made = append(made, certificate{
				secret:  at.Child("secrets").Index(len(block.Secrets)).String(),
				ingress: at.Child("ingresses").Index(i).String(),
			})
			block.Secrets = append(block.Secrets, secret)
		}
	}
	return made
}

// atIngresses moves what is said of Secrets that nobody wrote to the Ingresses that declare them. What an Ingress says itself is not said
// twice.
func atIngresses(found field.ErrorList, made []certificate) field.ErrorList {
	of := func(err *field.Error, path string) bool {
		return err.Field == path || strings.HasPrefix(err.Field, path+".")
	}
	for _, one := range made {
		told := slices.ContainsFunc(found, func(err *field.Error) bool { return of(err, one.ingress) })
		found = slices.DeleteFunc(found, func(err *field.Error) bool { return told && of(err, one.secret) })
		for _, err := range found {
			if of(err, one.secret) {
				err.Field = one.ingress + ".tls"
			}
		}
	}
	return found
}
