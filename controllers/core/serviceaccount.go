package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// ServiceAccounts builds v1 ServiceAccounts.
func ServiceAccounts() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ServiceAccount]{
		Kind:       controllers.Kind{Key: "serviceAccounts", GVK: corev1.SchemeGroupVersion.WithKind("ServiceAccount")},
		List:       func(b *orkv1.Block) []orkv1.ServiceAccount { return b.ServiceAccounts },
		Common:     func(s *orkv1.ServiceAccount) controllers.Common { return controllers.CommonOf(&s.Entry) },
		NameSuffix: "-sa",
		Build: func(d *controllers.Draft, in *orkv1.ServiceAccount, _ *field.Path) any {
			account := corev1ac.ServiceAccount(d.Name, "").WithImagePullSecrets(pullSecrets(d, in.ImagePullSecrets)...)
			account.AutomountServiceAccountToken = in.AutomountServiceAccountToken
			return account
		},
	})
}
