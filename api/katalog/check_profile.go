package katalog

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// namedProfiles checks that every profile which is named exists. A name that is a template is looked up when it is rendered.
func (c *checker) namedProfiles(katalog *orkv1.Katalog) {
	set := profile.NewSet(katalog.Profiles)
	for _, preset := range set.Own() {
		if set.HidesBuiltIn(preset.Class, preset.Name) {
			c.warnf(preset.At.Child("name"), "%s hides the built-in profile of that name; give it another one if that is not meant", quote(preset.Name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		crd := katalog.Spec.CRDs[name]
		for _, site := range profile.Sites(&crd, field.NewPath("spec", "crds").Key(name)) {
			if !site.IsTemplate() {
				c.namedProfile(set, site)
			}
		}
	}
}

func (c *checker) namedProfile(set *profile.Set, site profile.Site) {
	preset, err := set.Find(site.Class, site.Name)
	if unknown, is := errors.AsType[*profile.UnknownError](err); is {
		c.invalidf(site.Path, unknown.Valid, "%s %s", quote(unknown.Name), unknown.Reason())
		return
	}
	if site.Class == profile.Probes && preset.At == nil && preset.Name == profile.SlowStart && !strings.HasSuffix(site.Path.String(), ".startup.profile") {
		c.warnf(site.Path, "%s is for a startup probe: here it waits five minutes before a failure counts", profile.SlowStart)
	}
}

// profileValues checks what the presets of a Katalog or a Motif set, as far as it holds no template.
func (c *checker) profileValues(p *orkv1.Profiles, path *field.Path) {
	for i := range p.Resources {
		c.resources(&orkv1.Resources{Requests: p.Resources[i].Requests, Limits: p.Resources[i].Limits}, path.Child("resources").Index(i))
	}
	for i := range p.Probes {
		one := &p.Probes[i]
		c.probe(&orkv1.Probe{
			Type: "tcp", InitialDelaySeconds: one.InitialDelaySeconds, PeriodSeconds: one.PeriodSeconds, TimeoutSeconds: one.TimeoutSeconds,
			FailureThreshold: one.FailureThreshold, SuccessThreshold: one.SuccessThreshold,
		}, path.Child("probes").Index(i))
	}
	for i := range p.ContainerSecurity {
		if capabilities := p.ContainerSecurity[i].Capabilities; capabilities != nil {
			at := path.Child("containerSecurity").Index(i).Child("capabilities")
			c.capabilities(capabilities.Add, at.Child("add"))
			c.capabilities(capabilities.Drop, at.Child("drop"))
		}
	}
	for i := range p.RollingUpdate {
		one := &p.RollingUpdate[i]
		c.rollingUpdate(&orkv1.RollingUpdate{MaxSurge: one.MaxSurge, MaxUnavailable: one.MaxUnavailable}, path.Child("rollingUpdate").Index(i))
	}
	for i := range p.HPA {
		c.count(p.HPA[i].TargetCPUUtilizationPercentage, path.Child("hpa").Index(i).Child("targetCPUUtilizationPercentage"))
	}
	c.profileBounds(p, path)
}

// profileBounds checks the presets that are all there is to say of an object: without their fields it would say nothing.
func (c *checker) profileBounds(p *orkv1.Profiles, path *field.Path) {
	for i := range p.PDB {
		one, at := &p.PDB[i], path.Child("pdb").Index(i)
		c.exactlyOne(at, map[string]bool{"minAvailable": one.MinAvailable != "", "maxUnavailable": one.MaxUnavailable != ""})
		c.countOrPercent(one.MinAvailable, at.Child("minAvailable"))
		c.countOrPercent(one.MaxUnavailable, at.Child("maxUnavailable"))
	}
	for i := range p.NetworkPolicies {
		if one := &p.NetworkPolicies[i]; one.Ingress == nil && one.Egress == nil && len(one.PolicyTypes) == 0 {
			c.errorf(path.Child("networkPolicies").Index(i), "needs ingress, egress or policyTypes")
		}
	}
	for i := range p.ResourceQuotas {
		at := path.Child("resourceQuotas").Index(i).Child("hard")
		c.needed(len(p.ResourceQuotas[i].Hard) == 0, at)
		for key, quantity := range p.ResourceQuotas[i].Hard {
			c.quantity(quantity, at.Key(key))
		}
	}
	for i := range p.LimitRanges {
		at := path.Child("limitRanges").Index(i).Child("limits")
		c.needed(len(p.LimitRanges[i].Limits) == 0, at)
		for j := range p.LimitRanges[i].Limits {
			c.oneOf(p.LimitRanges[i].Limits[j].Type, limitTypes, at.Index(j).Child("type"))
		}
	}
}
