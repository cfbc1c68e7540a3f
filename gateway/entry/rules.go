package entry

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/internal/call"
)

// admission compiles the rules, each list with what it sees in a cycle.
func (e *Entry) admission(crd *orkv1.CRD, security *orkv1.WebhookSecurity, language *template.Language, known *roots.Known, at *field.Path) field.ErrorList {
	webhooks := crd.Webhooks
	if webhooks == nil {
		webhooks = &orkv1.ResourceWebhooks{}
	}
	a := &admission.Entry{
		Name: e.Name, GroupResource: e.Resource.GroupResource(), DenyUnmutated: security.MutationErrorPolicy == "Deny",
		Lenient: security.FailurePolicy == orkv1.FailurePolicyIgnore, AsksAlways: !yes(security.MatchConditions),
	}
	operations := webhooks.Operations
	if len(operations) == 0 {
		operations = admission.DefaultOperations
	}
	for _, one := range operations {
		a.Operations = append(a.Operations, admissionv1.Operation(one))
	}
	c := &compiler{Compiler: call.Compiler{Language: language.Within(known), Known: known}, entry: a, at: at}
	c.normalize(crd.Normalize)
	steps := []func(*orkv1.CRD){c.mutation, c.validation}
	if crd.Mutation != nil && crd.Mutation.MutateFirst != nil && !*crd.Mutation.MutateFirst {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		step(crd)
	}
	if !yes(webhooks.Mutation) {
		a.Mutation = nil
	}
	if !yes(webhooks.Validation) {
		a.Validation = nil
	}
	e.Mutates, e.Validates = a.Mutation != nil, a.Validation != nil
	if e.Mutates || e.Validates {
		e.Admission = a
	}
	return c.Errors
}

// compiler compiles the rules of one entry.
type compiler struct {
	call.Compiler
	entry *admission.Entry
	at    *field.Path
}

func (c *compiler) report(errs field.ErrorList) { c.Errors = append(c.Errors, errs...) }

func (c *compiler) normalize(declared *orkv1.Normalize) {
	var errs field.ErrorList
	c.entry.Normalize, errs = rules.CompileNormalize(c.Language, declared, c.at.Child("normalize"))
	c.report(errs)
	if declared == nil {
		return
	}
	paths := make([]string, 0, len(declared.Spec))
	for key := range declared.Spec {
		paths = append(paths, "spec."+key)
	}
	c.extend(paths)
}

// extend has what follows see fields that rules set, whether or not a schema has them.
func (c *compiler) extend(paths []string) {
	known := c.Known
	for _, text := range paths {
		if path, err := template.ParsePath(text); err == nil && path[0] == "spec" {
			known = known.Extend(path)
		}
	}
	c.Known, c.Language = known, c.Language.Within(known)
}

func (c *compiler) mutation(crd *orkv1.CRD) {
	if crd.Mutation != nil {
		c.entry.MutationCalls = c.Compile(crd.Mutation.External, "mutation", c.at.Child("mutation"))
	}
	var errs field.ErrorList
	c.entry.Mutation, errs = rules.MutationOf(c.Language, crd, c.at)
	c.report(errs)
	if crd.Mutation == nil {
		return
	}
	paths := make([]string, 0, len(crd.Mutation.Rules))
	for _, rule := range crd.Mutation.Rules {
		paths = append(paths, string(rule.Field))
	}
	c.extend(paths)
}

func (c *compiler) validation(crd *orkv1.CRD) {
	if crd.Validation != nil {
		c.entry.ValidationCalls = c.Compile(crd.Validation.External, "validation", c.at.Child("validation"))
	}
	var errs field.ErrorList
	c.entry.Validation, errs = rules.ValidationOf(c.Language, crd, c.at)
	c.report(errs)
}
