package v1

// Ingress declares a networking.k8s.io/v1 Ingress with one host and one path. Its name defaults to <resource>-ingress.
type Ingress struct {
	Entry `json:",inline"`
	// Host whose traffic is taken. Absent, that of every host.
	// +optional
	Host Template `json:"host,omitempty"`
	// ServiceName that takes the traffic. Defaults to the name that a Service of this resource defaults to.
	// +optional
	ServiceName Template `json:"serviceName,omitempty"`
	// ServicePort is a number or the name of a port. Only a declaration in onDelete may leave it out.
	// +optional
	ServicePort Template `json:"servicePort,omitempty"`
	// Path defaults to /.
	// +optional
	Path Template `json:"path,omitempty"`
	// PathType is Prefix (the default), Exact or ImplementationSpecific.
	// +optional
	PathType Template `json:"pathType,omitempty"`
	// ClassName of the controller that serves it.
	// +optional
	ClassName Template `json:"className,omitempty"`
	// TLS serves the host with a certificate. Absent, there is none.
	// +optional
	TLS *IngressTLS `json:"tls,omitempty"`
}

// IngressTLS names the certificate of an Ingress, or has one made.
type IngressTLS struct {
	// Create makes a Secret with a certificate before the Ingress.
	// +optional
	Create bool `json:"create,omitempty"`
	// SecretName defaults to <resource>-tls.
	// +optional
	SecretName Template `json:"secretName,omitempty"`
	// Hosts default to the host of the Ingress.
	// +optional
	Hosts Templates `json:"hosts,omitempty"`
	// ValidFor defaults to 1y.
	// +optional
	ValidFor *Duration `json:"validFor,omitempty"`
}

// NetworkPolicy declares a networking.k8s.io/v1 NetworkPolicy: a profile, rules, or a copy of another policy. Its name
// defaults to <resource>-netpol.
type NetworkPolicy struct {
	Entry `json:",inline"`
	// PodSelector is a plain map of labels. Empty, it selects every pod of the namespace.
	// +optional
	PodSelector TemplateMap `json:"podSelector,omitempty"`
	// Profile names a set of rules and excludes Ingress, Egress and FromNetworkPolicy.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// Ingress rules. A list without elements denies all; an absent one says nothing.
	// +optional
	Ingress *[]IngressRule `json:"ingress,omitempty"`
	// Egress rules. A list without elements denies all; an absent one says nothing.
	// +optional
	Egress *[]EgressRule `json:"egress,omitempty"`
	// PolicyTypes default to the directions that have a list.
	// +optional
	PolicyTypes []PolicyType `json:"policyTypes,omitempty"`
	// FromNetworkPolicy copies the rules of another policy and keeps them in step.
	// +optional
	FromNetworkPolicy Template `json:"fromNetworkPolicy,omitempty"`
	// FromNamespace of the source. Defaults to the resource's namespace.
	// +optional
	FromNamespace Template `json:"fromNamespace,omitempty"`
	// ToNamespaces writes the policy to these namespaces as well.
	// +optional
	ToNamespaces Templates `json:"toNamespaces,omitempty"`
}

// PolicyType is a direction of traffic.
//
// +kubebuilder:validation:Enum=Ingress;Egress
type PolicyType string

// The directions of traffic.
const (
	PolicyTypeIngress PolicyType = "Ingress"
	PolicyTypeEgress  PolicyType = "Egress"
)

// IngressRule lets traffic of these peers come in on these ports. No peer means everyone, no port means every port.
type IngressRule struct {
	// From lists the peers that traffic may come from.
	// +optional
	From []NetworkPeer `json:"from,omitempty"`
	// Ports of the selected pods that traffic may come to.
	// +optional
	Ports []NetworkPort `json:"ports,omitempty"`
}

// EgressRule lets traffic go out to these peers on these ports. No peer means everyone, no port means every port.
type EgressRule struct {
	// To lists the peers that traffic may go to.
	// +optional
	To []NetworkPeer `json:"to,omitempty"`
	// Ports of the peers that traffic may go to.
	// +optional
	Ports []NetworkPort `json:"ports,omitempty"`
}

// NetworkPeer is the other side: pods, namespaces, both together, or a block of addresses alone.
type NetworkPeer struct {
	// PodSelector has labels of pods, of the policy's own namespace or of those that NamespaceSelector has. {} is all pods.
	// +optional
	PodSelector *map[string]Template `json:"podSelector,omitempty"`
	// NamespaceSelector has labels of namespaces. {} is all namespaces.
	// +optional
	NamespaceSelector *map[string]Template `json:"namespaceSelector,omitempty"`
	// IPBlock is a range of addresses. It excludes both selectors.
	// +optional
	IPBlock *IPBlock `json:"ipBlock,omitempty"`
}

// IPBlock is a range of addresses in CIDR form, less the ranges of Except.
type IPBlock struct {
	// CIDR is the range, such as 10.0.0.0/8.
	CIDR Template `json:"cidr"`
	// Except lists ranges within CIDR that are left out.
	// +optional
	Except []Template `json:"except,omitempty"`
}

// NetworkPort is one port of a rule.
type NetworkPort struct {
	// Port is a number or a name.
	// +optional
	Port Template `json:"port,omitempty"`
	// Protocol is TCP (the default), UDP or SCTP.
	// +optional
	Protocol Template `json:"protocol,omitempty"`
}
