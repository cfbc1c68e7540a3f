package box

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

// Protection tells which labels about their deletion the resources have. The gateway obeys them.
type Protection struct {
	// Resources may not be deleted.
	Resources bool
	// Strict tells that nobody takes the label for that away but in two steps, and Exempt that anybody may.
	Strict, Exempt bool
}

// protection is that of an entry. Nil: the Katalog says nothing of it, and labels are left as people put them.
func protection(katalog *orkv1.Katalog, entry *orkv1.CRD) *Protection {
	if katalog.Security == nil || katalog.Security.DeletionProtection == nil {
		return nil
	}
	all, own := katalog.Security.DeletionProtection, entry.DeletionProtection
	if own == nil {
		own = &orkv1.ResourceProtection{}
	}
	wanted := func(choice *bool) bool { return choice == nil || *choice }
	p := &Protection{Resources: wanted(all.Enabled) && wanted(own.ProtectCRs), Strict: all.StrictMode}
	p.Exempt = p.Resources && p.Strict && !wanted(own.StrictMode)
	return p
}
