package registration

import (
	"cmp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// inquiry is one webhook about rules: about which resources it is asked, and where.
type inquiry struct {
	name  string
	about []Resource
	where []admissionregistrationv1.MatchCondition
}

// lives holds for what is not on its way out, which no rule is about: who takes a finalizer away must not need the gateway. What is written may say so of
// itself, and counts for nothing.
var lives = admissionregistrationv1.MatchCondition{
	Name: "not-being-deleted", Expression: `request.operation != "UPDATE" || oldObject == null || !has(oldObject.metadata.deletionTimestamp)`,
}

// The API server compiles the expressions of a configuration when it is written and before it is used, which takes it a time that grows with the square of
// what they hold. A longer one is left out, and so is one that comes when all of a configuration have as much as they may.
const (
	longestCondition  = 2 << 10
	longestConditions = 24 << 10
)

// inquiries asks about resources of which the API server can tell by itself whether there is anything to ask in a webhook of their own, and about all
// others in one. A resource with several versions is one of the others: asked about one version, webhooks would be asked about the other as well.
func inquiries(name string, resources []Resource) []inquiry {
	versions := map[schema.GroupResource]int{}
	for _, one := range resources {
		versions[one.GroupResource()]++
	}
	var all []inquiry
	common := inquiry{name: name, where: []admissionregistrationv1.MatchCondition{lives}}
	total := 0
	for _, one := range resources {
		own := one.Resource + "." + one.Group + "." + name
		if one.Idle == "" || len(one.Idle) > longestCondition || total+len(one.Idle) > longestConditions || versions[one.GroupResource()] > 1 || len(validation.IsDNS1123Subdomain(own+"."+webhookDomain)) > 0 {
			common.about = append(common.about, one)
			continue
		}
		total += len(one.Idle)
		all = append(all, inquiry{name: own, about: []Resource{one}, where: []admissionregistrationv1.MatchCondition{
			lives, {Name: "rules-not-idle", Expression: "object == null || !" + one.Idle},
		}})
	}
	slices.SortFunc(all, func(a, b inquiry) int { return cmp.Compare(a.name, b.name) })
	if len(common.about) > 0 {
		all = append([]inquiry{common}, all...)
	}
	return all
}
