package profile

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Site is a place of a declaration that names a profile.
type Site struct {
	Class Class
	// Path of the field profile.
	Path *field.Path
	// Name is what stands there; of a probe with neither a profile nor times it is standard.
	Name string
	// Filled are the fields that a preset sets there.
	Filled []Filled

	fill func(preset any)
}

// Filled is a field that a preset sets.
type Filled struct {
	// Path of the field, and its Name in the preset.
	Path *field.Path
	Name string
}

// IsTemplate tells whether only rendering can tell which preset is meant.
func (s Site) IsTemplate() bool { return s.Class != Reconciler && strings.Contains(s.Name, "{{") }

// Fill puts the fields of a preset, which is of the site's class, in the place of its name. What it sets is shared with the preset.
func (s Site) Fill(preset any) { s.fill(preset) }

// site makes a Site of the block at a path; P is the type of its presets.
func site[P any](class Class, name string, at *field.Path, fields []string, fill func(*P)) Site {
	s := Site{Class: class, Path: at.Child("profile"), Name: name, fill: func(preset any) { fill(preset.(*P)) }}
	for _, one := range fields {
		s.Filled = append(s.Filled, Filled{Path: at.Child(one), Name: one})
	}
	return s
}

// siteOf is the site that a value, which stands in another one, is itself.
func siteOf(v, above any, at *field.Path) (Site, bool) {
	var s Site
	switch v := v.(type) {
	case *orkv1.Reconciler:
		s = site(Reconciler, v.Profile, at, []string{"workers", "resync", "queue"}, func(p *orkv1.ReconcilerProfile) { tune(v, p) })
	case *orkv1.Resources:
		s = site(Resources, string(v.Profile), at, []string{"requests", "limits"}, func(p *orkv1.ResourcesProfile) {
			*v = orkv1.Resources{Requests: p.Requests, Limits: p.Limits}
		})
	case *orkv1.Probe:
		s = probeSite(v, at)
	case *orkv1.SecurityContext:
		fields := []string{"allowPrivilegeEscalation", "readOnlyRootFilesystem", "runAsNonRoot", "capabilities"}
		s = site(ContainerSecurity, string(v.Profile), at, fields, func(p *orkv1.ContainerSecurityProfile) {
			*v = orkv1.SecurityContext{
				AllowPrivilegeEscalation: p.AllowPrivilegeEscalation, ReadOnlyRootFilesystem: p.ReadOnlyRootFilesystem,
				RunAsNonRoot: p.RunAsNonRoot, Capabilities: p.Capabilities,
			}
		})
	case *orkv1.PodSecurity:
		fields := []string{"runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup"}
		s = site(PodSecurity, string(v.Profile), at, fields, func(p *orkv1.PodSecurityProfile) {
			*v = orkv1.PodSecurity{RunAsNonRoot: p.RunAsNonRoot, RunAsUser: p.RunAsUser, RunAsGroup: p.RunAsGroup, FSGroup: p.FSGroup}
		})
	case *orkv1.RollingUpdate:
		_, stateful := above.(*orkv1.StatefulSet)
		s = rollingUpdateSite(v, stateful, at)
	default:
		return policySiteOf(v, above, at)
	}
	return s, s.Name != ""
}

// policySiteOf is siteOf for what bounds other objects.
func policySiteOf(v, above any, at *field.Path) (Site, bool) {
	var s Site
	switch v := v.(type) {
	case *orkv1.HPABehavior:
		hpa, _ := above.(*orkv1.HPA)
		s = hpaSite(v, hpa, at)
	case *orkv1.PDBBehavior:
		s = site(PDB, string(v.Profile), at, []string{"minAvailable", "maxUnavailable"}, func(p *orkv1.PDBProfile) {
			*v = orkv1.PDBBehavior{MinAvailable: p.MinAvailable, MaxUnavailable: p.MaxUnavailable}
		})
	case *orkv1.NetworkPolicy:
		s = site(NetworkPolicies, string(v.Profile), at, []string{"ingress", "egress", "policyTypes"}, func(p *orkv1.NetworkPolicyProfile) {
			v.Profile, v.Ingress, v.Egress, v.PolicyTypes = "", p.Ingress, p.Egress, p.PolicyTypes
		})
	case *orkv1.ResourceQuota:
		s = site(ResourceQuotas, string(v.Profile), at, []string{"hard"}, func(p *orkv1.ResourceQuotaProfile) {
			v.Profile, v.Hard = "", p.Hard
		})
	case *orkv1.LimitRange:
		s = site(LimitRanges, string(v.Profile), at, []string{"limits"}, func(p *orkv1.LimitRangeProfile) {
			v.Profile, v.Limits = "", p.Limits
		})
	}
	return s, s.Name != ""
}

// tune sets what a reconciler leaves open, field by field. The name stays: it tells where the numbers come from.
func tune(r *orkv1.Reconciler, p *orkv1.ReconcilerProfile) {
	r.Workers = cmp.Or(r.Workers, p.Workers)
	if r.Resync == nil || r.Resync.Duration == 0 {
		r.Resync = p.Resync
	}
	if p.Queue == nil {
		return
	}
	if r.Queue == nil {
		r.Queue = &orkv1.Queue{}
	}
	q := r.Queue
	q.Shared = q.Shared || p.Queue.Shared
	q.Type = cmp.Or(q.Type, p.Queue.Type)
	q.MaxDepth = cmp.Or(q.MaxDepth, p.Queue.MaxDepth)
	q.FailureThreshold = cmp.Or(q.FailureThreshold, p.Queue.FailureThreshold)
	q.RetryBackoff = cmp.Or(q.RetryBackoff, p.Queue.RetryBackoff)
	q.Behaviour = cmp.Or(q.Behaviour, p.Queue.Behaviour)
}

func probeSite(v *orkv1.Probe, at *field.Path) Site {
	name := string(v.Profile)
	if name == "" && v.InitialDelaySeconds == nil && v.PeriodSeconds == nil && v.FailureThreshold == nil &&
		v.SuccessThreshold == nil && v.TimeoutSeconds == nil {
		name = Standard
	}
	fields := []string{"initialDelaySeconds", "periodSeconds", "failureThreshold", "successThreshold", "timeoutSeconds"}
	return site(Probes, name, at, fields, func(p *orkv1.ProbeProfile) {
		v.Profile = ""
		v.InitialDelaySeconds, v.PeriodSeconds, v.TimeoutSeconds = p.InitialDelaySeconds, p.PeriodSeconds, p.TimeoutSeconds
		v.FailureThreshold, v.SuccessThreshold = p.FailureThreshold, p.SuccessThreshold
	})
}

// rollingUpdateSite leaves out of the preset what a StatefulSet does not have: pods beyond its number, and a rollout in which none may
// be missing. It takes its pods down one at a time then, as it does by itself.
func rollingUpdateSite(v *orkv1.RollingUpdate, stateful bool, at *field.Path) Site {
	return site(RollingUpdate, string(v.Profile), at, []string{"maxSurge", "maxUnavailable"}, func(p *orkv1.RollingUpdateProfile) {
		*v = orkv1.RollingUpdate{MaxSurge: p.MaxSurge, MaxUnavailable: p.MaxUnavailable}
		if stateful {
			v.MaxSurge = ""
			if none := strings.TrimSuffix(strings.TrimSpace(string(v.MaxUnavailable)), "%"); none == "0" {
				v.MaxUnavailable = ""
			}
		}
	})
}

// hpaSite has a preset set the CPU target, too, unless the HPA has its own.
func hpaSite(v *orkv1.HPABehavior, hpa *orkv1.HPA, at *field.Path) Site {
	s := site(HPA, string(v.Profile), at, []string{"scaleUp", "scaleDown"}, func(p *orkv1.HPAProfile) {
		*v = orkv1.HPABehavior{ScaleUp: p.ScaleUp, ScaleDown: p.ScaleDown}
		if hpa != nil && hpa.TargetCPUUtilizationPercentage == "" {
			hpa.TargetCPUUtilizationPercentage = p.TargetCPUUtilizationPercentage
		}
	})
	if hpa != nil && hpa.TargetCPUUtilizationPercentage == "" {
		const target = "targetCPUUtilizationPercentage"
		s.Filled = append(s.Filled, Filled{Path: sibling(at, target), Name: target})
	}
	return s
}
