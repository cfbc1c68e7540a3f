package command

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// DefaultPort is that of the live API and the metrics.
const DefaultPort = "8080"

// Port is what PORT says, or ORK_PORT as older installations call it, else DefaultPort.
func Port() string { return EnvOr("PORT", EnvOr("ORK_PORT", DefaultPort)) }

// CheckPort tells early that one of the variables that Port reads is no port.
func CheckPort() error {
	for _, name := range []string{"PORT", "ORK_PORT"} {
		text := os.Getenv(name)
		if number, err := strconv.Atoi(text); text != "" && (err != nil || number < 1 || number > 65535) {
			return fmt.Errorf("environment: %s: want a number from 1 to 65535, got %q", name, text)
		}
	}
	return nil
}

// besideMetrics is the part of a Manager that serves metrics.
type besideMetrics interface {
	AddMetricsServerExtraHandler(path string, handler http.Handler) error
}

// ServeLive puts a live API beside the metrics, with the token of a file, as APIToken reads it. Where the address of the metrics is 0 there are none, and no API.
func ServeLive(mgr besideMetrics, address, tokenFile string, api func(token string) http.Handler) error {
	token, err := APIToken(tokenFile)
	if err != nil || address == "0" {
		return err
	}
	if err := mgr.AddMetricsServerExtraHandler("/", api(token)); err != nil {
		return fmt.Errorf("serve the live API: %w", err)
	}
	return nil
}

// APIToken is what the live API asks for, empty for nothing.
func APIToken(file string) (string, error) {
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
