package box

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

// Protection tells which labels the resources of an entry carry, by which the gateway denies their deletion.
type Protection struct {
	// Protected have the label that keeps them from being deleted. Others lose it.
	Protected bool
	// Exempt have the label that lets the first one be taken away, although Strict.
	Exempt bool
	// Strict tells that the gateway keeps the label on.
	Strict bool
}

// protection is nil where the Katalog says nothing of it: then the labels are those of people.
func protection(katalog *orkv1.Katalog, entry *orkv1.CRD) *Protection {
	if katalog.Security == nil || katalog.Security.DeletionProtection == nil {
		return nil
	}
	declared := katalog.Security.DeletionProtection
	if declared.Enabled != nil && !*declared.Enabled {
		return nil
	}
	p := &Protection{Protected: true, Strict: declared.StrictMode}
	if own := entry.DeletionProtection; own != nil {
		p.Protected = own.ProtectCRs == nil || *own.ProtectCRs
		p.Exempt = p.Protected && p.Strict && own.StrictMode != nil && !*own.StrictMode
	}
	return p
}

// Labels are the changes of the labels of a resource that make them right; nil takes one away. The label of a resource that is not protected any
// more goes in two steps where it is kept on: the first one exempts the resource, the next one, when the label is gone, ends that.
func (p *Protection) Labels(current map[string]string) map[string]any {
	if p == nil {
		return nil
	}
	changes := map[string]any{}
	exempt := p.Exempt
	switch {
	case p.Protected && current[orkv1.LabelDeletionProtection] != "true":
		changes[orkv1.LabelDeletionProtection] = "true"
	case !p.Protected:
		for _, label := range []string{orkv1.LabelDeletionProtection, orkv1.LegacyLabelDeletionProtection} {
			if value, there := current[label]; there {
				changes[label] = nil
				exempt = exempt || p.Strict && value == "true"
			}
		}
	}
	switch value, there := current[orkv1.LabelStrictExempt]; {
	case exempt && value != "true":
		changes[orkv1.LabelStrictExempt] = "true"
	case !exempt && there:
		changes[orkv1.LabelStrictExempt] = nil
	}
	return changes
}
