package registration

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// The names of the configurations.
const (
	AdmissionValidation = "orkestra-admission-validation"
	AdmissionMutation   = "orkestra-admission-mutation"
	DeletionProtection  = "orkestra-deletion-protection"
	NamespaceProtection = "orkestra-namespace-protection"
	StrictProtection    = "orkestra-strict-mode-protection"
	ProvenanceGuard     = "orkestra-provenance-protection"
)

// The paths of the webhooks.
const (
	PathValidate   = "/validate"
	PathMutate     = "/mutate"
	PathConvert    = "/convert"
	PathDeletion   = "/deletion-protection"
	PathNamespace  = "/namespace-protection"
	PathStrict     = "/strict-mode-protection"
	PathProvenance = "/provenance-protection"
)

// DefaultTimeout is how long the API server waits for an answer.
const DefaultTimeout int32 = 5

// Resource is one that the API server asks about.
type Resource struct {
	schema.GroupVersionResource
	// Operations that it asks about. Where a protection knows them, they are left out.
	Operations []admissionregistrationv1.OperationType
	// Idle is a CEL expression over object that is true only where nobody need be asked, and can't fail. Empty: it can't be told without asking.
	Idle string
}

// Plan is what must be registered. A list without an element, or false, registers nothing.
type Plan struct {
	// Namespace and Service are where the gateway is reached, and Port which. Nothing of this namespace is asked about by rules.
	Namespace, Service string
	Port               int32
	// AdmissionService and DeletionService are other Services of the gateway, for what rules and what the protection from deletion are asked. Empty: Service.
	AdmissionService, DeletionService string
	// URL takes the place of the Service, for a gateway outside of the cluster: https://host:port.
	URL string
	// Validated and Mutated are the resources with rules, and AdmissionPolicy what their failure means.
	Validated, Mutated []Resource
	AdmissionPolicy    admissionregistrationv1.FailurePolicyType
	// AdmissionWrites tells that rules make calls which may change something, and do not for a dry run.
	AdmissionWrites bool
	// Definitions are the names of protected CustomResourceDefinitions, and DefinitionsOf the kinds that protected ones define. Protected tells that what has
	// the label is protected. Strict keeps the label on Strict resources.
	Definitions   []string
	DefinitionsOf []schema.GroupKind
	Protected     bool
	Strict        []Resource
	// StrictOwn keeps the label on the gateway's namespace and on the Secrets of its certificate.
	StrictOwn      bool
	DeletionPolicy admissionregistrationv1.FailurePolicyType
	// Guarded are resources with lists of namespaces.
	Guarded         []Resource
	NamespacePolicy admissionregistrationv1.FailurePolicyType
	// Delivered are resources whose annotations of the gateway nobody else may change.
	Delivered []Resource
	// Free are users, and BreakGlass groups, that the protections ask nobody about.
	Free, BreakGlass []string
}

// Mutating are the configurations of mutating webhooks.
func (p *Plan) Mutating(bundle []byte) []*admissionregistrationv1.MutatingWebhookConfiguration {
	if len(p.Mutated) == 0 {
		return nil
	}
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: meta(AdmissionMutation)}
	for _, asked := range inquiries("mutate", p.Mutated) {
		configuration.Webhooks = append(configuration.Webhooks, admissionregistrationv1.MutatingWebhook{
			Name: asked.name + "." + webhookDomain, ClientConfig: p.client(PathMutate, bundle), Rules: rulesOf(asked.about, nil), MatchConditions: asked.where,
			FailurePolicy: new(policy(p.AdmissionPolicy)), MatchPolicy: new(admissionregistrationv1.Equivalent),
			NamespaceSelector: p.elsewhere(), ObjectSelector: &metav1.LabelSelector{}, SideEffects: new(p.sideEffects()),
			TimeoutSeconds: new(DefaultTimeout), AdmissionReviewVersions: []string{"v1"}, ReinvocationPolicy: new(admissionregistrationv1.IfNeededReinvocationPolicy),
		})
	}
	return []*admissionregistrationv1.MutatingWebhookConfiguration{configuration}
}

// Validating are the configurations of validating webhooks.
func (p *Plan) Validating(bundle []byte) []*admissionregistrationv1.ValidatingWebhookConfiguration {
	var all []*admissionregistrationv1.ValidatingWebhookConfiguration
	add := func(name string, webhooks ...admissionregistrationv1.ValidatingWebhook) {
		all = append(all, &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: meta(name), Webhooks: webhooks})
	}
	update := []admissionregistrationv1.OperationType{admissionregistrationv1.Update}
	write := append([]admissionregistrationv1.OperationType{admissionregistrationv1.Create}, update...)
	gone := []admissionregistrationv1.OperationType{admissionregistrationv1.Delete}
	ask := func(configuration, name string, about []Resource, webhook func(inquiry) admissionregistrationv1.ValidatingWebhook) {
		asked := inquiries(name, about)
		webhooks := make([]admissionregistrationv1.ValidatingWebhook, 0, len(asked))
		for _, one := range asked {
			webhooks = append(webhooks, webhook(one))
		}
		if len(webhooks) > 0 {
			add(configuration, webhooks...)
		}
	}
	ask(AdmissionValidation, "validate", p.Validated, func(asked inquiry) admissionregistrationv1.ValidatingWebhook {
		one := p.webhook(asked.name, PathValidate, rulesOf(asked.about, nil), p.AdmissionPolicy, bundle)
		one.NamespaceSelector, one.SideEffects, one.MatchConditions = p.elsewhere(), new(p.sideEffects()), asked.where
		return one
	})
	if deletion := p.deletion(gone, bundle); len(deletion) > 0 {
		add(DeletionProtection, deletion...)
	}
	ask(NamespaceProtection, "namespace-protect", p.Guarded, func(asked inquiry) admissionregistrationv1.ValidatingWebhook {
		one := p.webhook(asked.name, PathNamespace, rulesOf(asked.about, write), p.NamespacePolicy, bundle)
		one.MatchConditions = append(p.notFree(false), asked.where...)
		return one
	})
	if strict := p.strict(update, write, bundle); len(strict) > 0 {
		add(StrictProtection, strict...)
	}
	if len(p.Delivered) > 0 {
		one := p.webhook("provenance", PathProvenance, rulesOf(p.Delivered, write), admissionregistrationv1.Fail, bundle)
		one.MatchConditions = append(p.notFree(false), admissionregistrationv1.MatchCondition{Name: "delivery-differs", Expression: deliveryDiffers})
		add(ProvenanceGuard, one)
	}
	return all
}

// strict are the webhooks that keep labels where they are.
func (p *Plan) strict(update, write []admissionregistrationv1.OperationType, bundle []byte) []admissionregistrationv1.ValidatingWebhook {
	var all []admissionregistrationv1.ValidatingWebhook
	differs := admissionregistrationv1.MatchCondition{Name: "protection-differs", Expression: protectionDiffers()}
	if len(p.Strict) > 0 {
		// The gateway is asked about its own requests as well: they are those of its callers.
		kept := p.labelled("strict-mode", orkv1.LabelDeletionProtection, func(name string) admissionregistrationv1.ValidatingWebhook {
			one := p.webhook(name, PathStrict, rulesOf(p.Strict, update), p.DeletionPolicy, bundle)
			one.MatchConditions = append(p.notFree(false), differs)
			return one
		})
		exempt := p.labelled("exempt.strict-mode", orkv1.LabelStrictExempt, func(name string) admissionregistrationv1.ValidatingWebhook {
			one := p.webhook(name, PathStrict, rulesOf(p.Strict, write), p.DeletionPolicy, bundle)
			one.MatchConditions = append(p.notFree(false), admissionregistrationv1.MatchCondition{Name: "not-exempt-before", Expression: notExemptBefore()})
			return one
		})
		all = slices.Concat(kept, exempt)
	}
	if p.StrictOwn {
		// The labels of a namespace, and of nothing else here, can be written through what is below it.
		resources := []string{"namespaces", "namespaces/status", "namespaces/finalize", "secrets"}
		own := make([]Resource, 0, len(resources))
		for _, resource := range resources {
			own = append(own, Resource{GroupVersionResource: corev1.SchemeGroupVersion.WithResource(resource)})
		}
		all = append(all, p.labelled("own.strict-mode", orkv1.LabelDeletionProtection, func(name string) admissionregistrationv1.ValidatingWebhook {
			one := p.webhook(name, PathStrict, rulesOf(own, update), p.DeletionPolicy, bundle)
			one.MatchConditions = append(p.notFree(false), differs, admissionregistrationv1.MatchCondition{Name: "own", Expression: p.own()})
			return one
		})...)
	}
	return all
}

// own holds for the gateway's namespace and the Secrets of its certificate. Who wants another token takes the label off its Secret, which is none of them.
func (p *Plan) own() string {
	return fmt.Sprintf(`request.resource.resource == "namespaces" ? object.metadata.name == %[1]q : object.metadata.namespace == %[1]q && object.metadata.name in `, p.Namespace) +
		celList([]string{orkv1.SecretTLS, orkv1.SecretAuthority})
}

// deletion are the webhooks about deletions: of the definitions of the Katalog, by name, and of what has the label. A gateway that is gone keeps
// nothing else.
func (p *Plan) deletion(gone []admissionregistrationv1.OperationType, bundle []byte) []admissionregistrationv1.ValidatingWebhook {
	var all []admissionregistrationv1.ValidatingWebhook
	if len(p.Definitions)+len(p.DefinitionsOf) > 0 {
		crds := Resource{GroupVersionResource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}}
		one := p.webhook("protect.crds", PathDeletion, rulesOf([]Resource{crds}, gone), p.DeletionPolicy, bundle)
		one.MatchConditions = append(p.notFree(false), admissionregistrationv1.MatchCondition{
			Name: "of-the-katalog", Expression: p.ofKatalog(),
		})
		all = append(all, one)
	}
	if p.Protected {
		anything := Resource{GroupVersionResource: schema.GroupVersionResource{Group: "*", Version: "*", Resource: "*"}}
		all = append(all, p.labelled("protect.resources", orkv1.LabelDeletionProtection, func(name string) admissionregistrationv1.ValidatingWebhook {
			one := p.webhook(name, PathDeletion, rulesOf([]Resource{anything}, gone), p.DeletionPolicy, bundle)
			one.MatchConditions = p.notFree(true)
			return one
		})...)
	}
	return all
}

// ofKatalog holds for the definitions that are protected. Where many are deleted at once the request names none of them. Of children a Katalog says the kind, and the definition alone how it is called besides.
func (p *Plan) ofKatalog() string {
	named := "oldObject.metadata.name in " + celList(p.Definitions)
	if len(p.DefinitionsOf) > 0 {
		kinds := make([]string, 0, len(p.DefinitionsOf))
		for _, kind := range p.DefinitionsOf {
			kinds = append(kinds, kind.Group+"/"+kind.Kind)
		}
		named += ` || oldObject.spec.group + "/" + oldObject.spec.names.kind in ` + celList(kinds)
	}
	return "oldObject != null && (" + named + ")"
}

// labelled are webhooks about what has a label, one for each of its spellings: a selector knows no or.
func (p *Plan) labelled(
	name, label string, webhook func(name string) admissionregistrationv1.ValidatingWebhook,
) []admissionregistrationv1.ValidatingWebhook {
	spellings := orkv1.Spellings(label)
	all := make([]admissionregistrationv1.ValidatingWebhook, 0, len(spellings))
	for i, spelling := range spellings {
		one := webhook([]string{"", "legacy.", "older."}[i] + name)
		one.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{spelling: "true"}}
		all = append(all, one)
	}
	return all
}

// sideEffects are those of the webhooks with rules.
func (p *Plan) sideEffects() admissionregistrationv1.SideEffectClass {
	if p.AdmissionWrites {
		return admissionregistrationv1.SideEffectClassNoneOnDryRun
	}
	return admissionregistrationv1.SideEffectClassNone
}

// deliveryDiffers holds where an annotation that tells how a resource was delivered is not the same before and after. Nothing else is asked about,
// so that a gateway that is gone holds nothing else up.
const deliveryDiffers = `[object, oldObject].exists(one, one != null && has(one.metadata.annotations) && one.metadata.annotations.exists(key, ` +
	`(key.startsWith("` + orkv1.Domain + `serve-") || key.startsWith("` + orkv1.LegacyDomain + `serve-")) && ` +
	`[object, oldObject].exists(other, other == null || !has(other.metadata.annotations) || !(key in other.metadata.annotations) || ` +
	`other.metadata.annotations[key] != one.metadata.annotations[key])))`

// protectionDiffers holds where a label of the protection from deletion is not the same before and after.
func protectionDiffers() string {
	return celList(append(orkv1.Spellings(orkv1.LabelDeletionProtection), orkv1.Spellings(orkv1.LabelStrictExempt)...)) + `.exists(key, ` +
		`(has(object.metadata.labels) && key in object.metadata.labels ? object.metadata.labels[key] : "") != ` +
		`(has(oldObject.metadata.labels) && key in oldObject.metadata.labels ? oldObject.metadata.labels[key] : ""))`
}

// notExemptBefore holds for what becomes exempt from strict mode. Who could exempt what has no protection yet could take it away later.
func notExemptBefore() string {
	return `oldObject == null || !has(oldObject.metadata.labels) || !` + celList(orkv1.Spellings(orkv1.LabelStrictExempt)) +
		`.exists(key, key in oldObject.metadata.labels && oldObject.metadata.labels[key] == "true")`
}

// webhookDomain ends the names of all webhooks.
const webhookDomain = "orkestra.orkspace.io"

func (p *Plan) webhook(
	name, path string, rules []admissionregistrationv1.RuleWithOperations, failure admissionregistrationv1.FailurePolicyType, bundle []byte,
) admissionregistrationv1.ValidatingWebhook {
	return admissionregistrationv1.ValidatingWebhook{
		Name: name + "." + webhookDomain, ClientConfig: p.client(path, bundle), Rules: rules, FailurePolicy: new(policy(failure)),
		MatchPolicy: new(admissionregistrationv1.Equivalent), NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
		SideEffects: new(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: new(DefaultTimeout), AdmissionReviewVersions: []string{"v1"},
	}
}

func (p *Plan) client(path string, bundle []byte) admissionregistrationv1.WebhookClientConfig {
	service := p.Service
	switch path {
	case PathValidate, PathMutate:
		service = cmp.Or(p.AdmissionService, service)
	case PathDeletion, PathStrict:
		service = cmp.Or(p.DeletionService, service)
	}
	if p.URL != "" {
		return admissionregistrationv1.WebhookClientConfig{URL: new(strings.TrimSuffix(p.URL, "/") + path), CABundle: bundle}
	}
	return admissionregistrationv1.WebhookClientConfig{CABundle: bundle, Service: &admissionregistrationv1.ServiceReference{
		Namespace: p.Namespace, Name: service, Path: new(path), Port: new(p.Port),
	}}
}

// elsewhere are all namespaces but the gateway's own: what repairs it must not need it.
func (p *Plan) elsewhere() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: "kubernetes.io/metadata.name", Operator: metav1.LabelSelectorOpNotIn, Values: []string{p.Namespace},
	}}}
}

// notFree are conditions that hold for those who are asked about.
func (p *Plan) notFree(users bool) []admissionregistrationv1.MatchCondition {
	var all []admissionregistrationv1.MatchCondition
	if len(p.BreakGlass) > 0 {
		all = append(all, admissionregistrationv1.MatchCondition{
			Name: "no-break-glass", Expression: "!request.userInfo.groups.exists(g, g in " + celList(p.BreakGlass) + ")",
		})
	}
	if users && len(p.Free) > 0 {
		all = append(all, admissionregistrationv1.MatchCondition{
			Name: "no-collector", Expression: "!(request.userInfo.username in " + celList(p.Free) + ")",
		})
	}
	return all
}

// celList is a list of texts in CEL.
func celList(texts []string) string {
	quoted := make([]string, 0, len(texts))
	for _, text := range texts {
		quoted = append(quoted, fmt.Sprintf("%q", text))
	}
	slices.Sort(quoted)
	quoted = slices.Compact(quoted)
	return "[" + strings.Join(quoted, ", ") + "]"
}

// rulesOf are rules for resources, one for each, sorted. Operations take the place of the resources' own.
func rulesOf(resources []Resource, operations []admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
	all := make([]admissionregistrationv1.RuleWithOperations, 0, len(resources))
	for _, one := range resources {
		asked := operations
		if asked == nil {
			asked = one.Operations
		}
		all = append(all, admissionregistrationv1.RuleWithOperations{Operations: asked, Rule: admissionregistrationv1.Rule{
			APIGroups: []string{one.Group}, APIVersions: []string{one.Version}, Resources: []string{one.Resource}, Scope: new(admissionregistrationv1.AllScopes),
		}})
	}
	slices.SortFunc(all, func(a, b admissionregistrationv1.RuleWithOperations) int {
		return slices.Compare(
			[]string{a.APIGroups[0], a.Resources[0], a.APIVersions[0]}, []string{b.APIGroups[0], b.Resources[0], b.APIVersions[0]})
	})
	return all
}

func policy(declared admissionregistrationv1.FailurePolicyType) admissionregistrationv1.FailurePolicyType {
	if declared == "" {
		return admissionregistrationv1.Fail
	}
	return declared
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: orkv1.InternalLabels()}
}
