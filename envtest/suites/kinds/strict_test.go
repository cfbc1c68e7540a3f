package kinds_test

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// strictly has the API server validate every creation strictly, so that a field that a builder sets and the kind does not have is an
// error here, though in a cluster nobody pays for asking.
func strictly(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return strict{next} })
	return cfg
}

type strict struct{ next http.RoundTripper }

func (s strict) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if request.Method == http.MethodPost && query.Get("fieldValidation") == metav1.FieldValidationIgnore {
		query.Set("fieldValidation", metav1.FieldValidationStrict)
		request = request.Clone(request.Context())
		request.URL.RawQuery = query.Encode()
	}
	return s.next.RoundTrip(request) //nolint:wrapcheck // a link in a chain
}
