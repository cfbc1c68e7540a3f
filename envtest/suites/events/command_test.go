package events_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// answer is what a command of ork came to.
type answer struct {
	code     int
	out, err string
}

// ork runs a command of ork in the process of the suite.
func ork(ctx context.Context, args ...string) answer {
	var out, warnings bytes.Buffer
	opts := cli.Options{In: &bytes.Buffer{}, Out: &out, Err: &warnings, Define: crdschema.New}
	root := cli.Root(opts, cli.Commands(opts)...)
	root.SetArgs(args)
	code, message := cli.ExitCode(root.ExecuteContext(ctx))
	return answer{code: code, out: out.String(), err: warnings.String() + message}
}

// file makes a file of the spec's own, whose end is its name.
func file(name, content string) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), name)
	Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	return path
}
