package core

import (
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// IngressSecret declares the Secret with the certificate of an Ingress that has one made; false for any other. It stands in the block
// of the Ingress, has its gate and its forEach, and is made before it. One that is created once is made anew after two thirds of the
// time that it is valid.
func IngressSecret(in *orkv1.Ingress) (orkv1.Secret, bool) {
	if in.TLS == nil || !in.TLS.Create {
		return orkv1.Secret{}, false
	}
	hosts := in.TLS.Hosts
	if len(hosts) == 0 {
		hosts = []orkv1.Template{in.Host}
	}
	validFor := orkv1.Duration{Duration: defaultValidity}
	if in.TLS.ValidFor != nil {
		validFor = *in.TLS.ValidFor
	}
	policy := in.EntryPolicy
	policy.ID = "" // that of the Ingress
	secret := orkv1.Secret{
		Entry: orkv1.Entry{
			Conditions: in.Conditions, EntryPolicy: policy, Name: in.TLS.SecretName, Namespace: in.Namespace, Labels: in.Labels,
		},
		RotateAfter: &orkv1.Duration{Duration: kept(validFor.Duration).Truncate(time.Second)},
		TLS:         &orkv1.TLS{DNSNames: hosts, ValidFor: &validFor},
	}
	if secret.Name == "" {
		secret.Name = "{{ .metadata.name }}-tls"
	}
	return secret, true
}
