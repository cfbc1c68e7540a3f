package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
)

// explainFlags tell whom to ask.
type explainFlags struct {
	server, tokenFile, output string
	timeout                   time.Duration
}

func explainCommand(opts Options) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain KIND [NAMESPACE/]NAME",
		Short: "Tells what a running operator did with a resource lately, and why",
		Long: `Tells what a running operator did with a resource lately, and why: the events that it saw, the gates that
were closed, what it wrote and how each cycle ended. It asks the operator's live API, which keeps that in memory.

KIND is a kind, or the name of a CRD in the Katalog. To reach an operator in a cluster, forward its port first:
kubectl -n orkestra-system port-forward deployment/orkestra 8080`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.Usage(fmt.Errorf("want a kind and a name, such as Website shop/books; got %d arguments", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.explain(cmd.Context(), opts, args[0], args[1]) },
	}
	command.OutputFlag(cmd, &f.output)
	cmd.Flags().StringVar(&f.server, "server", cmp.Or(os.Getenv("ORK_SERVER"), "http://localhost:"+command.DefaultPort), "the operator's live API; default: ORK_SERVER, else this machine")
	cmd.Flags().StringVar(&f.tokenFile, "api-token-file", "", "file with the bearer token of the live API; default: ORK_API_TOKEN, else none")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 10*time.Second, "how long the operator may take to answer")
	return cmd
}

// explain asks for the records of a resource and prints them.
func (f *explainFlags) explain(ctx context.Context, opts Options, kind, name string) error {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	crd, err := f.crdOf(ctx, kind)
	if err != nil {
		return err
	}
	segments := strings.Split(name, "/")
	if len(segments) > 2 || segments[0] == "" || segments[len(segments)-1] == "" {
		return command.Usage(fmt.Errorf("%q is no name: want name or namespace/name", name))
	}
	var records struct {
		Items []flight.Record `json:"items"`
	}
	path := append(append([]string{"katalog", crd, "cr"}, segments...), "explain")
	if err := f.get(ctx, path, &records); err != nil {
		return err
	}
	if f.output != "" {
		return command.Print(opts.Out, f.output, records.Items)
	}
	if len(records.Items) == 0 {
		_, err := fmt.Fprintln(opts.Out, "Nothing happened to it since the operator started, or it was forgotten.")
		return err //nolint:wrapcheck // says all there is to say
	}
	return printRecords(opts.Out, records.Items)
}

// crdOf finds the CRD that a person means by its kind or its name.
func (f *explainFlags) crdOf(ctx context.Context, kind string) (string, error) {
	var katalog struct {
		CRDs []struct {
			Name string `json:"name"`
			GVK  struct {
				Kind string `json:"kind"`
			} `json:"gvk"`
		} `json:"crds"`
	}
	if err := f.get(ctx, []string{"katalog"}, &katalog); err != nil {
		return "", err
	}
	var kinds []string
	found := ""
	for _, one := range katalog.CRDs {
		if one.Name == kind {
			return one.Name, nil
		}
		if strings.EqualFold(one.GVK.Kind, kind) {
			if found != "" {
				return "", fmt.Errorf("kind %s is that of the CRDs %s and %s: name one of them", one.GVK.Kind, found, one.Name)
			}
			found = one.Name
		}
		kinds = append(kinds, one.GVK.Kind)
	}
	if found != "" {
		return found, nil
	}
	if near := nearest.Word(kind, kinds); near != "" {
		return "", fmt.Errorf("the operator has no kind %s: did you mean %s?", kind, near)
	}
	return "", fmt.Errorf("the operator has no kind %s (valid: %s)", kind, strings.Join(kinds, ", "))
}

// get asks the live API.
func (f *explainFlags) get(ctx context.Context, path []string, into any) error {
	server, err := url.Parse(f.server)
	if err != nil || server.Host == "" {
		return command.Usage(fmt.Errorf("--server %q is no URL such as http://localhost:%s", f.server, command.DefaultPort))
	}
	for i := range path {
		path[i] = url.PathEscape(path[i])
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.JoinPath(path...).String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the operator: %w", err)
	}
	token, err := command.APIToken(f.tokenFile)
	if err != nil {
		return err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("no operator answers at %s (see --server): %w", f.server, errors.Unwrap(err))
	}
	defer func() { _ = response.Body.Close() }()
	const most = 16 << 20
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", f.server, err)
	}
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(body, into); err != nil {
			return fmt.Errorf("the answer of %s is not that of a live API: %w", f.server, err)
		}
		return nil
	}
	var refusal struct {
		Error string `json:"error"`
	}
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return errors.New("the operator asks for a token: name its file with --api-token-file, or set ORK_API_TOKEN")
	case json.Unmarshal(body, &refusal) == nil && refusal.Error != "":
		return errors.New(refusal.Error)
	default:
		return fmt.Errorf("%s answers %s", f.server, response.Status)
	}
}

// printRecords prints a line for each record.
func printRecords(out io.Writer, records []flight.Record) error {
	lines := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, one := range records {
		message := one.Message
		if len(one.Sentinels) > 0 {
			message += " [" + strings.Join(one.Sentinels, ", ") + "]"
		}
		if len(one.Fields) > 0 {
			message += ": " + strings.Join(one.Fields, ", ")
		}
		if one.By != "" {
			message += ", last changed by " + one.By
		}
		if one.Count > 1 {
			message += fmt.Sprintf(" (%d times, at last then)", one.Count)
		}
		if one.EventID != 0 {
			message += fmt.Sprintf(" (event %d)", one.EventID)
		}
		fmt.Fprintf(lines, "%s\t%s\t%s\n", one.Time.UTC().Format("2006-01-02 15:04:05.000"), one.Kind, message)
	}
	return lines.Flush() //nolint:wrapcheck // says all there is to say
}
