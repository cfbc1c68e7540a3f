package command

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
	"k8s.io/klog/v2"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// Logging chooses what is logged, and how.
type Logging struct {
	level, format string
}

// Add adds the flags.
func (f *Logging) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.level, "log-level", EnvOr("LOG_LEVEL", "info"), "debug, info or error")
	cmd.Flags().StringVar(&f.format, "log-format", "auto", "text, json, or auto: text on a terminal")
}

// Begin has everything log as they choose, and puts the logger into the context. What Kubernetes' libraries say is for developers.
func (f *Logging) Begin(ctx context.Context, to io.Writer) (context.Context, error) {
	log, err := f.logger(to)
	if err != nil {
		return nil, err
	}
	logf.SetLogger(log)
	klog.SetLogger(log.V(1))
	return logf.IntoContext(ctx, log), nil
}

func (f *Logging) logger(to io.Writer) (logr.Logger, error) {
	levels := map[string]zapcore.Level{"debug": zapcore.DebugLevel, "info": zapcore.InfoLevel, "error": zapcore.ErrorLevel}
	level, ok := levels[f.level]
	if !ok {
		return logr.Discard(), Usage(fmt.Errorf("unknown log level %q; valid: debug, info, error", f.level))
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
		return logr.Discard(), Usage(fmt.Errorf("unknown log format %q; valid: auto, text, json", f.format))
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

// EnvOr is a variable of the environment, or something else where it is not set.
func EnvOr(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
