package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// defaultPort is that of the live API and the metrics.
const defaultPort = "8080"

// checkPort tells early that PORT is no port.
func checkPort() error {
	text := os.Getenv("PORT")
	if number, err := strconv.Atoi(text); text != "" && (err != nil || number < 1 || number > 65535) {
		return fmt.Errorf("environment: PORT: want a number from 1 to 65535, got %q", text)
	}
	return nil
}

// apiToken is what the live API asks for, empty for nothing.
func apiToken(file string) (string, error) {
	if file == "" {
		return os.Getenv("ORK_API_TOKEN"), nil
	}
	content, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return "", fmt.Errorf("read the token of the live API: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return "", errors.New("read the token of the live API: " + file + " is empty, and would let everybody in")
	}
	return token, nil
}

// serveLive puts the live API beside the metrics.
func (f *runFlags) serveLive(mgr manager.Manager, e *engine.Engine, l *loaded) error {
	token, err := apiToken(f.tokenFile)
	if err != nil || f.metrics == "0" {
		return err
	}
	var written []*orkv1.Katalog
	for _, document := range l.documents {
		written = append(written, cmp.Or(document.Written, document.Katalog))
	}
	api := e.Handler(live.Options{
		Token: token, Version: versionOf().Ork, GatewayEndpoint: os.Getenv("ORK_GATEWAY_ENDPOINT"),
		Written: func() []*orkv1.Katalog { return written },
	})
	if err := mgr.AddMetricsServerExtraHandler("/", api); err != nil {
		return fmt.Errorf("serve the live API: %w", err)
	}
	return nil
}
