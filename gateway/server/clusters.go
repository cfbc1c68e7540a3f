package server

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/clusters"
	"github.com/orkestra-runtime/orkestra/gateway/serve"
)

// clustersOf are the others that the Katalogs declare, by name. Several may declare one, if it is the same.
func clustersOf(katalogs []*orkv1.Katalog) (map[string]orkv1.Cluster, error) {
	all := map[string]orkv1.Cluster{}
	var errs []error
	for _, katalog := range katalogs {
		if katalog.Gateway == nil {
			continue
		}
		for name, declared := range katalog.Gateway.Clusters {
			if first, taken := all[name]; taken && !equality.Semantic.DeepEqual(first, declared) {
				errs = append(errs, fmt.Errorf("the cluster %s is declared by two Katalogs in two ways, of which %s has one", name, katalog.Name))
			}
			all[name] = declared
		}
	}
	return all, errors.Join(errs...)
}

// clusters are the others that the Katalogs declare, nil where none does.
func (s *state) clusters(served []*serve.CRD) (*clusters.Clusters, error) {
	all, err := clustersOf(s.opts.Katalogs)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	for name := range all {
		s.metrics.ExpectCluster(name)
	}
	return clusters.New(clusters.Options{
		Clusters: all, Secret: secretsOf(s.direct), Namespace: s.opts.Namespace, Scheme: scheme(), Mapper: mapper(served), Warnings: serve.Warnings{},
		Reachable: s.metrics.ClusterReachable,
	}), nil
}

// mapper knows what is served, and what else is asked of other clusters: they need not tell, and need not be there.
func mapper(served []*serve.CRD) meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	for _, one := range served {
		scope := meta.RESTScope(meta.RESTScopeNamespace)
		if !one.Namespaced {
			scope = meta.RESTScopeRoot
		}
		m.AddSpecific(one.GVK, one.Resource, one.Resource, scope)
	}
	definitions := apiextensionsv1.SchemeGroupVersion
	m.AddSpecific(definitions.WithKind("CustomResourceDefinition"), definitions.WithResource("customresourcedefinitions"),
		definitions.WithResource("customresourcedefinition"), meta.RESTScopeRoot)
	core := corev1.SchemeGroupVersion
	m.AddSpecific(core.WithKind("Namespace"), core.WithResource("namespaces"), core.WithResource("namespace"), meta.RESTScopeRoot)
	return m
}

// secretsOf reads Secrets.
func secretsOf(direct client.Client) func(context.Context, types.NamespacedName) (map[string][]byte, error) {
	return func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
		found := &corev1.Secret{}
		if err := direct.Get(ctx, name, found); err != nil {
			return nil, err //nolint:wrapcheck // names the Secret
		}
		return found.Data, nil
	}
}
