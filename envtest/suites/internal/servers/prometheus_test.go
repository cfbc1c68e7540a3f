package servers_test

import (
	"net/http"
	"testing"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestPrometheus(t *testing.T) {
	t.Parallel()
	p := servers.StartPrometheus(t)
	p.Scraped(t)
	p.Stop()
	if answer, err := http.Get(p.URL + "/-/ready"); err == nil { //nolint:noctx // of this test
		_ = answer.Body.Close()
		t.Fatal("a stopped server answers")
	}
	p.Start()
	p.Scraped(t)
}
