package protection

import (
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var errNoObject = errors.New("there is no object in the request")

// metadataOf reads the metadata of an object in a request.
func metadataOf(raw []byte) (*metav1.PartialObjectMetadata, error) {
	if len(raw) == 0 {
		return nil, errNoObject
	}
	object := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(raw, object); err != nil {
		return nil, fmt.Errorf("read the object: %w", err)
	}
	return object, nil
}
