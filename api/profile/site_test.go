package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// own are presets of a Katalog, one of each class.
func own() *orkv1.Profiles {
	name := orkv1.ProfileName{Name: "Ours"}
	return &orkv1.Profiles{
		Reconciler:        []orkv1.ReconcilerProfile{{ProfileName: name, Workers: new(int32(7)), Queue: &orkv1.Queue{MaxDepth: 9, FailureThreshold: new(int32(2))}}},
		Resources:         []orkv1.ResourcesProfile{{ProfileName: name, Limits: map[string]orkv1.Template{"cpu": "{{ .spec.cpu }}"}}},
		Probes:            []orkv1.ProbeProfile{{ProfileName: name, PeriodSeconds: new(int32(4))}},
		ContainerSecurity: []orkv1.ContainerSecurityProfile{{ProfileName: name, RunAsNonRoot: new(true)}},
		PodSecurity:       []orkv1.PodSecurityProfile{{ProfileName: name, FSGroup: new(int64(5))}},
		RollingUpdate:     []orkv1.RollingUpdateProfile{{ProfileName: name, MaxSurge: "3", MaxUnavailable: "2"}},
		HPA:               []orkv1.HPAProfile{{ProfileName: name, TargetCPUUtilizationPercentage: "33", ScaleUp: &orkv1.HPAScaling{SelectPolicy: "Min"}}},
		PDB:               []orkv1.PDBProfile{{ProfileName: name, MinAvailable: "2"}},
		NetworkPolicies:   []orkv1.NetworkPolicyProfile{{ProfileName: name, Egress: &[]orkv1.EgressRule{}}},
		ResourceQuotas:    []orkv1.ResourceQuotaProfile{{ProfileName: name, Hard: map[string]orkv1.Template{"pods": "3"}}},
		LimitRanges:       []orkv1.LimitRangeProfile{{ProfileName: name, Limits: []orkv1.LimitRangeItem{{Type: "Pod"}}}},
	}
}

func TestFill(t *testing.T) {
	ours := own()
	cases := map[string]struct {
		reason   string
		in, want any
	}{
		"Reconciler": {
			reason: "each field of the reconciler wins by itself, and the name stays",
			in:     &orkv1.Reconciler{Profile: "ours", Queue: &orkv1.Queue{MaxDepth: 1}},
			want:   &orkv1.Reconciler{Profile: "ours", Workers: new(int32(7)), Queue: &orkv1.Queue{MaxDepth: 1, FailureThreshold: new(int32(2))}},
		},
		"ReconcilerInline": {
			reason: "no resync means that of the profile, and so does 0s",
			in:     &orkv1.Reconciler{Profile: "development", Workers: new(int32(4)), Resync: &orkv1.Duration{}},
			want:   &orkv1.Reconciler{Profile: "development", Workers: new(int32(4)), Resync: duration("30s"), Queue: &orkv1.Queue{MaxDepth: 50}},
		},
		"Resources": {
			reason: "a template in a value is kept for the renderer",
			in:     declared(profile.Resources, " OURS "),
			want:   &orkv1.Workload{Resources: &orkv1.Resources{Limits: ours.Resources[0].Limits}},
		},
		"Probes": {
			reason: "what the probe asks stays",
			in:     &orkv1.Probes{Liveness: &orkv1.Probe{Path: "/a", Profile: "ours"}},
			want:   &orkv1.Probes{Liveness: &orkv1.Probe{Path: "/a", PeriodSeconds: new(int32(4))}},
		},
		"ProbesStandard": {
			reason: "a probe without a profile and times has those of standard",
			in:     &orkv1.Probes{Readiness: &orkv1.Probe{Type: "tcp"}},
			want: &orkv1.Probes{Readiness: &orkv1.Probe{
				Type: "tcp", InitialDelaySeconds: new(int32(15)), PeriodSeconds: new(int32(20)), FailureThreshold: new(int32(3)),
				SuccessThreshold: new(int32(1)), TimeoutSeconds: new(int32(10)),
			}},
		},
		"ProbesExplicit": {
			reason: "one with a single time has no other",
			in:     &orkv1.Probes{Readiness: &orkv1.Probe{Type: "tcp", TimeoutSeconds: new(int32(2))}},
			want:   &orkv1.Probes{Readiness: &orkv1.Probe{Type: "tcp", TimeoutSeconds: new(int32(2))}},
		},
		"ContainerSecurity": {
			reason: "explicit fields are excluded, so all are those of the preset",
			in:     declared(profile.ContainerSecurity, "ours"),
			want:   &orkv1.Workload{SecurityContext: &orkv1.SecurityContext{RunAsNonRoot: new(true)}},
		},
		"PodSecurity": {
			reason: "the same holds for the pod",
			in:     declared(profile.PodSecurity, "ours"),
			want:   &orkv1.Workload{PodSecurity: &orkv1.PodSecurity{FSGroup: new(int64(5))}},
		},
		"RollingUpdate": {
			reason: "a Deployment has both bounds",
			in:     declared(profile.RollingUpdate, "ours"),
			want:   &orkv1.Deployment{RollingUpdate: &orkv1.RollingUpdate{MaxSurge: "3", MaxUnavailable: "2"}},
		},
		"RollingUpdateStatefulSet": {
			reason: "a StatefulSet has no maxSurge",
			in:     &orkv1.StatefulSet{RollingUpdate: &orkv1.RollingUpdate{Profile: "ours"}},
			want:   &orkv1.StatefulSet{RollingUpdate: &orkv1.RollingUpdate{MaxUnavailable: "2"}},
		},
		"RollingUpdateStatefulSetNone": {
			reason: "and none of its pods may be missing is no bound that it could keep",
			in:     &orkv1.StatefulSet{RollingUpdate: &orkv1.RollingUpdate{Profile: "blue-green"}},
			want:   &orkv1.StatefulSet{RollingUpdate: &orkv1.RollingUpdate{}},
		},
		"HPA": {
			reason: "a profile sets the CPU target, too",
			in:     declared(profile.HPA, "ours"),
			want:   &orkv1.HPA{TargetCPUUtilizationPercentage: "33", Behavior: &orkv1.HPABehavior{ScaleUp: &orkv1.HPAScaling{SelectPolicy: "Min"}}},
		},
		"HPATarget": {
			reason: "a target that is given overrides the target alone",
			in:     &orkv1.HPA{TargetCPUUtilizationPercentage: "90", Behavior: &orkv1.HPABehavior{Profile: "ours"}},
			want:   &orkv1.HPA{TargetCPUUtilizationPercentage: "90", Behavior: &orkv1.HPABehavior{ScaleUp: &orkv1.HPAScaling{SelectPolicy: "Min"}}},
		},
		"PDB": {
			reason: "the bound takes the place of the name",
			in:     declared(profile.PDB, "ours"),
			want:   &orkv1.PDB{Behavior: &orkv1.PDBBehavior{MinAvailable: "2"}},
		},
		"NetworkPolicies": {
			reason: "whom the policy is for is the declaration's own; an empty list stays one",
			in:     &orkv1.NetworkPolicy{Profile: "ours", PodSelector: map[string]orkv1.Template{"a": "b"}},
			want:   &orkv1.NetworkPolicy{PodSelector: map[string]orkv1.Template{"a": "b"}, Egress: &[]orkv1.EgressRule{}},
		},
		"ResourceQuotas": {
			reason: "the limits take the place of the name",
			in:     declared(profile.ResourceQuotas, "ours"),
			want:   &orkv1.ResourceQuota{Hard: ours.ResourceQuotas[0].Hard},
		},
		"LimitRanges": {
			reason: "of limit ranges there are only those of the Katalog",
			in:     declared(profile.LimitRanges, "ours"),
			want:   &orkv1.LimitRange{Limits: ours.LimitRanges[0].Limits},
		},
		"Groups": {
			reason: "a block in a block is looked through",
			in:     &orkv1.Block{Groups: []orkv1.Block{{ResourceQuotas: []orkv1.ResourceQuota{{Profile: "ours"}}}}},
			want:   &orkv1.Block{Groups: []orkv1.Block{{ResourceQuotas: []orkv1.ResourceQuota{{Hard: ours.ResourceQuotas[0].Hard}}}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			expand(t, profile.NewSet(own()), tc.in)
			if diff := cmp.Diff(tc.want, tc.in); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func duration(text string) *orkv1.Duration {
	d, err := orkv1.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return &d
}

// A site tells where the fields stand that a preset sets, so that what is wrong with them can be said of the preset.
func TestSites(t *testing.T) {
	crd := &orkv1.CRD{OperatorBox: orkv1.OperatorBox{
		Reconciler: &orkv1.Reconciler{Profile: "{{ a }}"},
		OnReconcile: &orkv1.Block{
			HPA:    []orkv1.HPA{{Behavior: &orkv1.HPABehavior{Profile: "{{ .spec.load }}"}}},
			Custom: []orkv1.Custom{{Object: map[string]orkv1.JSON{"profile": {Value: "x"}}}},
		},
	}}
	type found struct {
		Class    profile.Class
		Path     string
		Template bool
		Filled   []string
	}
	var got []found
	for _, site := range profile.Sites(crd, field.NewPath("crd")) {
		one := found{Class: site.Class, Path: site.Path.String(), Template: site.IsTemplate()}
		for _, filled := range site.Filled {
			one.Filled = append(one.Filled, filled.Path.String())
		}
		got = append(got, one)
	}
	const hpa = "crd.operatorBox.onReconcile.hpa[0]."
	want := []found{
		{profile.Reconciler, "crd.operatorBox.reconciler.profile", false, []string{
			"crd.operatorBox.reconciler.workers", "crd.operatorBox.reconciler.resync", "crd.operatorBox.reconciler.queue",
		}},
		{profile.HPA, hpa + "behavior.profile", true, []string{hpa + "behavior.scaleUp", hpa + "behavior.scaleDown", hpa + "targetCPUUtilizationPercentage"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	ours := own()
	ours.PDB = append(ours.PDB, orkv1.PDBProfile{ProfileName: orkv1.ProfileName{Name: "Relaxed"}, MaxUnavailable: "9"})
	set := profile.NewSet(ours)
	cases := map[string]struct {
		reason string
		class  profile.Class
		name   string
		at     string // of the preset in the Katalog
		err    string
	}{
		"Own":      {reason: "the Katalog's", class: profile.PDB, name: "ours", at: "profiles.pdb[0]"},
		"Hiding":   {reason: "the Katalog's wins over the built-in one", class: profile.PDB, name: "relaxed", at: "profiles.pdb[1]"},
		"BuiltIn":  {reason: "in any case, and with space around it", class: profile.PDB, name: " Zero-Downtime\n", at: "<nil>"},
		"Class":    {reason: "names are those of their class", class: profile.PDB, name: "small", err: "is no profile of pdb; valid: Ours, Relaxed, zero-downtime, rolling"},
		"Misspelt": {reason: "the nearest name is told", class: profile.Resources, name: "smal", err: "is no profile of resources; did you mean small?; valid: Ours, tiny, small, medium, large, burst, steady, compute-heavy, memory-heavy"},
		"Empty":    {reason: "no name is none", class: profile.PodSecurity, name: " ", err: "is no profile of podSecurity; valid: Ours, baseline, restricted, hardened"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			preset, err := set.Find(tc.class, tc.name)
			switch {
			case tc.err != "" && (err == nil || err.Error() != tc.err), tc.err == "" && err != nil:
				t.Errorf("%s: Find(%q): want %q, got %v", tc.reason, tc.name, tc.err, err)
			case tc.err == "" && preset.At.String() != tc.at:
				t.Errorf("%s: Find(%q): want the one at %s, got %s", tc.reason, tc.name, tc.at, preset.At)
			}
		})
	}
	_, err := profile.NewSet(nil).Find(profile.LimitRanges, "small")
	if want := "is no profile of limitRanges: none is built in; declare it in profiles.limitRanges"; err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
	if !set.HidesBuiltIn(profile.PDB, "relaxed") || set.HidesBuiltIn(profile.PDB, "ours") {
		t.Error("only a name that is built in, too, hides one")
	}
}
