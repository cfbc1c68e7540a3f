package servers

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

// Prometheus is a Prometheus server of Debian's.
type Prometheus struct {
	*process
	// Address is host:port.
	Address string
	// URL is where its API is.
	URL string
}

// StartPrometheus starts a Prometheus that scrapes the targets, host:port each with its metrics at /metrics, every second as the job suite;
// without a target, itself. It makes its first scrape some seconds later: Scraped waits for that.
func StartPrometheus(t T, targets ...string) *Prometheus {
	t.Helper()
	binary := installed(t, "prometheus", "prometheus")
	address, dir := local(reserve(t)), folder(t, "prometheus")
	if len(targets) == 0 {
		targets = []string{address}
	}
	write(t, filepath.Join(dir, "prometheus.yml"), fmt.Sprintf(`
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: suite
    static_configs: [{targets: ['%s']}]
`, strings.Join(targets, "', '")))
	p := &Prometheus{Address: address, URL: "http://" + address}
	p.process = &process{
		t: t, binary: binary, dir: dir, quit: syscall.SIGTERM, ready: answers(p.URL + "/-/ready"),
		args: []string{
			"--config.file=" + filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path=" + filepath.Join(dir, "data"),
			"--web.listen-address=" + address, "--log.level=warn",
		},
	}
	p.launch()
	return p
}

// Scraped waits until each target has been scraped, or fails the test when one cannot be.
func (p *Prometheus) Scraped(t T) {
	t.Helper()
	const query = "/api/v1/query?query=min(up{job%3D%22suite%22})"
	err := poll(startTimeout, func(ctx context.Context) error {
		var answer struct {
			Data struct {
				Result []struct{ Value [2]any }
			}
		}
		if err := getJSON(ctx, p.URL+query, &answer); err != nil {
			return err
		}
		if len(answer.Data.Result) != 1 || answer.Data.Result[0].Value[1] != "1" {
			return fmt.Errorf("up is %v", answer.Data.Result)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Prometheus does not scrape: %v", err)
	}
}
