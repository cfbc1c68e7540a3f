package core

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// ConfigMaps builds v1 ConfigMaps.
func ConfigMaps() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ConfigMap]{
		Kind:       controllers.Kind{Key: "configMaps", GVK: corev1.SchemeGroupVersion.WithKind("ConfigMap")},
		List:       func(b *orkv1.Block) []orkv1.ConfigMap { return b.ConfigMaps },
		Common:     func(c *orkv1.ConfigMap) controllers.Common { return controllers.CommonOf(&c.Entry) },
		NameSuffix: "-config",
		Copying: &controllers.Copying[orkv1.ConfigMap]{
			Of: func(c *orkv1.ConfigMap) controllers.Copy {
				return controllers.Copy{
					From: c.FromConfigMap, FromField: "fromConfigMap", FromNamespace: c.FromNamespace, ToNamespaces: c.ToNamespaces,
				}
			},
			Fields: []string{"data", "binaryData"},
		},
		Build: buildConfigMap,
	})
}

func buildConfigMap(d *controllers.Draft, in *orkv1.ConfigMap, at *field.Path) any {
	checkKeys(d, in.Data, at.Child("data"))
	if in.FromConfigMap != "" && len(in.Data) > 0 {
		d.Report(field.Forbidden(at.Child("data"), "excludes fromConfigMap, which gives the data: remove one of them"))
	}
	data := make(map[string]string, len(in.Data))
	for key, text := range in.Data {
		data[key] = string(text)
	}
	return corev1ac.ConfigMap(d.Name, "").WithData(data)
}

// checkKeys reports keys that neither a ConfigMap nor a Secret may have.
func checkKeys(d *controllers.Draft, data map[string]orkv1.Template, at *field.Path) {
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if msgs := validation.IsConfigMapKey(key); len(msgs) > 0 {
			d.Report(field.Invalid(at, key, "is not a key: "+strings.Join(msgs, ", ")))
		}
	}
}
