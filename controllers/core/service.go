package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Services builds v1 Services. Without a selector of its own, one selects the pods of the resource's Deployments.
func Services() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Service]{
		Kind: controllers.Kind{
			Key: "services",
			GVK: corev1.SchemeGroupVersion.WithKind("Service"),
		},
		List:       func(b *orkv1.Block) []orkv1.Service { return b.Services },
		Common:     func(s *orkv1.Service) controllers.Common { return controllers.CommonOf(&s.Entry) },
		NameSuffix: "-svc",
		CheckName:  validation.IsDNS1123Label,
		Build:      buildService,
	})
}

func buildService(d *controllers.Draft, in *orkv1.Service, at *field.Path) any {
	kind := corev1.ServiceTypeClusterIP
	if text := d.OneOf(in.Type, at.Child("type"), string(corev1.ServiceTypeClusterIP), string(corev1.ServiceTypeNodePort),
		string(corev1.ServiceTypeLoadBalancer)); text != nil {
		kind = corev1.ServiceType(*text)
	}
	spec := corev1ac.ServiceSpec().WithType(kind)
	if in.Headless {
		if kind != corev1.ServiceTypeClusterIP {
			d.Report(field.Forbidden(at.Child("headless"), "a headless Service has type ClusterIP: remove headless or the type "+string(kind)))
		}
		spec.WithClusterIP(corev1.ClusterIPNone)
	} else {
		d.Required(in.Port, "a port is required, unless the Service is headless", at.Child("port"))
	}
	if port := servicePort(d, in, at); port != nil {
		spec.WithPorts(port)
	}
	if len(in.Selector) > 0 {
		spec.WithSelector(d.Labels(in.Selector, at.Child("selector")))
	} else {
		spec.WithSelector(d.ResourceSelector())
	}
	return corev1ac.Service(d.Name, "").WithSpec(spec)
}

func servicePort(d *controllers.Draft, in *orkv1.Service, at *field.Path) *corev1ac.ServicePortApplyConfiguration {
	protocol := d.Protocol(in.Protocol, at.Child("protocol"))
	target := d.PortOrName(in.TargetPort, at.Child("targetPort"))
	port := d.Port(in.Port, at.Child("port"))
	if port == nil {
		return nil
	}
	if target == nil {
		target = new(intstr.FromInt32(*port))
	}
	return corev1ac.ServicePort().WithPort(*port).WithTargetPort(*target).WithProtocol(corev1.Protocol(protocol))
}
