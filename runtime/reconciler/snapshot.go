package reconciler

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

const (
	// maxSnapshot bounds a snapshot in bytes. All annotations of an object may take 256 KiB, and kubectl keeps the object in one.
	maxSnapshot = 100 << 10
	// maxSpec bounds in bytes what a snapshot may unpack to. It is more than the API server stores.
	maxSpec = 4 << 20
)

// specOf is the spec of a resource as JSON, which is the same for equal specs.
func specOf(resource *unstructured.Unstructured) ([]byte, error) {
	spec, err := json.Marshal(roots.Member(resource, "spec"))
	if err != nil {
		return nil, fmt.Errorf("encode the spec: %w", err)
	}
	return spec, nil
}

// pack makes a snapshot of a spec, as an annotation can hold it. The error is about one that is too large.
func pack(spec []byte) (string, error) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	_, _ = zipped.Write(spec) // into memory
	_ = zipped.Close()
	if size := base64.StdEncoding.EncodedLen(packed.Len()); size > maxSnapshot {
		return "", fmt.Errorf("the spec takes %d bytes compressed, and an annotation of at most %d keeps it", size, maxSnapshot)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// unpack is the reverse of pack.
func unpack(snapshot string) ([]byte, error) {
	zipped, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(snapshot)))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	spec, err := io.ReadAll(io.LimitReader(zipped, maxSpec+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpack: %w", err)
	case len(spec) > maxSpec:
		return nil, fmt.Errorf("unpack: it has more than %d bytes", maxSpec)
	case !json.Valid(spec):
		return nil, fmt.Errorf("unpack: it is not JSON")
	}
	return spec, nil
}
