package core

import (
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

// origin is the kind of object that variables come from. The API has a type of its own for each combination.
type origin bool

const (
	inSecret    origin = false
	inConfigMap origin = true
)

// key takes one key of the object.
func (o origin) key(name, key *string, optional *bool) *corev1ac.EnvVarSourceApplyConfiguration {
	object := corev1ac.LocalObjectReferenceApplyConfiguration{Name: name}
	source := corev1ac.EnvVarSource()
	if o == inConfigMap {
		return source.WithConfigMapKeyRef(&corev1ac.ConfigMapKeySelectorApplyConfiguration{
			LocalObjectReferenceApplyConfiguration: object, Key: key, Optional: optional,
		})
	}
	return source.WithSecretKeyRef(&corev1ac.SecretKeySelectorApplyConfiguration{
		LocalObjectReferenceApplyConfiguration: object, Key: key, Optional: optional,
	})
}

// all takes every key of the object.
func (o origin) all(name, prefix *string, optional *bool) *corev1ac.EnvFromSourceApplyConfiguration {
	object := corev1ac.LocalObjectReferenceApplyConfiguration{Name: name}
	source := &corev1ac.EnvFromSourceApplyConfiguration{Prefix: prefix}
	if o == inConfigMap {
		return source.WithConfigMapRef(&corev1ac.ConfigMapEnvSourceApplyConfiguration{
			LocalObjectReferenceApplyConfiguration: object, Optional: optional,
		})
	}
	return source.WithSecretRef(&corev1ac.SecretEnvSourceApplyConfiguration{
		LocalObjectReferenceApplyConfiguration: object, Optional: optional,
	})
}
