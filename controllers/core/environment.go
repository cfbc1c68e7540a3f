package core

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// environment collects the variables of a container from env and from the keys of envFrom. Names are unique: the API server
// merges the list by them.
type environment struct {
	draft   *controllers.Draft
	places  map[string]*field.Path
	vars    []*corev1ac.EnvVarApplyConfiguration
	sources []*corev1ac.EnvFromSourceApplyConfiguration
}

func newEnvironment(d *controllers.Draft) *environment {
	return &environment{draft: d, places: map[string]*field.Path{}}
}

func (e *environment) add(name string, v *corev1ac.EnvVarApplyConfiguration, at *field.Path) {
	if msgs := validation.IsRelaxedEnvVarName(name); len(msgs) > 0 {
		e.draft.Report(field.Invalid(at, name, "is not the name of a variable: "+strings.Join(msgs, ", ")))
		return
	}
	if place, taken := e.places[name]; taken {
		e.draft.Report(field.Invalid(at, name, fmt.Sprintf("is already the name of %s: remove one of them", place)))
		return
	}
	e.places[name] = at
	e.vars = append(e.vars, v.WithName(name))
}

func (e *environment) declared(vars []orkv1.EnvVar, at *field.Path) {
	for i, declared := range vars {
		at := at.Index(i)
		v := corev1ac.EnvVar()
		// The API server drops an empty value, so it is not ours to own either.
		if declared.Value != "" {
			v.WithValue(string(declared.Value))
		}
		if declared.ValueFrom != nil {
			v.ValueFrom = e.valueFrom(declared.ValueFrom, at.Child("valueFrom"))
			if declared.Value != "" {
				e.draft.Report(field.Forbidden(at.Child("value"), "a variable has a value or a valueFrom: remove one of them"))
			}
		}
		if name := e.draft.Required(declared.Name, "a variable needs a name", at.Child("name")); name != nil {
			e.add(*name, v, at.Child("name"))
		}
	}
}

func (e *environment) valueFrom(from *orkv1.EnvVarSource, at *field.Path) *corev1ac.EnvVarSourceApplyConfiguration {
	e.draft.ExactlyOne(at,
		controllers.Choice{Name: "secretKeyRef", Given: from.SecretKeyRef != nil},
		controllers.Choice{Name: "configMapKeyRef", Given: from.ConfigMapKeyRef != nil})
	ref, of, at := from.SecretKeyRef, inSecret, at.Child("secretKeyRef")
	if ref == nil {
		ref, of, at = from.ConfigMapKeyRef, inConfigMap, at.Child("configMapKeyRef")
	}
	if ref == nil {
		return nil
	}
	name := e.draft.Required(ref.Name, "the name of the object is required", at.Child("name"))
	key := e.draft.Required(ref.Key, "the key in the object is required", at.Child("key"))
	return of.key(name, key, ref.Optional)
}

func (e *environment) from(from *orkv1.EnvFrom, at *field.Path) {
	if from == nil {
		return
	}
	for i := range from.SecretRef {
		e.reference(&from.SecretRef[i], inSecret, at.Child("secretRef").Index(i))
	}
	for i := range from.ConfigMapRef {
		e.reference(&from.ConfigMapRef[i], inConfigMap, at.Child("configMapRef").Index(i))
	}
}

// reference makes one variable of each key, or without keys one source of all that the object holds.
func (e *environment) reference(ref *orkv1.EnvFromRef, of origin, at *field.Path) {
	name := e.draft.Required(ref.Name, "the name of the object is required", at.Child("name"))
	if len(ref.Keys) == 0 {
		if ref.Suffix != "" {
			e.draft.Report(field.Required(at.Child("keys"), "keys are required with a suffix: Kubernetes itself only knows prefixes"))
		}
		e.sources = append(e.sources, of.all(name, e.draft.Text(ref.Prefix), ref.Optional))
		return
	}
	if !e.draft.Known(ref.Prefix) || !e.draft.Known(ref.Suffix) {
		return
	}
	prefix, suffix := strings.TrimSpace(string(ref.Prefix)), strings.TrimSpace(string(ref.Suffix))
	for i, key := range ref.Keys {
		e.add(prefix+key+suffix, corev1ac.EnvVar().WithValueFrom(of.key(name, &key, ref.Optional)), at.Child("keys").Index(i))
	}
}
