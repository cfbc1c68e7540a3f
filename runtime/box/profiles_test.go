package box_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apps"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// profileKinds are Deployments, and ResourceQuotas as far as their profile goes.
func profileKinds(tb testing.TB) *controllers.Registry {
	tb.Helper()
	registry, err := controllers.NewRegistry(apps.Deployments(), controllers.Of(controllers.Spec[orkv1.ResourceQuota]{
		Kind:       controllers.Kind{Key: "resourceQuotas", GVK: corev1.SchemeGroupVersion.WithKind("ResourceQuota")},
		List:       func(b *orkv1.Block) []orkv1.ResourceQuota { return b.ResourceQuotas },
		Common:     func(in *orkv1.ResourceQuota) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-quota",
		Build:      func(*controllers.Draft, *orkv1.ResourceQuota, *field.Path) any { return map[string]any{} },
	}))
	if err != nil {
		tb.Fatal(err)
	}
	return registry
}

// compileProfiles compiles a Katalog of an entry website and presets, both given as YAML.
func compileProfiles(tb testing.TB, presets, entry string) ([]*box.Set, box.Findings) {
	tb.Helper()
	katalog, props := &orkv1.Katalog{Profiles: &orkv1.Profiles{}}, &apiextensionsv1.JSONSchemaProps{}
	var crd orkv1.CRD
	for into, text := range map[any]string{katalog.Profiles: presets, props: websiteSchema, &crd: entry} {
		if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
			tb.Fatal(err)
		}
	}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"website": crd}
	return box.CompileKatalog(katalog, box.Options{
		Registry: profileKinds(tb), Schemas: map[string]*apiextensionsv1.JSONSchemaProps{"website": props},
	})
}

const ours = `
resources: [{name: Ours, limits: {cpu: "{{ .spec.replicas }}", memory: 1Gi}}, {name: small, limits: {cpu: 7m}}]
podSecurity: [{name: fs, fsGroup: 7}]
resourceQuotas: [{name: org-gold, hard: {pods: "{{ mul .spec.replicas 2 }}"}}]
`

// What a declaration renders to, in which the fields of presets stand.
func TestProfiles(t *testing.T) {
	quantities := func(cpu, memory orkv1.Template) map[string]orkv1.Template {
		return map[string]orkv1.Template{"cpu": cpu, "memory": memory}
	}
	cases := map[string]struct {
		reason, declared string
		want             any
		err              string
	}{
		"Static": {
			reason: "a name is looked up when the Katalog is compiled", declared: `deployments: [{name: a, image: x, resources: {profile: TINY}}]`,
			want: &orkv1.Resources{Requests: quantities("25m", "64Mi"), Limits: quantities("100m", "128Mi")},
		},
		"StaticOwn": {
			reason: "the templates of its values are rendered", declared: `deployments: [{name: a, image: x, resources: {profile: ours}}]`,
			want: &orkv1.Resources{Limits: quantities("3", "1Gi")},
		},
		"Template": {
			reason: "a name may be a template", declared: `deployments: [{name: a, image: x, resources: {profile: "{{ .spec.size }}"}}]`,
			want: &orkv1.Resources{Requests: quantities("1", "512Mi"), Limits: quantities("2", "1Gi")},
		},
		"TemplateOwn": {
			reason: "of a preset with templates", declared: `deployments: [{name: a, image: x, resources: {profile: '{{ printf "%s" "oURs" }}'}}]`,
			want: &orkv1.Resources{Limits: quantities("3", "1Gi")},
		},
		"TemplateHiding": {
			reason: "of one that hides a built-in preset", declared: `deployments: [{name: a, image: x, resources: {profile: "{{ lower \"SMALL\" }}"}}]`,
			want: &orkv1.Resources{Limits: map[string]orkv1.Template{"cpu": "7m"}},
		},
		"TemplateUnknown": {
			reason: "what is unknown then fails, and names what is valid", declared: `deployments: [{name: a, image: x, resources: {profile: "{{ .spec.image }}"}}]`,
			err: `deployments[0].resources.profile: "tinny" is no profile of resources; did you mean tiny?; valid: Ours, small, tiny, medium, large, burst, steady, compute-heavy, memory-heavy`,
		},
		"TemplateEmpty": {
			reason: "so does no name at all", declared: `deployments: [{name: a, image: x, podSecurity: {profile: "{{ .spec.none }}"}}]`,
			err: `deployments[0].podSecurity.profile: "" is no profile of podSecurity; valid: fs, baseline, restricted, hardened`,
		},
		"Quota": {
			reason: "profiles of quotas are found in the same way", declared: `resourceQuotas: [{name: a, profile: '{{ printf "org-%s" .spec.tier }}'}]`,
			want: map[string]orkv1.Template{"pods": "6"},
		},
	}
	facts := template.NewFacts(map[string]any{"spec": map[string]any{
		"size": "compute-heavy", "replicas": int64(3), "image": "tinny", "tier": "gold",
	}}, nil)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			sets, found := compileProfiles(t, ours, "operatorBox: {onReconcile: {"+tc.declared+"}}")
			if len(found.Errors) > 0 {
				t.Fatal(found.Errors)
			}
			child := &sets[0].Effective("").Blocks[0].Children[0]
			for range 2 {
				rendered, err := child.Render(facts)
				if tc.err != "" {
					invalid, is := errors.AsType[*controllers.InvalidError](err)
					if !is || invalid.Error() != tc.err {
						t.Errorf("%s: want an InvalidError %q, got %v", tc.reason, tc.err, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				var got any
				switch rendered := rendered.(type) {
				case orkv1.Deployment:
					got = rendered.Resources
				case orkv1.ResourceQuota:
					got = rendered.Hard
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

// Upstream warns of an unknown profile of a quota, and makes none.
func TestDefect50UnknownQuotaProfile(t *testing.T) {
	const unknown = "resourceQuotas[0].profile"
	_, found := compileProfiles(t, ours, `operatorBox: {onReconcile: {resourceQuotas: [{name: a, profile: Huge}]}}`)
	if len(found.Errors) != 1 || found.Errors[0].Field != "spec.crds[website].operatorBox.onReconcile."+unknown {
		t.Errorf("a name that there is not is an error of the Katalog: %v", found.Errors)
	}
	sets, found := compileProfiles(t, ours, `operatorBox: {onReconcile: {resourceQuotas: [{name: a, profile: '{{ printf "%s" .spec.tier }}'}]}}`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors)
	}
	facts := template.NewFacts(map[string]any{"spec": map[string]any{"tier": "huge"}}, nil)
	_, err := sets[0].Effective("").Blocks[0].Children[0].Render(facts)
	want := unknown + `: "huge" is no profile of resourceQuotas; valid: org-gold, small, medium, large, xlarge`
	if invalid, is := errors.AsType[*controllers.InvalidError](err); !is || invalid.Error() != want {
		t.Errorf("one that a template gives is an error of its resource: want an InvalidError %q, got %v", want, err)
	}
}

// Without the loader, which does the same, a profile of the reconciler fills in what is open.
func TestReconcilerProfile(t *testing.T) {
	sets, found := compileProfiles(t, "{}", `operatorBox: {reconciler: {profile: High-Throughput, workers: 4}}`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors)
	}
	if set := sets[0]; set.Workers != 4 || set.Watch.Resync != 5*time.Minute || set.FailureThreshold != box.DefaultFailureThreshold {
		t.Errorf("%d workers, resync %s, threshold %d; want the field, the profile and the default",
			set.Workers, set.Watch.Resync, set.FailureThreshold)
	}
}

// What is wrong with a preset is said of the preset, once, and with who uses it unless it is wrong by itself.
func TestProfileErrors(t *testing.T) {
	const used = "spec.crds[website].operatorBox.onReconcile.deployments[0].resources.profile"
	static := `operatorBox: {onReconcile: {deployments: [{name: a, image: x, resources: {profile: p}}, {name: b, image: x, resources: {profile: P}}]}}`
	cases := map[string]struct {
		reason, presets, entry, want string
	}{
		"Syntax": {
			reason: "it is wrong wherever it is used", presets: `resources: [{name: p, limits: {cpu: "{{ nonsense }}"}}]`, entry: static,
			want: `profiles.resources[0].limits[cpu]: Invalid value: "{{ nonsense }}": 1:4: unknown function "nonsense": a field is written with a leading dot, as .nonsense`,
		},
		"Unused": {
			reason: "or not used", presets: `resources: [{name: p, limits: {cpu: "{{ nonsense }}"}}]`, entry: "{}",
			want: `profiles.resources[0].limits[cpu]: Invalid value: "{{ nonsense }}": 1:4: unknown function "nonsense": a field is written with a leading dot, as .nonsense`,
		},
		"Field": {
			reason: "a field that the user does not have", presets: `resources: [{name: p, limits: {cpu: "{{ .spec.imgae }}"}}]`, entry: static,
			want: `profiles.resources[0].limits[cpu]: Invalid value: "{{ .spec.imgae }}": 1:10: .spec has no field imgae in the schema: did you mean image?; used by ` + used,
		},
		"Value": {
			reason: "a value that no object can have", presets: `resources: [{name: p, limits: {cpu: much}}]`, entry: static,
			want: `profiles.resources[0].limits[cpu]: Invalid value: "much": is not a quantity such as 500m, 2 or 128Mi; used by ` + used,
		},
		"Template": {
			reason: "a preset that a template may name is compiled for who may use it", presets: `resources: [{name: p, limits: {cpu: "{{ .spec.imgae }}"}}]`,
			entry: `operatorBox: {onReconcile: {deployments: [{name: a, image: x, resources: {profile: "{{ .spec.image }}"}}]}}`,
			want:  `profiles.resources[0].limits[cpu]: Invalid value: "{{ .spec.imgae }}": 1:10: .spec has no field imgae in the schema: did you mean image?; may be used by ` + used,
		},
		"OtherClass": {
			reason: "those of a class that no template names are not", presets: `podSecurity: [{name: p}]
resources: [{name: q, limits: {cpu: "{{ .spec.imgae }}"}}]`, entry: `operatorBox: {onReconcile: {deployments: [{name: a, image: x, podSecurity: {profile: "{{ .spec.image }}"}}]}}`,
		},
		"Unknown": {
			reason: "a name that there is not", presets: "{}", entry: `operatorBox: {onReconcile: {deployments: [{name: a, image: x, resources: {profile: p}}]}}`,
			want: used + `: Invalid value: "p": is no profile of resources; valid: tiny, small, medium, large, burst, steady, compute-heavy, memory-heavy`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := compileProfiles(t, tc.presets, tc.entry)
			messages := make([]string, 0, len(found.Errors))
			for _, err := range found.Errors {
				messages = append(messages, err.Error())
			}
			if got := strings.Join(messages, "\n"); got != tc.want {
				t.Errorf("%s\nwant %s\ngot  %s", tc.reason, tc.want, got)
			}
		})
	}
}

// What presets read counts among what the children read.
func TestProfileReferences(t *testing.T) {
	cases := map[string]struct{ reason, profile string }{
		"Static":   {"a preset that is named reads it", "p"},
		"Template": {"a preset that may be named reads it", "{{ .spec.image }}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			sets, found := compileProfiles(t, `resources: [{name: p, limits: {cpu: "{{ .children.deployment.spec.replicas }}"}}]`,
				`operatorBox: {onReconcile: {deployments: [{name: a, image: x, resources: {profile: "`+tc.profile+`"}}]}}`)
			if len(found.Errors) > 0 {
				t.Fatal(found.Errors)
			}
			if !sets[0].Effective("").ReadsChildren {
				t.Errorf("%s: the box does not know that it reads children", tc.reason)
			}
		})
	}
}
