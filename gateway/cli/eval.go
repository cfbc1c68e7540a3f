package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/server"
	"github.com/orkestra-runtime/orkestra/gateway/verdict"
	"github.com/orkestra-runtime/orkestra/internal/command"
)

// evalFlags are what eval is told.
type evalFlags struct {
	files, resources, old []string
	output                string
}

func evalCommand(opts Options) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval -f KATALOG --cr FILE",
		Short: "Tells without a cluster what the gateway would say of resources",
		Long: `Tells without a cluster what the gateway would say of resources: what mutation sets, which rules are violated, and whether they are stored.

External calls are not made, and what only a running operator knows is not known; each verdict says what was left out.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.eval(cmd, opts) },
	}
	command.FilesFlag(cmd, &f.files)
	command.OutputFlag(cmd, &f.output)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.resources, "cr", nil, "a file of resources, - for standard input; can be given more than once")
	flags.StringArrayVar(&f.old, "old", nil, "a file of resources as they were before: those are updated; can be given more than once")
	return cmd
}

func (f *evalFlags) check() error {
	switch {
	case len(f.resources) == 0:
		return command.Usage(errors.New("no resources: name a file of them with --cr"))
	case slices.Contains(f.resources, katalog.Stdin) && (slices.Contains(f.files, katalog.Stdin) || slices.Contains(f.old, katalog.Stdin)):
		return command.Usage(errors.New("the standard input can be one file only"))
	}
	return nil
}

func (f *evalFlags) eval(cmd *cobra.Command, opts Options) error {
	if err := f.check(); err != nil {
		return err
	}
	result, err := read(cmd, opts.In, f.files, askedCheck)
	if err != nil {
		return err
	}
	entries, err := entriesOf(cmd, result.Documents)
	if err != nil {
		return err
	}
	resources, err := objects(cmd, opts, f.resources, entries)
	if err != nil {
		return err
	}
	old, err := objects(cmd, opts, f.old, entries)
	if err != nil {
		return err
	}
	if names := verdict.Unmatched(old, resources); len(names) > 0 {
		return fmt.Errorf("--old has resources that --cr has not: %s", strings.Join(names, ", "))
	}
	verdicts, err := verdict.Of(cmd.Context(), verdict.Options{Entries: entries, Old: old, Definition: definitions(result.Documents)}, resources...)
	if err != nil {
		return err //nolint:wrapcheck // names the resource
	}
	if f.output == "" {
		err = verdict.Print(opts.Out, verdicts)
	} else {
		err = command.Print(opts.Out, f.output, map[string]any{"verdicts": verdicts})
	}
	if err == nil && slices.ContainsFunc(verdicts, func(v verdict.Verdict) bool { return !v.Allowed }) {
		return command.Reported(errors.New("a resource is denied"))
	}
	return err //nolint:wrapcheck // says all there is to say
}

// definitions are those of the crdFiles.
func definitions(documents []*katalog.Document) func(*entry.Entry) *apiextensionsv1.CustomResourceDefinition {
	return func(e *entry.Entry) *apiextensionsv1.CustomResourceDefinition {
		for _, document := range documents {
			if files := document.CRDs[e.Name]; files != nil && files.CRD != nil {
				return files.CRD
			}
		}
		return nil
	}
}

// entriesOf are those of the documents, and a warning for each document whose rules nobody would be asked about.
func entriesOf(cmd *cobra.Command, documents []*katalog.Document) ([]*entry.Entry, error) {
	var all []*entry.Entry
	for _, document := range documents {
		asked, off := askedAll(document.Katalog)
		if off {
			cmd.PrintErrln("warning: " + document.Locate(nil).String() + ": security.webhooks.admission is off: rules are evaluated here, and not by the gateway")
		}
		entries, errs := entry.Compile(asked, schemas(document))
		if len(errs) > 0 {
			return nil, errs.ToAggregate() // which the check has told
		}
		all = append(all, entries...)
	}
	return all, nil
}

// askedCheck checks the rules also where the gateway would not be asked about them.
func askedCheck(document *katalog.Document) (errs, warnings field.ErrorList) {
	asked, _ := askedAll(document.Katalog)
	return server.Check(asked, schemas(document)), nil
}

// askedAll is a Katalog with admission, and whether it had none.
func askedAll(k *orkv1.Katalog) (asked *orkv1.Katalog, off bool) {
	if s := k.Security; s != nil && s.Webhooks != nil && s.Webhooks.Admission != nil && (s.Webhooks.Admission.Enabled == nil || *s.Webhooks.Admission.Enabled) {
		return k, false
	}
	asked = k.DeepCopy()
	if asked.Security == nil {
		asked.Security = &orkv1.Security{}
	}
	if asked.Security.Webhooks == nil {
		asked.Security.Webhooks = &orkv1.WebhookSecurity{}
	}
	asked.Security.Webhooks.Admission = &orkv1.AdmissionSecurity{}
	return asked, true
}

// objects are those of all documents of files, each of which has at least one, and all that is wrong with them.
func objects(cmd *cobra.Command, opts Options, files []string, entries []*entry.Entry) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	var wrong katalog.Findings
	for _, file := range files {
		name, content, err := contentOf(opts, file)
		if err != nil {
			return nil, err
		}
		found, err := katalog.Objects(name, content)
		if findings, ok := errors.AsType[katalog.Findings](err); ok {
			wrong = append(wrong, findings...)
			continue
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: holds no resource", name)
		}
		for _, one := range found {
			if kind := listed(one.Value, entries); kind != "" {
				wrong = append(wrong, katalog.Finding{Position: one.At, Message: fmt.Sprintf("a %s is a list of the kind %s, and this one has no items", one.Value.GetKind(), kind)})
			}
			all = append(all, one.Value)
		}
	}
	if len(wrong) > 0 {
		return nil, command.PrintFindings(cmd, wrong)
	}
	return all, nil
}

// listed is the kind of an entry whose lists have the kind of an object. Empty: it is no list.
func listed(o *unstructured.Unstructured, entries []*entry.Entry) string {
	kind := o.GroupVersionKind().GroupKind()
	for _, one := range entries {
		if one.GVK.GroupKind() == kind {
			return ""
		}
	}
	for _, one := range entries {
		if one.GVK.Group == kind.Group && one.GVK.Kind+"List" == kind.Kind {
			return one.GVK.Kind
		}
	}
	return ""
}

func contentOf(opts Options, file string) (name string, content []byte, err error) {
	if file == katalog.Stdin {
		content, err = io.ReadAll(opts.In)
		name = "<stdin>"
	} else {
		name = filepath.Clean(file)
		content, err = os.ReadFile(name)
	}
	if err != nil {
		return name, nil, fmt.Errorf("read the resources: %w", err)
	}
	return name, content, nil
}
