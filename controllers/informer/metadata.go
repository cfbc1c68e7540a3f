package informer

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
)

// StartMetadata is Start for an informer of the objects' metadata alone: the server sends nothing else.
func StartMetadata(ctx context.Context, client metadata.Interface, opts Options) (*Informer, error) {
	shared := metadatainformer.NewFilteredMetadataInformer(client, opts.Resource, opts.Namespace, opts.Resync, opts.indexers(),
		func(list *metav1.ListOptions) {
			list.LabelSelector = opts.LabelSelector
			list.FieldSelector = opts.FieldSelector
		}).Informer()
	return start(ctx, shared, opts, func(given any) (any, error) {
		partial, ok := given.(*metav1.PartialObjectMetadata)
		if !ok {
			return given, nil
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(partial)
		if err != nil {
			return nil, fmt.Errorf("convert the metadata of %s: %w", partial.Name, err)
		}
		object := &unstructured.Unstructured{Object: content}
		if opts.Trim != nil {
			opts.Trim(object)
		}
		return trim(object)
	})
}
