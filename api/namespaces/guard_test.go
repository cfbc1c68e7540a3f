package namespaces_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
)

func TestGuard(t *testing.T) {
	allowed := func(list ...string) *orkv1.CRD { return &orkv1.CRD{AllowedNamespaces: list} }
	restricted := func(list ...string) *orkv1.CRD { return &orkv1.CRD{RestrictedNamespaces: list} }
	shared := func(enabled *bool, list ...string) *orkv1.Katalog {
		return &orkv1.Katalog{Security: &orkv1.Security{NamespaceProtection: &orkv1.NamespaceProtection{Enabled: enabled, RestrictedNamespaces: list}}}
	}
	cases := map[string]struct {
		reason    string
		katalog   *orkv1.Katalog
		entry     *orkv1.CRD
		namespace string
		want      bool
	}{
		"None":               {"no list restricts nothing", &orkv1.Katalog{}, &orkv1.CRD{}, "shop", true},
		"Wide":               {"what is in no namespace is in none that is left alone", &orkv1.Katalog{}, allowed("shop"), "", true},
		"Name":               {"a name is that namespace", &orkv1.Katalog{}, allowed("shop"), "shop", true},
		"LongerName":         {"and no other that begins with it", &orkv1.Katalog{}, allowed("shop"), "shop-2", false},
		"AllowedGlob":        {"a glob is all that it matches", &orkv1.Katalog{}, allowed("prod", "team-*"), "team-a", true},
		"BesideGlob":         {"a name beside it counts", &orkv1.Katalog{}, allowed("prod", "team-*"), "prod", true},
		"NotAllowedGlob":     {"the whole name is matched", &orkv1.Katalog{}, allowed("team-*"), "my-team-a", false},
		"EmptyText":          {"* may be nothing", &orkv1.Katalog{}, allowed("team-*"), "team-", true},
		"OneCharacter":       {"? is one character", &orkv1.Katalog{}, allowed("team-?"), "team-ab", false},
		"OneOfSome":          {"[] is one of some characters", &orkv1.Katalog{}, allowed("team-[ab]"), "team-b", true},
		"NoneOfSome":         {"[^] is none of some characters", &orkv1.Katalog{}, allowed("team-[^ab]"), "team-b", false},
		"SignsInBrackets":    {"the signs of a glob stand for themselves there", &orkv1.Katalog{}, allowed("team-[?-z*]x"), "team-5x", false},
		"RestrictedGlob":     {"a glob is left alone", &orkv1.Katalog{}, restricted("kube-*"), "kube-system", false},
		"NotRestrictedGlob":  {"what it does not match is not", &orkv1.Katalog{}, restricted("kube-*"), "shop", true},
		"KatalogsGlob":       {"the Katalog's hold for an entry without lists", shared(nil, "kube-*"), &orkv1.CRD{}, "kube-public", false},
		"OwnInstead":         {"an entry's own replace the Katalog's", shared(nil, "kube-*"), restricted("shop-*"), "kube-public", true},
		"KatalogsNotEnabled": {"switched off they hold for no CRD", shared(new(false), "kube-*"), &orkv1.CRD{}, "kube-public", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			guard := namespaces.For(tc.katalog, tc.entry)
			if got := guard.Allows(tc.namespace); got != tc.want {
				t.Errorf("\n%s\nAllows(%q) = %t, want %t", tc.reason, tc.namespace, got, tc.want)
			}
			request := map[string]any{"namespace": tc.namespace}
			if tc.namespace == "" {
				delete(request, "namespace")
			}
			expression := strings.ReplaceAll(guard.Expression(), "request.", "object.")
			if got := conditionstest.InServer(t, expression)(request); got != tc.want {
				t.Errorf("\n%s\nExpression() of %q is %t, want %t", tc.reason, tc.namespace, got, tc.want)
			}
			if allocated := testing.AllocsPerRun(10, func() { guard.Allows(tc.namespace) }); allocated != 0 {
				t.Errorf("Allows(%q) allocates %v times", tc.namespace, allocated)
			}
		})
	}
	if !namespaces.For(&orkv1.Katalog{}, &orkv1.CRD{}).IsZero() || namespaces.For(&orkv1.Katalog{}, allowed("team-*")).IsZero() {
		t.Error("IsZero() does not tell a guard that restricts something from one that does not")
	}
}

func TestCheckGlob(t *testing.T) {
	cases := map[string]struct{ reason, glob, want string }{
		"Text":       {"any text", "team-*", ""},
		"Backwards":  {"a range that holds nothing", "team-[z-a]", "matches no namespace: a range such as [a-c] begins with the lower of its ends, and [ stands in no list"},
		"Some":       {"one of some characters", "team-[a-c]?", ""},
		"NoneOf":     {"none of some characters", "[^k]*", ""},
		"Open":       {"a list without an end", "team-[a", "is no glob: [ opens a list of characters such as [a-c], which ] closes"},
		"Empty":      {"a list of nothing", "team-[]", "is no glob: [ opens a list of characters such as [a-c], which ] closes"},
		"Upper":      {"no namespace has such a name", "Team-*", "matches no namespace: a name has lower-case letters, digits and hyphens alone, no 'T'"},
		"Slash":      {"a glob of paths", "team/*", "matches no namespace: a name has lower-case letters, digits and hyphens alone, no '/'"},
		"Brace":      {"a glob of other programs", "{a,b}*", "matches no namespace: a name has lower-case letters, digits and hyphens alone, no '{'"},
		"Expression": {"a regular expression", "^team.*$", "matches no namespace: a name has lower-case letters, digits and hyphens alone, no '.'"},
		"Backslash":  {"nothing of a name needs it", `team\*`, `matches no namespace: a name has lower-case letters, digits and hyphens alone, no '\\'`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := namespaces.CheckGlob(tc.glob); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("\n%s\nCheckGlob(%q) = %q, want %q", tc.reason, tc.glob, got, tc.want)
			}
			if !namespaces.IsGlob(tc.glob) && tc.want == "" {
				t.Errorf("IsGlob(%q) = false", tc.glob)
			}
		})
	}
}

func TestOfObject(t *testing.T) {
	cases := map[string]struct{ reason, apiVersion, kind, namespace, want string }{
		"Namespace":  {"what is in it goes with it", "v1", "Namespace", "", "x"},
		"Namespaced": {"it is where it is", "v1", "ConfigMap", "shop", "shop"},
		"Wide":       {"it is nowhere", "rbac.authorization.k8s.io/v1", "ClusterRole", "", ""},
		"Namesake":   {"a kind of another group", "example.com/v1", "Namespace", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetAPIVersion(tc.apiVersion)
			object.SetKind(tc.kind)
			object.SetNamespace(tc.namespace)
			object.SetName("x")
			if got := namespaces.OfObject(object); got != tc.want {
				t.Errorf("\n%s\nOfObject(...) = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
