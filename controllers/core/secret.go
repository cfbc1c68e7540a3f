package core

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Secrets builds v1 Secrets of plain data, of certificates that are made here, and copies of others.
func Secrets() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Secret]{
		Kind: controllers.Kind{
			Key: "secrets",
			GVK: corev1.SchemeGroupVersion.WithKind("Secret"),
		},
		List:       func(b *orkv1.Block) []orkv1.Secret { return b.Secrets },
		Common:     commonSecret,
		NameSuffix: "-secret",
		Looks:      func(s *orkv1.Secret) bool { return s.TLS != nil },
		Copying: &controllers.Copying[orkv1.Secret]{
			Of: func(s *orkv1.Secret) controllers.Copy {
				return controllers.Copy{
					From: s.FromSecret, FromField: "fromSecret", FromNamespace: s.FromNamespace, ToNamespaces: s.ToNamespaces,
				}
			},
			Fields: []string{"type", "data"},
		},
		Build: buildSecret,
	})
}

// defaultTLSName is the name of a Secret with a certificate whose declaration gives none.
const defaultTLSName = "orkestra-tls"

func commonSecret(s *orkv1.Secret) controllers.Common {
	common := controllers.CommonOf(&s.Entry)
	if s.TLS != nil {
		common.DefaultName = defaultTLSName
	}
	common.RotateAfter = rotateAfter(s)
	return common
}

// rotateAfter is the age at which what is created once is made anew. A certificate is so before it ends, whatever is declared: whoever has
// the old one can go on with it until the new one has come.
func rotateAfter(s *orkv1.Secret) time.Duration {
	switch {
	case s.RotateAfter == nil:
		return 0
	case s.TLS == nil:
		return s.RotateAfter.Duration
	default:
		return min(s.RotateAfter.Duration, kept(validity(s)))
	}
}

// buildSecret writes data and not stringData: the API server keeps the first alone, and could not be compared with the second.
func buildSecret(d *controllers.Draft, in *orkv1.Secret, at *field.Path) any {
	checkKeys(d, in.Data, at.Child("data"))
	checkOrigin(d, in, at)
	kind := corev1.SecretTypeOpaque
	if in.TLS != nil {
		kind = corev1.SecretTypeTLS
	}
	if text := d.Text(in.Type); text != nil {
		kind = corev1.SecretType(*text)
	}
	secret := corev1ac.Secret(d.Name, "").WithType(kind)
	born := d.Now
	if in.TLS != nil {
		var data map[string][]byte
		data, born = certificateData(d, in, at.Child("tls"))
		secret.WithData(data)
	} else {
		data := make(map[string][]byte, len(in.Data))
		for key, text := range in.Data {
			data[key] = []byte(text)
		}
		secret.WithData(data)
	}
	if in.RotateAfter != nil && in.FromSecret == "" && (in.TLS != nil || d.Once) {
		stamp(d, born, in)
	}
	return secret
}

// checkOrigin reports data that has more than one origin.
func checkOrigin(d *controllers.Draft, in *orkv1.Secret, at *field.Path) {
	if in.FromSecret == "" {
		return
	}
	for _, other := range []struct {
		name  string
		given bool
	}{{"data", len(in.Data) > 0}, {"tls", in.TLS != nil}, {"type", in.Type != ""}, {"rotateAfter", in.RotateAfter != nil}} {
		if other.given {
			d.Report(field.Forbidden(at.Child(other.name), "excludes fromSecret, which gives type and data: remove one of them"))
		}
	}
}

// stamp notes on the Secret when its data was made and how old it may get.
func stamp(d *controllers.Draft, born time.Time, in *orkv1.Secret) {
	born = born.UTC().Truncate(time.Second)
	d.Annotate(orkv1.AnnotationGeneratedAt, born.Format(time.RFC3339))
	d.Annotate(orkv1.AnnotationRotateAfter, in.RotateAfter.String())
	d.ChangesAt(born.Add(rotateAfter(in)))
}
