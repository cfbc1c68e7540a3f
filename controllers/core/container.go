package core

import (
	"fmt"
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

func container(d *controllers.Draft, w *Workload, at *field.Path) *corev1ac.ContainerApplyConfiguration {
	c := corev1ac.Container().WithName(Container)
	c.Image = image(d, w.Image, at.Child("image"))
	c.Command = words(w.Command)
	c.Args = words(w.Args)
	c.WorkingDir = d.Text(w.WorkingDirectory)
	protocol := d.Protocol(w.Protocol, at.Child("protocol"))
	port := containerPort{declared: strings.TrimSpace(string(w.Port)) != "", number: d.Port(w.Port, at.Child("port"))}
	if port.number != nil {
		c.WithPorts(corev1ac.ContainerPort().WithContainerPort(*port.number).WithProtocol(corev1.Protocol(protocol)))
	}
	env := newEnvironment(d)
	env.declared(w.Env, at.Child("env"))
	env.from(w.EnvFrom, at.Child("envFrom"))
	c.WithEnv(env.vars...).WithEnvFrom(env.sources...)
	c.Resources = resources(d, w.Resources, at.Child("resources"))
	probes(d, c, w.Probes, port, at.Child("probes"))
	c.SecurityContext = securityContext(d, w.SecurityContext, at.Child("securityContext"))
	return c.WithVolumeMounts(mounts(d, w, at.Child("volumeMounts"))...)
}

func image(d *controllers.Draft, text orkv1.Template, at *field.Path) *string {
	image := d.Required(text, "an image is required", at)
	if image != nil && strings.ContainsAny(*image, " \t\r\n") {
		d.Report(field.Invalid(at, *image, "is not an image: it has a space in it"))
	}
	return image
}

// words are the elements of a command line, which may be empty and may have space around them.
func words(texts []orkv1.Template) []string {
	list := make([]string, 0, len(texts))
	for _, text := range texts {
		list = append(list, string(text))
	}
	return list
}

func resources(d *controllers.Draft, r *orkv1.Resources, at *field.Path) *corev1ac.ResourceRequirementsApplyConfiguration {
	if r == nil {
		return nil
	}
	requests, limits := quantities(d, r.Requests, at.Child("requests")), quantities(d, r.Limits, at.Child("limits"))
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request, limit := requests[name], limits[name]
		if _, limited := limits[name]; limited && request.Cmp(limit) > 0 {
			d.Report(field.Invalid(at.Child("requests").Key(string(name)), request.String(),
				fmt.Sprintf("is more than the limit %s: lower it, or raise the limit", limit.String())))
		}
	}
	if len(requests)+len(limits) == 0 {
		return nil
	}
	requirements := corev1ac.ResourceRequirements()
	if len(requests) > 0 {
		requirements.WithRequests(requests)
	}
	if len(limits) > 0 {
		requirements.WithLimits(limits)
	}
	return requirements
}

func quantities(d *controllers.Draft, texts map[string]orkv1.Template, at *field.Path) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !isResource(name) {
			d.Report(field.Invalid(at, name,
				"is not a resource of a container: use cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<name>"))
		}
		if quantity := d.Quantity(texts[name], at.Key(name)); quantity != nil {
			list[corev1.ResourceName(name)] = *quantity
		}
	}
	return list
}

func isResource(name string) bool {
	switch corev1.ResourceName(name) {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	default:
		return strings.HasPrefix(name, corev1.ResourceHugePagesPrefix) ||
			strings.Contains(name, "/") && len(validation.IsQualifiedName(name)) == 0
	}
}
