package profile

// Class is a kind of preset, by the name of its list in the profiles of a Katalog.
type Class string

// The classes.
const (
	Reconciler        Class = "reconciler"
	Resources         Class = "resources"
	Probes            Class = "probes"
	ContainerSecurity Class = "containerSecurity"
	PodSecurity       Class = "podSecurity"
	RollingUpdate     Class = "rollingUpdate"
	HPA               Class = "hpa"
	PDB               Class = "pdb"
	NetworkPolicies   Class = "networkPolicies"
	ResourceQuotas    Class = "resourceQuotas"
	LimitRanges       Class = "limitRanges"
)

// Standard is the preset of a probe that has neither a profile nor times.
const Standard = "standard"
