package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Secrets builds v1 Secrets of plain data.
func Secrets() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Secret]{
		Kind: controllers.Kind{
			Key:       "secrets",
			GVK:       corev1.SchemeGroupVersion.WithKind("Secret"),
			Immutable: [][]string{{"type"}},
		},
		List:       func(b *orkv1.Block) []orkv1.Secret { return b.Secrets },
		Common:     func(s *orkv1.Secret) controllers.Common { return controllers.CommonOf(&s.Entry) },
		NameSuffix: "-secret",
		Build:      buildSecret,
	})
}

// buildSecret writes data and not stringData: the API server keeps the first alone, and could not be compared with the second.
func buildSecret(d *controllers.Draft, in *orkv1.Secret, at *field.Path) any {
	checkKeys(d, in.Data, at.Child("data"))
	kind := corev1.SecretTypeOpaque
	if text := d.Text(in.Type); text != nil {
		kind = corev1.SecretType(*text)
	}
	data := make(map[string][]byte, len(in.Data))
	for key, text := range in.Data {
		data[key] = []byte(text)
	}
	return corev1ac.Secret(d.Name, "").WithType(kind).WithData(data)
}
