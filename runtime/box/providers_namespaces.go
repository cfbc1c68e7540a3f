package box

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/providers"
)

// tenantReader reads for a provider what the resource may have read: of its own namespace, of those that the Katalog writes out, and of
// those that the provider itself knows. It reads no namespace that a template made of the resource, for who writes resources of one namespace
// may not read what is in another one.
type tenantReader struct {
	reader   providers.KubeReader
	own      string
	written  []string
	declared []providers.Declaration
}

var _ providers.KubeReader = (*tenantReader)(nil)

// Tenant bounds what a provider reads of the cluster by what is declared to it for a resource of a namespace, which is empty for one of the
// cluster. What is refused is a FieldError. A reader that is nil stays it.
func (s *Set) Tenant(reader providers.KubeReader, provider, namespace string, declared []providers.Declaration) providers.KubeReader {
	if reader == nil {
		return nil
	}
	return &tenantReader{reader: reader, own: namespace, written: s.writtenNamespaces(provider), declared: declared}
}

// GetSecret returns the data of a Secret.
func (r *tenantReader) GetSecret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	if err := r.check(namespace); err != nil {
		return nil, err
	}
	return r.reader.GetSecret(ctx, namespace, name) //nolint:wrapcheck // names the Secret
}

// GetConfigMap returns the data of a ConfigMap.
func (r *tenantReader) GetConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	if err := r.check(namespace); err != nil {
		return nil, err
	}
	return r.reader.GetConfigMap(ctx, namespace, name) //nolint:wrapcheck // names the ConfigMap
}

func (r *tenantReader) check(namespace string) error {
	if namespace == r.own || slices.Contains(r.written, namespace) {
		return nil
	}
	for _, one := range r.declared {
		for _, path := range slices.Sorted(maps.Keys(one.Fields)) {
			if !slices.Contains(namesIn(one.Fields[path]), namespace) {
				continue
			}
			return &providers.FieldError{
				Kind: one.Kind, Field: path,
				Err: fmt.Errorf("names the namespace %s by a template, which is not the resource's own: write it out in the Katalog", namespace),
			}
		}
	}
	return nil
}

// namesIn are the words of a text that may be names of namespaces.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' })
}

// writtenNamespaces are those that fields of a provider name as they stand in the Katalog: the value of a field that is called a namespace, and
// what stands before the slash of one that names a Secret.
func (s *Set) writtenNamespaces(provider string) []string {
	var all []string
	for _, b := range s.Boxes() {
		for _, one := range b.Provided {
			if one.Provider != provider {
				continue
			}
			for i := range one.Needs {
				for path, value := range one.Needs[i].declared {
					text := strings.TrimSpace(notes.Text(value))
					before, _, slash := strings.Cut(text, "/")
					switch {
					case !isStatic(orkv1.Template(text)):
					case strings.HasSuffix(strings.ToLower(path), "namespace"):
						all = append(all, text)
					case slash && namesSecret(path):
						all = append(all, before)
					}
				}
			}
		}
	}
	return all
}
