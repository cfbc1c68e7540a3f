package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/command/commandtest"
	"github.com/orkestra-runtime/orkestra/internal/golden"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// errStarted is what the control plane of these tests says: no command gets so far.
var errStarted = errors.New("a control plane was started")

// ork runs a command as main does.
func ork(t *testing.T, in string, args ...string) result {
	t.Helper()
	return commandtest.Run(t, in, func(streams command.Streams) []*cobra.Command {
		return Commands(Options{
			In: streams.In, Out: streams.Out, Err: streams.Err,
			StartControlPlane: func(context.Context, string, logr.Logger) (ControlPlane, error) { return nil, errStarted },
			Define:            crdschema.New,
		})
	}, args...)
}

// result is what a command leaves behind.
type result = commandtest.Result

func TestExitCodes(t *testing.T) {
	const valid = "testdata/validate/valid.yaml"
	cases := map[string]struct {
		reason string
		in     string
		args   []string
		code   int
		// says is a part of stderr, or of stdout when there is no error.
		says string
	}{
		"Help":            {reason: "help is no mistake", args: []string{"--help"}, says: "Available Commands:"},
		"Nothing":         {reason: "without a command there is help", args: []string{}, says: "Available Commands:"},
		"UnknownCommand":  {reason: "wrong usage", args: []string{"walk"}, code: 2, says: `unknown command "walk" for "ork"; see ork --help`},
		"UnknownFlag":     {reason: "wrong usage", args: []string{"validate", "--fast"}, code: 2, says: "unknown flag: --fast"},
		"FlagWithoutName": {reason: "wrong usage", args: []string{"validate", "-f"}, code: 2, says: "flag needs an argument"},
		"Argument":        {reason: "files are named with -f", args: []string{"validate", valid}, code: 2, says: "ork validate takes no arguments, got \"testdata/validate/valid.yaml\"; name files with -f"},
		"NoFile":          {reason: "wrong usage", args: []string{"validate"}, code: 2, says: "no Katalog: name one with -f"},
		"RunNoFile":       {reason: "wrong usage", args: []string{"run"}, code: 2, says: "no Katalog: name one with -f"},
		"WrongOutput": {
			reason: "wrong usage, found before anything is read", args: []string{"validate", "-f", "missing.yaml", "-o", "toml"},
			code: 2, says: `unknown output "toml"; valid: yaml, json`,
		},
		"VersionOutput":   {reason: "of every command", args: []string{"version", "-o", "text"}, code: 2, says: `unknown output "text"; valid: yaml, json`},
		"VersionArgument": {reason: "wrong usage", args: []string{"version", "1"}, code: 2, says: `ork version takes no arguments, got "1"; see`},
		"Generate":        {reason: "there is nothing to print", args: []string{"generate"}, code: 2, says: "generate what? valid: rbac, schema"},
		"GenerateOther":   {reason: "wrong usage", args: []string{"generate", "code"}, code: 2, says: `unknown command "code" for "ork generate"`},
		"SchemaKind": {
			reason: "only files with a schema have one", args: []string{"generate", "schema", "--kind", "Komposer"},
			code: 2, says: `there is no schema of the kind "Komposer"; valid: Katalog, Motif`,
		},
		"SchemaArgument": {
			reason: "the kind is a flag", args: []string{"generate", "schema", "Motif"},
			code: 2, says: `ork generate schema takes no arguments, got "Motif"`,
		},
		"MissingFile":    {reason: "a file that is not there is wrong input", args: []string{"validate", "-f", "missing.yaml"}, code: 1, says: "invalid: 1 error, 0 warnings"},
		"RunMissingFile": {reason: "the same for run", args: []string{"run", "-f", "missing.yaml"}, code: 1, says: "error: missing.yaml"},
		"Stdin": {
			reason: "- is the standard input", args: []string{"validate", "-f", "-"}, in: "kind: Nothing\n", code: 1, says: "invalid: ",
		},
		"DataDir": {
			reason: "a folder for the control plane needs a control plane", args: []string{"run", "-f", valid, "--data-dir", "data"},
			code: 2, says: "--data-dir goes with --embedded",
		},
		"EmbeddedKubeconfig": {
			reason: "two clusters are one too many", args: []string{"run", "-f", valid, "--embedded", "--kubeconfig", "config"},
			code: 2, says: "--embedded brings its own cluster: it excludes --kubeconfig and --context",
		},
		"EmbeddedContext": {
			reason: "two clusters are one too many", args: []string{"run", "-f", valid, "--embedded", "--context", "other"},
			code: 2, says: "--embedded brings its own cluster",
		},
		"NegativeLimit": {
			reason: "wrong usage", args: []string{"run", "-f", valid, "--until-settled=-1s"}, code: 2, says: "--until-settled must be a positive duration",
		},
		"NoDuration": {reason: "wrong usage", args: []string{"run", "-f", valid, "--shutdown-timeout", "soon"}, code: 2, says: "invalid argument \"soon\""},
		"LogLevel": {
			reason: "wrong usage", args: []string{"run", "-f", valid, "--log-level", "loud"},
			code: 2, says: `unknown log level "loud"; valid: debug, info, error`,
		},
		"LogFormat": {
			reason: "wrong usage", args: []string{"run", "-f", valid, "--log-format", "xml"},
			code: 2, says: `unknown log format "xml"; valid: auto, text, json`,
		},
		"NoCluster": {
			reason: "a kubeconfig that is not there is a failure", args: []string{"run", "-f", valid, "--kubeconfig", "missing"},
			code: 1, says: "find the cluster: ",
		},
		"Embedded": {
			reason: "a control plane that does not start is a failure", args: []string{"run", "-f", valid, "--embedded"},
			code: 1, says: "start the control plane: " + errStarted.Error(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ork(t, tc.in, tc.args...)
			said := got.Err
			if tc.code == 0 {
				said = got.Out
			}
			if got.Code != tc.code || !strings.Contains(said, tc.says) {
				t.Errorf("%s\nork %s: exit code %d, want %d\nwant %q in\n%s", tc.reason, strings.Join(tc.args, " "), got.Code, tc.code, tc.says, said)
			}
			if tc.code == 2 && got.Out != "" {
				t.Errorf("wrong usage prints to stdout: %s", got.Out)
			}
		})
	}
}

// The schema is that of a Katalog unless another kind is named.
func TestGenerateSchema(t *testing.T) {
	cases := map[string]struct {
		args []string
		file string
	}{
		"Default": {args: nil, file: "katalog.schema.json"},
		"Katalog": {args: []string{"--kind", "Katalog"}, file: "katalog.schema.json"},
		"Motif":   {args: []string{"--kind=Motif"}, file: "motif.schema.json"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("..", "..", "config", "schema", tc.file))
			if err != nil {
				t.Fatal(err)
			}
			got := ork(t, "", append([]string{"generate", "schema"}, tc.args...)...)
			if got.Code != 0 || got.Err != "" || got.Out != string(want) {
				t.Errorf("exit code %d, %q on stderr; stdout is %s: %t", got.Code, got.Err, tc.file, got.Out == string(want))
			}
		})
	}
}

// What a person reads of validate, on stdout and stderr.
func TestValidate(t *testing.T) {
	cases := map[string]struct {
		args []string
		code int
	}{
		"valid":        {args: []string{"valid.yaml"}},
		"valid.full":   {args: []string{"valid.yaml", "--full"}},
		"valid.json":   {args: []string{"valid.yaml", "--full", "-o", "json"}},
		"warned":       {args: []string{"warned.yaml"}},
		"invalid":      {args: []string{"invalid.yaml"}, code: 1},
		"invalid.full": {args: []string{"invalid.yaml", "--full"}, code: 1},
		"invalid.json": {args: []string{"invalid.yaml", "-o", "json"}, code: 1},
		"invalid.yaml": {args: []string{"invalid.yaml", "-o", "yaml"}, code: 1},
		"both":         {args: []string{"warned.yaml", "-f", "invalid.yaml"}, code: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir("testdata/validate")
			got := ork(t, "", append([]string{"validate", "-f"}, tc.args...)...)
			if got.Code != tc.code {
				t.Errorf("exit code %d, want %d", got.Code, tc.code)
			}
			golden.Compare(t, name+".golden", got.Out+"-- stderr --\n"+got.Err)
		})
	}
}

func TestVersion(t *testing.T) {
	text := ork(t, "", "version")
	if text.Code != 0 || !strings.Contains(text.Out, "\nGo                 "+runtime.Version()+"\n") {
		t.Errorf("version: %+v", text)
	}
	for format, want := range map[string]string{"json": `"go": "` + runtime.Version() + `"`, "yaml": "go: " + runtime.Version()} {
		if got := ork(t, "", "version", "-o", format); got.Code != 0 || !strings.Contains(got.Out, want) {
			t.Errorf("version -o %s: %+v, want %q", format, got, want)
		}
	}
}

// A Katalog with a mistake starts nothing: no control plane, and no connection to a cluster.
func TestRunChecksFirst(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connected := make(chan struct{}, 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connected <- struct{}{}
			_ = connection.Close()
		}
	}()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: "http://" + listener.Addr().String()}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	config.CurrentContext = "c"
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--metrics-bind-address=0", "--health-probe-bind-address=0"}

	wrong := ork(t, "", append(flags, "run", "-f", "testdata/validate/invalid.yaml", "--kubeconfig", kubeconfig)...)
	if wrong.Code != 1 || !strings.Contains(wrong.Err, "error: testdata/validate/invalid.yaml:9:7: spec.crds[widget].operatorBoks: ") {
		t.Errorf("a wrong Katalog: %+v", wrong)
	}
	if embedded := ork(t, "", append(flags, "run", "-f", "testdata/validate/invalid.yaml", "--embedded")...); embedded.Code != 1 || strings.Contains(embedded.Err, errStarted.Error()) {
		t.Errorf("a wrong Katalog with --embedded: %+v", embedded)
	}
	if len(connected) > 0 {
		t.Errorf("a wrong Katalog leads to %d connections, want none", len(connected))
	}

	// One that is right does connect, to install its CRD.
	right := ork(t, "", append(flags, "run", "-f", "../../examples/website/katalog.yaml", "--kubeconfig", kubeconfig)...)
	if right.Code != 1 || !strings.Contains(right.Err, "ork: reach the cluster at http://127.0.0.1:") {
		t.Errorf("a server that hangs up: %+v", right)
	}
	if len(connected) == 0 {
		t.Error("a right Katalog leads to no connection")
	}
	_ = listener.Close()
	<-done
}

// A binary without the Go code that a Katalog names says so: as a warning when it is checked, and before anything starts when it is run.
func TestMissingCode(t *testing.T) {
	file := filepath.Join("testdata", "code.yaml")
	const says = "is Go code that this binary does not have; run the Katalog with a program that registers it"
	if got := ork(t, "", "validate", "-f", file); got.Code != 0 || !strings.Contains(got.Out, "warning: "+file+":9:") || !strings.Contains(got.Out, says) {
		t.Errorf("validate: %+v", got)
	}
	if got := ork(t, "", "run", "-f", file, "--embedded"); got.Code != 1 || !strings.Contains(got.Err, "error: "+file+":9:") || !strings.Contains(got.Err, says) {
		t.Errorf("run: %+v", got)
	}
}

// An image that this binary cannot build is told of like Go code that it does not have.
func TestMissingBuilder(t *testing.T) {
	file := filepath.Join("testdata", "docker.yaml")
	says := []string{"builder kaniko is a program that would have to be started, which is never done; use buildkit", "this binary has nothing that builds images"}
	validated, ran := ork(t, "", "validate", "-f", file), ork(t, "", "run", "-f", file, "--embedded")
	for _, text := range says {
		if validated.Code != 0 || !strings.Contains(validated.Out, text) {
			t.Errorf("validate: %+v, want a warning that says %q", validated, text)
		}
		if ran.Code != 1 || !strings.Contains(ran.Err, text) {
			t.Errorf("run: %+v, want an error that says %q", ran, text)
		}
	}
	for flag, text := range map[string]string{
		"--registry-allow=https://a.b": "--registry-allow: \"https://a.b\" is no registry", "--build-workers=0": "--build-workers must be at least 1", "--build-context-limit=much": "want a size such as 256Mi",
		"--build-root=/nowhere": "is no folder",
	} {
		if got := ork(t, "", "run", "-f", "testdata/validate/valid.yaml", flag); got.Code != 2 || !strings.Contains(got.Err, text) {
			t.Errorf("run %s: %+v, want wrong usage that says %q", flag, got, text)
		}
	}
	t.Setenv("OCI_BUILDER", "kaniko")
	if got := ork(t, "", "run", "-f", "testdata/validate/valid.yaml"); got.Code != 2 || !strings.Contains(got.Err, "OCI_BUILDER") {
		t.Errorf("OCI_BUILDER: %+v, want wrong usage", got)
	}
}
