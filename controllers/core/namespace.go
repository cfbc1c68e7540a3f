package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Namespaces builds v1 Namespaces.
func Namespaces() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Namespace]{
		Kind: controllers.Kind{
			Key:   "namespaces",
			GVK:   corev1.SchemeGroupVersion.WithKind("Namespace"),
			Scope: controllers.ClusterScoped,
		},
		List:      func(b *orkv1.Block) []orkv1.Namespace { return b.Namespaces },
		Common:    func(in *orkv1.Namespace) controllers.Common { return controllers.CommonOf(&in.Entry) },
		SameName:  true,
		CheckName: validation.IsDNS1123Label,
		Build: func(d *controllers.Draft, _ *orkv1.Namespace, _ *field.Path) any {
			return corev1ac.Namespace(d.Name)
		},
	})
}
