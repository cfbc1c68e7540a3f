package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// clusters checks how other clusters are reached, and that what is served goes to clusters that there are.
func (c *checker) clusters(katalog *orkv1.Katalog) {
	var known map[string]orkv1.Cluster
	if katalog.Gateway != nil {
		known = katalog.Gateway.Clusters
	}
	at := field.NewPath("gateway", "clusters")
	for _, name := range slices.Sorted(maps.Keys(known)) {
		c.problems(at.Key(name), validation.IsDNS1123Label(name))
		c.cluster(known[name], at.Key(name))
	}
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(katalog.Spec.CRDs)) {
		serve, at := katalog.Spec.CRDs[name].Serve, field.NewPath("spec", "crds").Key(name).Child("serve")
		if serve == nil {
			continue
		}
		c.routes(serve.Clusters, names, at.Child("clusters"))
		if serve.FallbackLocal && len(serve.Clusters) == 0 {
			c.warnf(at.Child("fallbackLocal"), "has no effect without clusters")
		}
		for _, target := range slices.Sorted(maps.Keys(serve.Target)) {
			declared, here := serve.Target[target].Clusters, at.Child("target").Key(target).Child("clusters")
			c.routes(declared, names, here)
			for i, one := range declared {
				if len(serve.Clusters) > 0 && !slices.Contains(serve.Clusters, one) {
					c.errorf(here.Index(i), "%s is none of the clusters of the CRD, of which a target has some", quote(string(one)))
				}
			}
		}
	}
}

// routes checks the names of clusters that are written out.
func (c *checker) routes(declared []orkv1.Template, known []string, at *field.Path) {
	for i, one := range declared {
		switch name := strings.TrimSpace(string(one)); {
		case name == "":
			c.errorf(at.Index(i), "required: the name of a cluster")
		case isStatic(one) && !slices.Contains(known, name):
			c.invalidf(at.Index(i), known, "there is no cluster %s in gateway.clusters", quote(name))
		case slices.Index(declared, one) < i:
			c.errorf(at.Index(i), "%s stands there twice", quote(name))
		}
	}
}

func (c *checker) cluster(cluster orkv1.Cluster, at *field.Path) {
	if cluster.Endpoint == "" {
		c.errorf(at.Child("endpoint"), "required: the URL of its API server")
	} else {
		c.baseURL(cluster.Endpoint, "https://eu.example:6443", at.Child("endpoint"), "https")
	}
	c.exactlyOne(at, map[string]bool{"secretRef": cluster.SecretRef != nil, "tokenRef": cluster.TokenRef != nil})
	for name, ref := range map[string]*orkv1.SecretKey{"secretRef": cluster.SecretRef, "tokenRef": cluster.TokenRef, "caRef": cluster.CARef} {
		c.secretKey(ref, at.Child(name))
	}
	switch {
	case cluster.SecretRef != nil && cluster.CARef != nil:
		c.errorf(at.Child("caRef"), "excludes secretRef: a kubeconfig has certificates of its own")
	case cluster.SecretRef != nil && cluster.Insecure:
		c.errorf(at.Child("insecure"), "excludes secretRef: a kubeconfig says that itself")
	case cluster.CARef != nil && cluster.Insecure:
		c.errorf(at.Child("insecure"), "excludes caRef: with it every certificate is taken")
	case cluster.TokenRef != nil && cluster.CARef == nil && !cluster.Insecure:
		c.errorf(at, "tokenRef needs caRef, by which the API server is known before it gets the token")
	case cluster.Insecure && c.production:
		c.errorf(at.Child("insecure"), "is not allowed with ORK_ENV=production: whoever is in between reads the token")
	case cluster.Insecure:
		c.warnf(at.Child("insecure"), "whoever is between here and the cluster reads the token; name the certificates in caRef")
	}
}
