package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// logFlags choose what is logged, and how.
type logFlags struct {
	level, format string
}

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.level, "log-level", envOr("LOG_LEVEL", "info"), "debug, info or error")
	cmd.Flags().StringVar(&f.format, "log-format", "auto", "text, json, or auto: text on a terminal")
}

func (f *logFlags) logger(to io.Writer) (logr.Logger, error) {
	levels := map[string]zapcore.Level{"debug": zapcore.DebugLevel, "info": zapcore.InfoLevel, "error": zapcore.ErrorLevel}
	level, ok := levels[f.level]
	if !ok {
		return logr.Discard(), &usageError{fmt.Errorf("unknown log level %q; valid: debug, info, error", f.level)}
	}
	encoder := zap.JSONEncoder(func(config *zapcore.EncoderConfig) { config.EncodeTime = zapcore.RFC3339TimeEncoder })
	switch f.format {
	case "json":
	case "text":
		encoder = textEncoder()
	case "auto":
		if isTerminal(to) {
			encoder = textEncoder()
		}
	default:
		return logr.Discard(), &usageError{fmt.Errorf("unknown log format %q; valid: auto, text, json", f.format)}
	}
	log := zap.New(encoder, zap.Level(level), zap.WriteTo(zapcore.Lock(zapcore.AddSync(to))), zap.StacktraceLevel(zapcore.PanicLevel))
	return log, nil
}

func textEncoder() zap.Opts {
	return zap.ConsoleEncoder(func(config *zapcore.EncoderConfig) {
		config.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		config.EncodeLevel = zapcore.CapitalLevelEncoder
	})
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func envOr(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
