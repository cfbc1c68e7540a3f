package rights

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// Name is that of the roles and, unless Options has another one, of the account.
const Name = "orkestra-gateway"

// Options of Of.
type Options struct {
	// Namespace of the gateway.
	Namespace string
	// ServiceAccount that it runs as. Defaults to Name.
	ServiceAccount string
	// Secret is a certificate that somebody else keeps, and Files tells that it is in files. Without both the gateway keeps its own.
	Secret string
	Files  bool
}

// Rights are what a gateway may do: in the whole cluster, and in namespaces.
type Rights struct {
	Cluster    []rbacv1.PolicyRule
	Namespaces map[string][]rbacv1.PolicyRule
}

// Of tells what the gateway of some Katalogs needs. What is wrong with a Katalog is a field.ErrorList as an aggregate error.
func Of(katalogs []*orkv1.Katalog, opts Options) (*Rights, error) {
	c := &collector{own: opts.Namespace, namespaces: map[string]rules{}, registered: map[string]bool{}}
	var errs field.ErrorList
	for _, katalog := range katalogs {
		entries, wrong := entry.Compile(katalog, func(string) map[string]*roots.Props { return nil })
		errs = append(errs, wrong...)
		c.entries(katalog, entries)
		c.tokens(katalog)
		c.clusters(katalog)
		c.leaving(katalog, opts)
	}
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	c.registrations()
	c.certificate(opts)
	r := &Rights{Cluster: c.cluster.sorted(), Namespaces: map[string][]rbacv1.PolicyRule{}}
	for name, all := range c.namespaces {
		r.Namespaces[name] = all.sorted()
	}
	return r, nil
}

// Objects are the roles and what binds them to the account of the gateway, ready to be applied.
func (r *Rights) Objects(opts Options) []runtime.Object {
	account := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: opts.Namespace, Name: cmp.Or(opts.ServiceAccount, Name)}
	api := rbacv1.SchemeGroupVersion.String()
	meta := func(namespace string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: Name} }
	ref := func(kind string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: Name}
	}
	all := append(make([]runtime.Object, 0, 3+2*len(r.Namespaces)),
		&corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta: metav1.ObjectMeta{Namespace: account.Namespace, Name: account.Name, Labels: orkv1.InternalLabels()},
		},
		&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "ClusterRole"}, ObjectMeta: meta(""), Rules: r.Cluster},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "ClusterRoleBinding"}, ObjectMeta: meta(""), RoleRef: ref("ClusterRole"), Subjects: []rbacv1.Subject{account},
		})
	for _, namespace := range slices.Sorted(maps.Keys(r.Namespaces)) {
		all = append(all,
			&rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "Role"}, ObjectMeta: meta(namespace), Rules: r.Namespaces[namespace]},
			&rbacv1.RoleBinding{
				TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "RoleBinding"}, ObjectMeta: meta(namespace), RoleRef: ref("Role"), Subjects: []rbacv1.Subject{account},
			})
	}
	return all
}

// collector collects rights.
type collector struct {
	own        string
	cluster    rules
	namespaces map[string]rules
	// registered are the configurations of webhooks that the Katalogs have, by name.
	registered map[string]bool
}

// in grants something in a namespace, none for the gateway's own.
func (c *collector) in(namespace string, one rbacv1.PolicyRule) {
	namespace = cmp.Or(namespace, c.own)
	c.namespaces[namespace] = append(c.namespaces[namespace], one)
}

// rule is the right to do something with a resource, or with some of them by their names.
func rule(group, resource string, names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs}
}

const (
	definitions = "customresourcedefinitions"
	secrets     = "secrets"
)

// entries are the rights for what is declared of CRDs.
func (c *collector) entries(katalog *orkv1.Katalog, all []*entry.Entry) {
	serves := katalog.Gateway.Serves()
	if s := katalog.Security; s != nil && s.DeletionProtection.On() {
		c.registered[registration.DeletionProtection] = true // of what has the label, whichever CRDs there are
		c.registered[registration.StrictProtection] = c.registered[registration.StrictProtection] || s.DeletionProtection.StrictMode
		c.cluster = append(c.cluster, rule("", "namespaces", []string{c.own}, "get", "patch"))
	}
	for _, one := range all {
		for name, wanted := range map[string]bool{
			registration.AdmissionValidation: one.Validates, registration.AdmissionMutation: one.Mutates, registration.StrictProtection: one.Strict,
			registration.NamespaceProtection: one.GuardsNamespaces, registration.ProvenanceGuard: one.GuardsProvenance,
			registration.DeletionProtection: one.ProtectsDefinition,
		} {
			c.registered[name] = c.registered[name] || wanted
		}
		if one.UpdatesDefinition {
			c.cluster = append(c.cluster, rule(apiextensionsv1.GroupName, definitions, []string{one.Definition()}, "get", "list", "watch", "patch"))
		}
		for _, credential := range one.Admission.Calls().Credentials() {
			c.in(credential.Namespace, rule("", secrets, []string{credential.Name}, "get"))
		}
		declared := katalog.Spec.CRDs[one.Name].Serve
		if !serves || declared == nil || !declared.Enabled {
			continue
		}
		if goes := destinationsOf(declared); goes.own {
			c.cluster = append(c.cluster, served(one)...)
		}
	}
}

// tokens are the rights for the callers of the API.
func (c *collector) tokens(katalog *orkv1.Katalog) {
	if !katalog.Gateway.Serves() || katalog.Gateway.API.Auth == nil {
		return
	}
	for _, one := range katalog.Gateway.API.Auth.Tokens {
		if ref := one.SecretRef; ref != nil {
			c.in(ref.Namespace, rule("", secrets, nil, "create"))
			c.in(ref.Namespace, rule("", secrets, []string{ref.Name}, "get", "list", "watch", "update"))
		}
		if one.ServiceAccount != nil {
			c.cluster = append(c.cluster, rule(authenticationv1.GroupName, "tokenreviews", nil, "create"))
		}
	}
}

// leaving are the rights for what goes with the gateway.
func (c *collector) leaving(katalog *orkv1.Katalog, opts Options) {
	s := katalog.Security
	if s == nil || (s.Webhooks == nil || !s.Webhooks.CleanupOnShutdown) && (s.DeletionProtection == nil || !s.DeletionProtection.CleanupOnShutdown) &&
		(s.NamespaceProtection == nil || !s.NamespaceProtection.CleanupOnShutdown) {
		return
	}
	c.in("", rule(discoveryv1.GroupName, "endpointslices", nil, "list"))
	if !opts.Files && opts.Secret == "" {
		c.in("", rule("", secrets, []string{orkv1.SecretTLS}, "delete"))
	} else {
		c.in("", rule("", secrets, []string{orkv1.SecretTLS}, "get"))
	}
}

// registrations are the rights for the configurations of webhooks. Those that the Katalogs have no more are looked for, and taken away.
func (c *collector) registrations() {
	group := admissionregistrationv1.GroupName
	for _, name := range registration.Names {
		resource := "validatingwebhookconfigurations"
		if name == registration.AdmissionMutation {
			resource = "mutatingwebhookconfigurations"
		}
		c.cluster = append(c.cluster, rule(group, resource, []string{name}, "get", "list", "watch", "delete"))
		if c.registered[name] {
			c.cluster = append(c.cluster, rule(group, resource, nil, "create"), rule(group, resource, []string{name}, "update"))
		}
	}
}

// certificate are the rights for the certificate.
func (c *collector) certificate(opts Options) {
	switch {
	case opts.Files:
	case opts.Secret != "":
		c.in("", rule("", secrets, []string{opts.Secret}, "get", "list", "watch"))
	default:
		c.in("", rule("", secrets, nil, "create"))
		c.in("", rule("", secrets, []string{orkv1.SecretTLS, orkv1.SecretAuthority}, "get", "list", "watch", "update"))
	}
}

// rules are rights, some of which may be granted twice.
type rules []rbacv1.PolicyRule

// sorted has each right once, and those of one resource and one set of verbs in one rule, in an order that only what is granted decides.
func (r rules) sorted() []rbacv1.PolicyRule {
	// The verbs that are granted, by group, resource and name; no name is all of them.
	type object struct{ group, resource, name string }
	verbs := map[object][]string{}
	for _, one := range r {
		names := one.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			id := object{one.APIGroups[0], one.Resources[0], name}
			for _, verb := range one.Verbs {
				if !slices.Contains(verbs[id], verb) {
					verbs[id] = append(verbs[id], verb)
				}
			}
		}
	}
	type grant struct{ group, resource, verbs string }
	names := map[grant][]string{}
	for id, granted := range verbs {
		if everyone := verbs[object{id.group, id.resource, ""}]; id.name != "" {
			granted = slices.DeleteFunc(slices.Clone(granted), func(verb string) bool { return slices.Contains(everyone, verb) })
		}
		if len(granted) > 0 {
			slices.Sort(granted)
			key := grant{id.group, id.resource, strings.Join(granted, ",")}
			names[key] = append(names[key], id.name)
		}
	}
	all := make([]rbacv1.PolicyRule, 0, len(names))
	for key, named := range names {
		if slices.Sort(named); named[0] == "" {
			named = nil
		}
		all = append(all, rule(key.group, key.resource, named, strings.Split(key.verbs, ",")...))
	}
	slices.SortFunc(all, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(cmp.Compare(a.APIGroups[0], b.APIGroups[0]), cmp.Compare(a.Resources[0], b.Resources[0]),
			slices.Compare(a.ResourceNames, b.ResourceNames), slices.Compare(a.Verbs, b.Verbs))
	})
	return all
}
