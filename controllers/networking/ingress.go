package networking

import (
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Ingresses builds networking.k8s.io/v1 Ingresses of one host and one path.
func Ingresses() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Ingress]{
		Kind:       controllers.Kind{Key: "ingresses", GVK: networkingv1.SchemeGroupVersion.WithKind("Ingress")},
		List:       func(b *orkv1.Block) []orkv1.Ingress { return b.Ingresses },
		Common:     func(in *orkv1.Ingress) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-ingress",
		Build:      buildIngress,
	})
}

func buildIngress(d *controllers.Draft, in *orkv1.Ingress, at *field.Path) any {
	route := networkingv1ac.HTTPIngressPath().
		WithPath("/").
		WithPathType(networkingv1.PathTypePrefix).
		WithBackend(networkingv1ac.IngressBackend().WithService(service(d, in, at)))
	if kind := d.OneOf(in.PathType, at.Child("pathType"), string(networkingv1.PathTypePrefix), string(networkingv1.PathTypeExact),
		string(networkingv1.PathTypeImplementationSpecific)); kind != nil {
		route.WithPathType(networkingv1.PathType(*kind))
	}
	if path := d.Text(in.Path); path != nil {
		if !strings.HasPrefix(*path, "/") {
			d.Report(field.Invalid(at.Child("path"), *path, "is not a path: it begins with /"))
		}
		route.WithPath(*path)
	}
	host := hostName(d, in.Host, at.Child("host"))
	rule := networkingv1ac.IngressRule().WithHTTP(networkingv1ac.HTTPIngressRuleValue().WithPaths(route))
	rule.Host = host
	spec := networkingv1ac.IngressSpec().WithRules(rule)
	spec.IngressClassName = d.Text(in.ClassName)
	if in.TLS != nil {
		spec.WithTLS(certificate(d, in, host, at.Child("tls")))
	}
	return networkingv1ac.Ingress(d.Name, "").WithSpec(spec)
}

// service is what takes the traffic.
func service(d *controllers.Draft, in *orkv1.Ingress, at *field.Path) *networkingv1ac.IngressServiceBackendApplyConfiguration {
	backend := networkingv1ac.IngressServiceBackend().WithName(d.Owner.Name + "-svc")
	if name := d.Text(in.ServiceName); name != nil {
		backend.WithName(*name)
	}
	at = at.Child("servicePort")
	d.Required(in.ServicePort, "the number or the name of a port is required", at)
	if port := d.PortOrName(in.ServicePort, at); port != nil {
		backend.WithPort(backendPort(*port))
	}
	return backend
}

func backendPort(port intstr.IntOrString) *networkingv1ac.ServiceBackendPortApplyConfiguration {
	if port.Type == intstr.String {
		return networkingv1ac.ServiceBackendPort().WithName(port.StrVal)
	}
	return networkingv1ac.ServiceBackendPort().WithNumber(port.IntVal)
}

// hostName reads a name of DNS, whose first label may be *.
func hostName(d *controllers.Draft, text orkv1.Template, at *field.Path) *string {
	host := d.Text(text)
	if host == nil {
		return nil
	}
	check := validation.IsDNS1123Subdomain
	if strings.HasPrefix(*host, "*") {
		check = validation.IsWildcardDNS1123Subdomain
	}
	if msgs := check(*host); len(msgs) > 0 {
		d.Report(field.Invalid(at, *host, "is not the name of a host: "+strings.Join(msgs, ", ")))
	}
	return host
}

// certificate names the Secret whose certificate is served. Whether something makes the Secret is not asked here.
func certificate(d *controllers.Draft, in *orkv1.Ingress, host *string, at *field.Path) *networkingv1ac.IngressTLSApplyConfiguration {
	tls := networkingv1ac.IngressTLS().WithSecretName(CertificateName(d, in))
	for i, text := range in.TLS.Hosts {
		if name := hostName(d, text, at.Child("hosts").Index(i)); name != nil {
			tls.WithHosts(*name)
		}
	}
	if len(tls.Hosts) == 0 && host != nil {
		tls.WithHosts(*host)
	}
	if in.TLS.Create && len(in.TLS.Hosts) == 0 {
		d.Required(in.Host, "a host is required to make a certificate: it would hold for nothing", at.Child("hosts"))
	}
	return tls
}

// CertificateName is the name of the Secret that holds the certificate of an Ingress with TLS.
func CertificateName(d *controllers.Draft, in *orkv1.Ingress) string {
	if name := d.Text(in.TLS.SecretName); name != nil {
		return *name
	}
	return d.Owner.Name + "-tls"
}
