package networking

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// NetworkPolicies builds networking.k8s.io/v1 NetworkPolicies.
func NetworkPolicies() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.NetworkPolicy]{
		Kind:       controllers.Kind{Key: "networkPolicies", GVK: networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")},
		List:       func(b *orkv1.Block) []orkv1.NetworkPolicy { return b.NetworkPolicies },
		Common:     func(in *orkv1.NetworkPolicy) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-netpol",
		Copying: &controllers.Copying[orkv1.NetworkPolicy]{
			Of: func(in *orkv1.NetworkPolicy) controllers.Copy {
				return controllers.Copy{
					From: in.FromNetworkPolicy, FromField: "fromNetworkPolicy", FromNamespace: in.FromNamespace, ToNamespaces: in.ToNamespaces,
				}
			},
			Fields: []string{"spec"},
		},
		Build: buildNetworkPolicy,
	})
}

func buildNetworkPolicy(d *controllers.Draft, in *orkv1.NetworkPolicy, at *field.Path) any {
	spec := networkingv1ac.NetworkPolicySpec().WithPodSelector(selector(d, in.PodSelector, at.Child("podSelector")))
	if in.Ingress != nil {
		at := at.Child("ingress")
		for i, rule := range *in.Ingress {
			spec.WithIngress(networkingv1ac.NetworkPolicyIngressRule().
				WithFrom(peers(d, rule.From, at.Index(i).Child("from"))...).
				WithPorts(ports(d, rule.Ports, at.Index(i).Child("ports"))...))
		}
	}
	if in.Egress != nil {
		at := at.Child("egress")
		for i, rule := range *in.Egress {
			spec.WithEgress(networkingv1ac.NetworkPolicyEgressRule().
				WithTo(peers(d, rule.To, at.Index(i).Child("to"))...).
				WithPorts(ports(d, rule.Ports, at.Index(i).Child("ports"))...))
		}
	}
	types := policyTypes(d, in, at)
	return closed(networkingv1ac.NetworkPolicy(d.Name, "").WithSpec(spec.WithPolicyTypes(types...)), types)
}

// closed gives the policy the empty lists of the directions in which it lets nothing pass. The type alone denies as much, but then
// a rule that another hand adds would be nobody's to put back.
func closed(policy *networkingv1ac.NetworkPolicyApplyConfiguration, types []networkingv1.PolicyType) any {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(policy)
	if err != nil {
		return policy // which is converted once more, and the error told
	}
	spec, _ := content["spec"].(map[string]any)
	for kind, rules := range map[networkingv1.PolicyType]string{
		networkingv1.PolicyTypeIngress: "ingress", networkingv1.PolicyTypeEgress: "egress",
	} {
		if slices.Contains(types, kind) && spec[rules] == nil {
			spec[rules] = []any{}
		}
	}
	return content
}

// policyTypes are the directions that the policy is about.
func policyTypes(d *controllers.Draft, in *orkv1.NetworkPolicy, at *field.Path) []networkingv1.PolicyType {
	var types []networkingv1.PolicyType
	for i, text := range in.PolicyTypes {
		if kind := d.OneOf(orkv1.Template(text), at.Child("policyTypes").Index(i), string(networkingv1.PolicyTypeIngress),
			string(networkingv1.PolicyTypeEgress)); kind != nil && !slices.Contains(types, networkingv1.PolicyType(*kind)) {
			types = append(types, networkingv1.PolicyType(*kind))
		}
	}
	declared := len(in.PolicyTypes) > 0
	for _, direction := range []struct {
		name  string
		kind  networkingv1.PolicyType
		given bool
	}{
		{"ingress", networkingv1.PolicyTypeIngress, in.Ingress != nil},
		{"egress", networkingv1.PolicyTypeEgress, in.Egress != nil},
	} {
		switch {
		case !direction.given || slices.Contains(types, direction.kind):
		case declared:
			d.Report(field.Forbidden(at.Child(direction.name), "has no effect: policyTypes lacks "+string(direction.kind)))
		default:
			types = append(types, direction.kind)
		}
	}
	// A profile or a source, where there is one, fills in the rules.
	if len(types) == 0 && !declared && in.Profile == "" && in.FromNetworkPolicy == "" {
		d.Report(field.Required(at, "one of ingress, egress, policyTypes is required"))
	}
	return types
}

func selector(d *controllers.Draft, labels map[string]orkv1.Template, at *field.Path) *metav1ac.LabelSelectorApplyConfiguration {
	return metav1ac.LabelSelector().WithMatchLabels(d.Labels(labels, at))
}

func peers(d *controllers.Draft, declared []orkv1.NetworkPeer, at *field.Path) []*networkingv1ac.NetworkPolicyPeerApplyConfiguration {
	built := make([]*networkingv1ac.NetworkPolicyPeerApplyConfiguration, 0, len(declared))
	for i := range declared {
		p, at := &declared[i], at.Index(i)
		peer := networkingv1ac.NetworkPolicyPeer()
		if p.PodSelector != nil {
			peer.WithPodSelector(selector(d, *p.PodSelector, at.Child("podSelector")))
		}
		if p.NamespaceSelector != nil {
			peer.WithNamespaceSelector(selector(d, *p.NamespaceSelector, at.Child("namespaceSelector")))
		}
		selects := p.PodSelector != nil || p.NamespaceSelector != nil
		switch {
		case p.IPBlock != nil && selects:
			d.Report(field.Forbidden(at.Child("ipBlock"), "excludes podSelector and namespaceSelector: make two peers of them"))
		case p.IPBlock != nil:
			peer.WithIPBlock(addresses(d, p.IPBlock, at.Child("ipBlock")))
		case !selects:
			d.Report(field.Required(at, "one of podSelector, namespaceSelector, ipBlock is required"))
		}
		built = append(built, peer)
	}
	return built
}

func addresses(d *controllers.Draft, in *orkv1.IPBlock, at *field.Path) *networkingv1ac.IPBlockApplyConfiguration {
	block := networkingv1ac.IPBlock()
	block.CIDR = d.Required(in.CIDR, "a range of addresses is required, such as 10.0.0.0/8", at.Child("cidr"))
	whole := prefix(d, in.CIDR, at.Child("cidr"))
	for i, text := range in.Except {
		at := at.Child("except").Index(i)
		part := prefix(d, text, at)
		if part == nil {
			continue
		}
		if whole != nil && (!whole.Contains(part.Addr()) || part.Bits() <= whole.Bits()) {
			d.Report(field.Invalid(at, part.String(), "is not within "+whole.String()))
		}
		block.WithExcept(part.String())
	}
	return block
}

// prefix reads a range of addresses.
func prefix(d *controllers.Draft, text orkv1.Template, at *field.Path) *netip.Prefix {
	trimmed := d.Text(text)
	if trimmed == nil {
		return nil
	}
	parsed, err := netip.ParsePrefix(*trimmed)
	switch {
	case err != nil:
		d.Report(field.Invalid(at, *trimmed, "is not a range of addresses such as 10.0.0.0/8"))
	case parsed != parsed.Masked():
		d.Report(field.Invalid(at, *trimmed, "has bits behind its mask: write "+parsed.Masked().String()))
	default:
		return &parsed
	}
	return nil
}

func ports(d *controllers.Draft, declared []orkv1.NetworkPort, at *field.Path) []*networkingv1ac.NetworkPolicyPortApplyConfiguration {
	built := make([]*networkingv1ac.NetworkPolicyPortApplyConfiguration, 0, len(declared))
	for i := range declared {
		p, at := &declared[i], at.Index(i)
		port := networkingv1ac.NetworkPolicyPort().WithProtocol(corev1.Protocol(d.Protocol(p.Protocol, at.Child("protocol"))))
		port.Port = d.PortOrName(p.Port, at.Child("port"))
		built = append(built, port)
	}
	return built
}
