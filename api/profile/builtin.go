package profile

import (
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// BuiltIn returns the presets that every Katalog has, in the order in which the documentation lists them. There is no limitRanges
// among them.
func BuiltIn() *orkv1.Profiles {
	return &orkv1.Profiles{
		Reconciler:        builtInReconciler(),
		Resources:         builtInResources(),
		Probes:            builtInProbes(),
		ContainerSecurity: builtInContainerSecurity(),
		PodSecurity:       builtInPodSecurity(),
		RollingUpdate:     builtInRollingUpdate(),
		HPA:               builtInHPA(),
		PDB:               builtInPDB(),
		NetworkPolicies:   builtInNetworkPolicies(),
		ResourceQuotas:    builtInResourceQuotas(),
	}
}

func named(name string) orkv1.ProfileName { return orkv1.ProfileName{Name: name} }

func builtInReconciler() []orkv1.ReconcilerProfile {
	preset := func(name string, workers int32, resync time.Duration, maxDepth int32) orkv1.ReconcilerProfile {
		return orkv1.ReconcilerProfile{
			ProfileName: named(name),
			Workers:     &workers,
			Resync:      &orkv1.Duration{Duration: resync},
			Queue:       &orkv1.Queue{MaxDepth: maxDepth},
		}
	}
	return []orkv1.ReconcilerProfile{
		preset("high-throughput", 10, 5*time.Minute, 1000),
		preset("conservative", 2, time.Minute, 100),
		preset("development", 1, 30*time.Second, 50),
	}
}

func builtInResources() []orkv1.ResourcesProfile {
	amounts := func(cpu, memory orkv1.Template) map[string]orkv1.Template {
		return map[string]orkv1.Template{"cpu": cpu, "memory": memory}
	}
	preset := func(name string, cpu, cpuLimit, memory, memoryLimit orkv1.Template) orkv1.ResourcesProfile {
		return orkv1.ResourcesProfile{
			ProfileName: named(name), Requests: amounts(cpu, memory), Limits: amounts(cpuLimit, memoryLimit),
		}
	}
	return []orkv1.ResourcesProfile{
		preset("tiny", "25m", "100m", "64Mi", "128Mi"),
		preset("small", "100m", "500m", "128Mi", "512Mi"),
		preset("medium", "250m", "1", "256Mi", "1Gi"),
		preset("large", "500m", "2", "512Mi", "2Gi"),
		preset("burst", "200m", "2", "256Mi", "2Gi"),
		preset("steady", "300m", "600m", "256Mi", "512Mi"),
		preset("compute-heavy", "1", "2", "512Mi", "1Gi"),
		preset("memory-heavy", "250m", "500m", "1Gi", "2Gi"),
	}
}

func builtInProbes() []orkv1.ProbeProfile {
	return []orkv1.ProbeProfile{
		probe("fast", 5, 10, 2, 5),
		StandardProbe(),
		probe("patient", 30, 30, 5, 10),
		probe(SlowStart, 0, 10, 30, 10),
	}
}

// StandardProbe is the preset called Standard.
func StandardProbe() orkv1.ProbeProfile { return probe(Standard, 15, 20, 3, 10) }

func probe(name string, delay, period, failures, timeout int32) orkv1.ProbeProfile {
	return orkv1.ProbeProfile{
		ProfileName: named(name), InitialDelaySeconds: &delay, PeriodSeconds: &period, FailureThreshold: &failures,
		SuccessThreshold: new(int32(1)), TimeoutSeconds: &timeout,
	}
}

// SlowStart is the preset that only a startup probe should have: another one would not notice for minutes that a container fails.
const SlowStart = "slow-start"

// The names of the levels of security, which containers and pods share.
const (
	baseline   = "baseline"
	restricted = "restricted"
	hardened   = "hardened"
)

func builtInContainerSecurity() []orkv1.ContainerSecurityProfile {
	drop := func(name orkv1.Template) *orkv1.Capabilities {
		return &orkv1.Capabilities{Drop: []orkv1.Template{name}}
	}
	return []orkv1.ContainerSecurityProfile{
		{ProfileName: named(baseline), AllowPrivilegeEscalation: new(false), Capabilities: drop("NET_RAW")},
		{ProfileName: named(restricted), AllowPrivilegeEscalation: new(false), RunAsNonRoot: new(true), Capabilities: drop("ALL")},
		{
			ProfileName: named(hardened), AllowPrivilegeEscalation: new(false), RunAsNonRoot: new(true),
			ReadOnlyRootFilesystem: new(true), Capabilities: drop("ALL"),
		},
	}
}

func builtInPodSecurity() []orkv1.PodSecurityProfile {
	const nobody = 65534
	return []orkv1.PodSecurityProfile{
		{ProfileName: named(baseline), RunAsNonRoot: new(false)},
		{ProfileName: named(restricted), RunAsNonRoot: new(true), RunAsUser: new(int64(1000))},
		{
			ProfileName: named(hardened), RunAsNonRoot: new(true),
			RunAsUser: new(int64(nobody)), RunAsGroup: new(int64(nobody)), FSGroup: new(int64(nobody)),
		},
	}
}

func builtInRollingUpdate() []orkv1.RollingUpdateProfile {
	return []orkv1.RollingUpdateProfile{
		{ProfileName: named("safe"), MaxSurge: "1", MaxUnavailable: "0"},
		{ProfileName: named("fast"), MaxSurge: "25%", MaxUnavailable: "25%"},
		{ProfileName: named("blue-green"), MaxSurge: "100%", MaxUnavailable: "0"},
	}
}
