package box_test

import (
	"context"
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers"
)

// everywhere has a Secret and a ConfigMap of each name in each namespace.
type everywhere struct{}

func (everywhere) GetSecret(_ context.Context, namespace, _ string) (map[string][]byte, error) {
	return map[string][]byte{"of": []byte(namespace)}, nil
}

func (everywhere) GetConfigMap(_ context.Context, namespace, _ string) (map[string]string, error) {
	return map[string]string{"of": namespace}, nil
}

// Who writes resources of one namespace reads nothing of another one by a field of a provider.
func TestDefect96NamespacesOfProviders(t *testing.T) {
	const refused = " names the namespace other by a template, which is not the resource's own: write it out in the Katalog"
	cases := map[string]struct {
		reason, fields string
		// own is the namespace of the resource, and reads the one that the provider reads.
		own, reads string
		says       string
	}{
		"Own":         {reason: "the resource's own", fields: `{authSecret: {namespace: "{{ .metadata.namespace }}"}}`, own: "shop", reads: "shop"},
		"OwnByChoice": {reason: "which the resource may name", fields: `{authSecret: {namespace: "{{ .spec.team }}"}}`, own: "other", reads: "other"},
		"Written":     {reason: "another one that the Katalog writes out", fields: `{authSecret: {namespace: other}}`, own: "shop", reads: "other"},
		"Rendered":    {reason: "another one that the resource names", fields: `{authSecret: {namespace: "{{ .spec.team }}"}}`, own: "shop", reads: "other", says: "bucket: field authSecret.namespace" + refused},
		"Password":    {reason: "whatever the field is called", fields: `{passwordSecret: {namespace: "{{ .spec.team }}"}}`, own: "shop", reads: "other", says: "bucket: field passwordSecret.namespace" + refused},
		"Part":        {reason: "and whatever else is in it", fields: `{login: "{{ .spec.team }}/creds"}`, own: "shop", reads: "other", says: "bucket: field login" + refused},
		"Cluster":     {reason: "a resource of the cluster has none of its own", fields: `{authSecret: {namespace: "{{ .spec.team }}"}}`, reads: "other", says: "bucket: field authSecret.namespace" + refused},
		"BothWays":    {reason: "who writes it out has opened it to all", fields: `{authSecret: {namespace: "{{ .spec.team }}"}, passwordSecret: {namespace: other}}`, own: "shop", reads: "other"},
		"Coincidence": {reason: "another field that has the word opens nothing", fields: `{name: other, authSecret: {namespace: "{{ .spec.team }}"}}`, own: "shop", reads: "other", says: "bucket: field authSecret.namespace" + refused},
		"Slash":       {reason: "a Secret with its namespace, in one", fields: `{passwordSecret: other/creds}`, own: "shop", reads: "other"},
		"Provider":    {reason: "one that the provider itself knows", fields: `{name: "{{ .metadata.name }}"}`, own: "shop", reads: "vault"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, sets, _ := provided(t, `[]`, `{other: [{bucket: `+tc.fields+`}]}`)
			facts := template.NewFacts(map[string]any{
				"metadata": map[string]any{"namespace": tc.own, "name": "w"}, "spec": map[string]any{"team": "other"},
			}, nil)
			declared, err := sets[0].Effective("").Provided[0].Needs[0].Render(facts)
			if err != nil {
				t.Fatal(err)
			}
			reader := sets[0].Tenant(everywhere{}, "other", tc.own, []providers.Declaration{declared})
			data, err := reader.GetSecret(t.Context(), tc.reads, "creds")
			if said := errorText(err); said != tc.says {
				t.Errorf("\n%s\nGetSecret(%s): %q, want %q", tc.reason, tc.reads, said, tc.says)
			}
			if err == nil && string(data["of"]) != tc.reads {
				t.Errorf("\n%s\nGetSecret(%s): got that of %s", tc.reason, tc.reads, data["of"])
			}
			if _, err := reader.GetConfigMap(t.Context(), tc.reads, "settings"); errorText(err) != tc.says {
				t.Errorf("\n%s\nGetConfigMap(%s): %v, want %q", tc.reason, tc.reads, err, tc.says)
			}
		})
	}
}
