package katalog

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// named is what a document calls by a name that a gateway knows alone, and where.
type named struct {
	doc *Document
	at  *field.Path
}

// names are those that documents use. What one document uses twice its own checks tell.
type names map[string]named

// claim notes a name, and returns who has it already in another document.
func (n names) claim(name string, doc *Document, at *field.Path) (first named, taken bool) {
	first, used := n[name]
	if !used {
		n[name] = named{doc, at}
	}
	return first, used && first.doc != doc
}

// place is where the name stands.
func (n *named) place() string { return n.doc.place(n.at.String()) }

// checkGateways checks what Katalogs that share a gateway may not each have: it knows tokens, clusters and what is served by their names
// alone. A cluster may be declared by several, if it is the same.
func checkGateways(log *log, documents []*Document) {
	clusters, tokens, targets := names{}, names{}, names{}
	for _, doc := range documents {
		c, gateway := &checker{doc: doc, log: log}, doc.Katalog.Gateway
		if gateway == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(gateway.Clusters)) {
			at := field.NewPath("gateway", "clusters").Key(name)
			first, taken := clusters.claim(name, doc, at)
			if taken && !reflect.DeepEqual(first.doc.Katalog.Gateway.Clusters[name], gateway.Clusters[name]) {
				c.errorf(at, "the cluster %s is another one at %s: give one of them another name", quote(name), first.place())
			}
		}
		if !gateway.Serves() {
			continue
		}
		if auth := gateway.API.Auth; auth != nil {
			for i, one := range auth.Tokens {
				at := field.NewPath("gateway", "api", "auth", "tokens").Index(i).Child("name")
				if first, taken := tokens.claim(one.Name, doc, at); taken && one.Name != "" {
					c.errorf(at, "%s is the name of a token of another Katalog too, at %s: it would have the rights of both", quote(one.Name), first.place())
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(doc.Katalog.Spec.CRDs)) {
			crd := doc.Katalog.Spec.CRDs[name]
			offered := offeredAs(&crd, field.NewPath("spec", "crds").Key(name).Child("serve"))
			for _, target := range slices.Sorted(maps.Keys(offered)) {
				if first, taken := targets.claim(target, doc, offered[target]); taken {
					c.errorf(offered[target], "the target %s is that of another CRD too, at %s", quote(target), first.place())
				}
			}
		}
	}
}
