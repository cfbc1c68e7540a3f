package rights

import (
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// RemoteNamespace is where the gateway's account is in other clusters.
const RemoteNamespace = "kube-system"

// destinations are where the resources of a served CRD go.
type destinations struct {
	// own is the gateway's own cluster, and named are others whose names are written out.
	own   bool
	named []string
	// chosen tells that an intent may choose any other.
	chosen bool
}

func destinationsOf(declared *orkv1.Serve) destinations {
	d := destinations{own: declared.FallbackLocal}
	add := func(clusters []orkv1.Template) {
		d.own = d.own || len(clusters) == 0
		for _, one := range clusters {
			if strings.Contains(string(one), "{{") {
				d.chosen = true
			} else if name := strings.TrimSpace(string(one)); !slices.Contains(d.named, name) {
				d.named = append(d.named, name)
			}
		}
	}
	if len(declared.Target) == 0 {
		add(declared.Clusters)
	}
	for _, target := range declared.Target {
		if len(target.Clusters) > 0 {
			add(target.Clusters)
		} else {
			add(declared.Clusters)
		}
	}
	return d
}

// to tells whether resources may go to another cluster.
func (d *destinations) to(cluster string) bool { return d.chosen || slices.Contains(d.named, cluster) }

// Remote are the account, the role and the binding that the gateway of some Katalogs needs in each of the other clusters that something goes to,
// by the clusters' names. Chosen are the CRDs whose intents choose a cluster, which are in all of them. What is wrong with a Katalog is a
// field.ErrorList as an aggregate error.
func Remote(katalogs []*orkv1.Katalog) (objects map[string][]runtime.Object, chosen []string, err error) {
	granted := map[string]rules{}
	var errs field.ErrorList
	for _, katalog := range katalogs {
		if !katalog.Gateway.Serves() {
			continue
		}
		entries, wrong := entry.Compile(katalog, func(string) map[string]*roots.Props { return nil })
		errs = append(errs, wrong...)
		for _, one := range entries {
			declared := katalog.Spec.CRDs[one.Name].Serve
			if declared == nil || !declared.Enabled {
				continue
			}
			goes := destinationsOf(declared)
			if goes.chosen && len(katalog.Gateway.Clusters) > 0 {
				chosen = append(chosen, one.Name)
			}
			for _, cluster := range slices.Sorted(maps.Keys(katalog.Gateway.Clusters)) {
				if goes.to(cluster) {
					granted[cluster] = append(granted[cluster], served(one)...)
				}
			}
		}
	}
	if len(errs) > 0 {
		return nil, nil, errs.ToAggregate()
	}
	objects = map[string][]runtime.Object{}
	for cluster, all := range granted {
		objects[cluster] = (&Rights{Cluster: all.sorted()}).Objects(Options{Namespace: RemoteNamespace})
	}
	return objects, chosen, nil
}

// served are the rights for a CRD whose resources the API takes and tells.
func served(one *entry.Entry) rules {
	return rules{
		// What is not there is made by the patch that applies it, for which create is needed as well.
		rule(one.Resource.Group, one.Resource.Resource, nil, "get", "list", "create", "patch", "delete"),
		rule(apiextensionsv1.GroupName, definitions, []string{one.Definition()}, "get"),
	}
}

// clusters are the rights to read what opens other clusters.
func (c *collector) clusters(katalog *orkv1.Katalog) {
	if katalog.Gateway == nil {
		return
	}
	for _, one := range katalog.Gateway.Clusters {
		for _, ref := range []*orkv1.SecretKey{one.SecretRef, one.TokenRef, one.CARef} {
			if ref != nil {
				c.in(ref.Namespace, rule("", secrets, []string{ref.Name}, "get"))
			}
		}
	}
}
