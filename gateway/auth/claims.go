package auth

import (
	"maps"
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// declaredClaim is a claim that the Katalog has a field for, by its name in a token.
type declaredClaim struct {
	name string
	want *orkv1.ClaimMatch
}

// set are the claims of those that are declared.
func set(declared ...declaredClaim) []claim {
	var all []claim
	for _, one := range declared {
		if one.want != nil {
			all = append(all, claimOf(one.name, *one.want))
		}
	}
	return all
}

func gitHubClaims(a *orkv1.GitHubAllow) []claim {
	return set(declaredClaim{"repository", a.Repository}, declaredClaim{"repository_owner", a.RepositoryOwner}, declaredClaim{"ref", a.Ref},
		declaredClaim{"workflow", a.Workflow}, declaredClaim{"environment", a.Environment}, declaredClaim{"job_workflow_ref", a.JobWorkflowRef})
}

func gitLabClaims(a *orkv1.GitLabAllow) []claim {
	return set(declaredClaim{"namespace_path", a.NamespacePath}, declaredClaim{"ref_protected", a.RefProtected}, declaredClaim{"environment", a.Environment})
}

func vaultClaims(a *orkv1.VaultAllow) []claim {
	return append(set(declaredClaim{"entity_name", a.EntityName}, declaredClaim{"entity_id", a.EntityID}, declaredClaim{"namespace", a.Namespace}),
		named(a.Allow)...)
}

// named are claims by their own names, in order.
func named(declared map[string]orkv1.ClaimMatch) []claim {
	all := make([]claim, 0, len(declared))
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		all = append(all, claimOf(name, declared[name]))
	}
	return all
}

// vaultIssuer is the issuer of a Vault, or of a namespace of it.
func vaultIssuer(v *orkv1.VaultOIDC) string {
	url := strings.TrimSuffix(v.URL, "/") + "/v1"
	if v.Namespace != "" {
		url += "/" + strings.Trim(v.Namespace, "/")
	}
	return url + "/identity/oidc"
}
