package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// The lists of names are complete and name nothing that is not there.
func TestLists(t *testing.T) {
	reference, running := read(t, "katalog.md"), read(t, "running.md")
	commands := cli.Commands(cli.Options{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, StartControlPlane: startNothing, Define: crdschema.New, Checkouts: checkoutNothing})
	commands = append(commands, gatewaycli.Commands(gatewaycli.Options{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})...)
	cases := map[string]struct {
		reason    string
		got, want []string
	}{
		"Functions": {
			reason: "a template may call these functions",
			got:    functionsOf(t, read(t, "functions.md")),
			want:   functionNames(),
		},
		"Targets": {
			reason: "enrich takes these names",
			got:    reference.firstColumn(t, "targets"),
			want:   orkv1.EnrichmentName("").Values(),
		},
		"Operators": {
			reason: "operator takes these names",
			got:    reference.firstColumn(t, "operators"),
			want:   operators(t),
		},
		"Reasons": {
			reason: "these are the reasons of conditions",
			got:    reference.firstColumn(t, "reasons"),
			want:   constants(t, "../api/v1/reason.go", "Reason"),
		},
		"Metrics": {
			reason: "these series exist from the start",
			got:    running.firstColumn(t, "metrics"),
			want:   series(t),
		},
		"EngineOptions": {
			reason: "engine.Options has these fields",
			got:    read(t, "library.md").firstColumn(t, "options"),
			want:   fieldNames(reflect.TypeFor[engine.Options]()),
		},
		"RunFlags":      {reason: "ork run has these flags", got: flagsOf(t, running, "run"), want: flagNames(t, commands, "run")},
		"ValidateFlags": {reason: "ork validate has these flags", got: flagsOf(t, running, "validate"), want: flagNames(t, commands, "validate")},
		"GateFlags":     {reason: "ork gate has these flags", got: flagsOf(t, running, "gate"), want: flagNames(t, commands, "gate")},
		"EvalFlags":     {reason: "ork gate eval has these flags", got: flagsOf(t, running, "gate eval"), want: flagNames(t, commands, "gate eval")},
		"SimulateFlags": {reason: "ork simulate has these flags", got: flagsOf(t, running, "simulate"), want: flagNames(t, commands, "simulate")},
		"ExplainFlags":  {reason: "ork explain has these flags", got: flagsOf(t, running, "explain"), want: flagNames(t, commands, "explain")},
		"VersionFlags":  {reason: "ork version has these flags", got: flagsOf(t, running, "version"), want: flagNames(t, commands, "version")},
		"SchemaFlags":   {reason: "ork generate schema has these flags", got: flagsOf(t, running, "generate schema"), want: flagNames(t, commands, "generate schema")},
		"Commands":      {reason: "ork has these commands", got: commandsOf(t, running), want: commandNames(commands)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			slices.Sort(tc.got)
			slices.Sort(tc.want)
			if diff := gocmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("\n%s\n-code, +documents:\n%s", tc.reason, diff)
			}
		})
	}
}

// functionsOf reads them from their signatures.
func functionsOf(t *testing.T, p page) []string {
	t.Helper()
	var all []string
	for _, signature := range p.firstColumn(t, "functions") {
		all = append(all, strings.Fields(signature)[0])
	}
	return all
}

func functionNames() []string {
	var all []string
	for _, function := range notes.Functions() {
		all = append(all, function.Name)
	}
	return all
}

func fieldNames(t reflect.Type) []string {
	var all []string
	for f := range t.Fields() {
		all = append(all, f.Name)
	}
	return all
}

// operators reads them from the error of one that does not exist, which lists all.
func operators(t *testing.T) []string {
	t.Helper()
	_, err := load(within("spec.crds.website.operatorBox", "when: [{field: spec.a, operator: none, value: b}]\n"))
	_, list, found := strings.Cut(fmt.Sprint(err), "(valid: ")
	if !found {
		t.Fatalf("no list of operators in: %v", err)
	}
	list, _, _ = strings.Cut(list, ")")
	return strings.Split(list, ", ")
}

// constants are the values of the constants of a file whose names have a prefix.
func constants(t *testing.T, file, prefix string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, value)
		return true
	})
	return all
}

func series(t *testing.T) []string {
	t.Helper()
	registry := prometheus.NewRegistry()
	recorder, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	recorder.CRD("website").Autoscaled(3)
	recorder.CRD("website").Called("plan", "billing.example.com", time.Second, "network")
	recorder.CRD("website").Asked("postgres", "database", false, time.Second, false)
	recorder.CRD("website").Asked("postgres", "database", true, time.Second, false)
	recorder.CRD("website").Fetched(metrics.FetchChanged, time.Second)
	recorder.CRD("website").BuildBegan()
	recorder.CRD("website").BuildEnded(time.Second, "success")
	if _, err := metrics.NewReloads(registry); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, family := range families {
		all = append(all, family.GetName())
	}
	return all
}

func flagsOf(t *testing.T, p page, command string) []string {
	t.Helper()
	var all []string
	for _, one := range p.tables(t, "flags") {
		if one.argument != command {
			continue
		}
		for _, row := range one.rows {
			for _, word := range words(row[0]) {
				if name, long := strings.CutPrefix(word, "--"); long {
					name, _, _ = strings.Cut(name, "=")
					all = append(all, name)
				}
			}
		}
	}
	return all
}

// flag finds the name of a flag in the lines of help.
var flag = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)

func flagNames(t *testing.T, commands []*cobra.Command, name string) []string {
	t.Helper()
	var all []string
	for _, command := range leaves(commands) {
		if calledBy(command) == name {
			for _, found := range flag.FindAllStringSubmatch(command.Flags().FlagUsages(), -1) {
				all = append(all, found[1])
			}
		}
	}
	return all
}

func commandsOf(t *testing.T, p page) []string {
	t.Helper()
	var all []string
	for _, one := range p.tables(t, "flags") {
		all = append(all, one.argument)
	}
	return all
}

func commandNames(commands []*cobra.Command) []string {
	var all []string
	for _, command := range leaves(commands) {
		all = append(all, calledBy(command))
	}
	return all
}

// leaves are the commands that do something.
func leaves(commands []*cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, command := range commands {
		below := command.Commands()
		all = append(all, leaves(below)...)
		if len(below) == 0 || command.HasAvailableLocalFlags() {
			all = append(all, command)
		}
	}
	return all
}

// calledBy is what stands behind ork.
func calledBy(command *cobra.Command) string {
	return strings.TrimPrefix(command.CommandPath(), "ork ")
}

// The kinds are applied in the order that the page tells.
func TestApplyOrder(t *testing.T) {
	page := strings.Join(read(t, "katalog.md").lines, " ")
	_, list, found := strings.Cut(page, "<!-- order --> ")
	list, _, ended := strings.Cut(list, ".")
	if !found || !ended {
		t.Fatal("katalog.md: no sentence is marked order")
	}
	var want []string
	for _, kind := range builtin.Kinds() {
		want = append(want, kind.Key)
	}
	if diff := gocmp.Diff(strings.Join(want, ", "), list); diff != "" {
		t.Errorf("katalog.md: the apply order: -want, +told:\n%s", diff)
	}
}
