package informer

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// NewClient returns a dynamic client that parses an answer and a watch event once. client-go's own parses each of them three
// times, to find its kind, to find its end and to read it, which is a fifth of what an operator of unstructured objects does.
func NewClient(config *rest.Config, httpClient *http.Client) (dynamic.Interface, error) {
	config = dynamic.ConfigFor(config)
	config.ContentType = runtime.ContentTypeJSON
	config.AcceptContentTypes = runtime.ContentTypeJSON
	config.NegotiatedSerializer = negotiator{}
	config.GroupVersion = nil
	config.APIPath = "/" // of no request: the client gives whole paths
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return dynamic.New(client), nil
}

// negotiator offers JSON alone.
type negotiator struct{}

func (negotiator) SupportedMediaTypes() []runtime.SerializerInfo {
	return []runtime.SerializerInfo{{
		MediaType:        runtime.ContentTypeJSON,
		MediaTypeType:    "application",
		MediaTypeSubType: "json",
		EncodesAsText:    true,
		Serializer:       serializer{},
		StreamSerializer: &runtime.StreamSerializerInfo{
			EncodesAsText: true, Serializer: serializer{}, Framer: jsonserializer.Framer,
		},
	}}
}

func (negotiator) EncoderForVersion(encoder runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder {
	return encoder
}

func (negotiator) DecoderToVersion(decoder runtime.Decoder, _ runtime.GroupVersioner) runtime.Decoder {
	return decoder
}

var statusKind = schema.GroupVersionKind{Version: "v1", Kind: "Status"}

// serializer reads objects as unstructured ones, and whatever a caller has a type for into that.
type serializer struct{}

var _ runtime.Serializer = serializer{}

// Decode decodes into the given object, or without one into an unstructured object, a list of them, or the Status that an
// error is.
func (serializer) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	switch into := into.(type) {
	case *unstructured.Unstructured, *unstructured.UnstructuredList:
		return unstructured.UnstructuredJSONScheme.Decode(data, defaults, into) //nolint:wrapcheck // as client-go's own
	case nil:
		return decodeUnknown(data, defaults)
	case *metav1.WatchEvent:
		kind := into.GetObjectKind().GroupVersionKind()
		return into, &kind, decodeEvent(data, into)
	default:
		kind := into.GetObjectKind().GroupVersionKind()
		return into, &kind, json.Unmarshal(data, into)
	}
}

func decodeUnknown(data []byte, defaults *schema.GroupVersionKind) (runtime.Object, *schema.GroupVersionKind, error) {
	if isStatus(defaults) {
		return decodeStatus(data)
	}
	fields, err := decode(data)
	if err != nil {
		return nil, nil, err
	}
	object := &unstructured.Unstructured{Object: fields}
	kind := object.GroupVersionKind()
	switch {
	case kind.Kind == "":
		return nil, &kind, runtime.NewMissingKindErr(string(data))
	case isStatus(&kind):
		return decodeStatus(data)
	case object.IsList():
		list, err := listOf(object)
		return list, &kind, err
	}
	return object, &kind, nil
}

func isStatus(kind *schema.GroupVersionKind) bool {
	return kind != nil && *kind == statusKind
}

func decodeStatus(data []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	status := &metav1.Status{}
	kind := statusKind
	return status, &kind, json.Unmarshal(data, status)
}

// Encode writes JSON.
func (serializer) Encode(object runtime.Object, w io.Writer) error {
	return unstructured.UnstructuredJSONScheme.Encode(object, w) //nolint:wrapcheck // as client-go's own
}

// Identifier tells encoders apart.
func (serializer) Identifier() runtime.Identifier {
	return unstructured.UnstructuredJSONScheme.Identifier()
}
