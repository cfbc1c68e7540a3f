package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/readiness"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// quiet is how long nothing may have happened before everything counts as settled: long enough for the controllers of the
// cluster to react to what was written.
const quiet = 2 * time.Second

// untilSettled returns when every resource is ready or held back by a gate, nothing is queued and nothing happened for a while, and prints what there
// is. At the time limit it fails and names what is not ready.
func untilSettled(ctx context.Context, out io.Writer, e *engine.Engine, expected []*unstructured.Unstructured, limit time.Duration) error {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()

	var before string
	since := time.Now()
	for {
		states := e.States()
		open := unsettled(states, expected)
		if now := fingerprint(states); now != before || len(open) > 0 {
			before, since = now, time.Now()
		}
		if time.Since(since) >= quiet {
			return printStates(out, states)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return errors.New("ended before everything was settled")
		case <-deadline.C:
			return fmt.Errorf("not settled after %s:\n  %s", limit, strings.Join(orQuiet(open), "\n  "))
		}
	}
}

func orQuiet(open []string) []string {
	if len(open) == 0 {
		return []string{"everything is ready, but resources or children keep changing"}
	}
	return open
}

// unsettled lists what is not ready yet, and why.
func unsettled(states []engine.State, expected []*unstructured.Unstructured) []string {
	var open []string
	seen := map[string]bool{}
	for _, state := range states {
		if !state.Running {
			open = append(open, fmt.Sprintf("CRD %s: %s", state.Name, orDefault(state.Health.Waiting, "starting")))
			continue
		}
		if state.Busy > 0 {
			open = append(open, fmt.Sprintf("CRD %s: %d in the queue", state.Name, state.Busy))
		}
		for _, resource := range state.Resources {
			seen[identity(resource.Object)] = true
			if !resource.Ready && !resource.Held {
				open = append(open, fmt.Sprintf("%s: %s", identity(resource.Object), resource.Reason))
			}
		}
	}
	for _, object := range expected {
		if operated(states, object) && !seen[identity(object)] {
			open = append(open, identity(object)+": not seen yet")
		}
	}
	return open
}

// operated tells whether the object is of a kind that the engine operates; crFiles may hold others.
func operated(states []engine.State, object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(states, func(s engine.State) bool {
		return s.Kind.GroupKind() == object.GroupVersionKind().GroupKind()
	})
}

func identity(object *unstructured.Unstructured) string {
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = "-"
	}
	return object.GetKind() + " " + namespace + "/" + object.GetName()
}

func orDefault(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// fingerprint changes whenever a resource or a child does.
func fingerprint(states []engine.State) string {
	var b strings.Builder
	for _, state := range states {
		for _, resource := range state.Resources {
			fmt.Fprintln(&b, resource.Object.GetUID(), resource.Object.GetResourceVersion())
			for _, child := range resource.Children {
				fmt.Fprintln(&b, child.GetUID(), child.GetResourceVersion())
			}
		}
	}
	return b.String()
}

// printStates prints every resource as a YAML document with its status, and its children as a table in comments below it, so
// that the whole is one YAML stream.
func printStates(out io.Writer, states []engine.State) error {
	for _, state := range states {
		for _, resource := range state.Resources {
			text, err := yaml.Marshal(resource.Object.Object)
			if err != nil {
				return fmt.Errorf("print %s: %w", identity(resource.Object), err)
			}
			if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
				return err //nolint:wrapcheck // says all there is to say
			}
			if resource.Held && !resource.Ready {
				if _, err := fmt.Fprintf(out, "# held back: %s\n", strings.ReplaceAll(orDefault(resource.Reason, "by a gate"), "\n", " ")); err != nil {
					return err //nolint:wrapcheck // says all there is to say
				}
			}
			if err := printChildren(out, resource.Children); err != nil {
				return err
			}
		}
	}
	return nil
}

func printChildren(out io.Writer, children []*unstructured.Unstructured) error {
	if len(children) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	_, err := fmt.Fprintln(table, "# KIND\tNAMESPACE/NAME\tREADY")
	for _, child := range children {
		if err != nil {
			break
		}
		kind, name, _ := strings.Cut(identity(child), " ")
		_, err = fmt.Fprintf(table, "# %s\t%s\t%s\n", kind, name, progress(child))
	}
	if err != nil {
		return err //nolint:wrapcheck // says all there is to say
	}
	return table.Flush() //nolint:wrapcheck // says all there is to say
}

// progress is what a child's own status says: how many of its pods are ready, how a job went, its condition Ready, or False
// for one that is not ready. A dash for one that has nothing to become ready for.
func progress(child *unstructured.Unstructured) string {
	number := func(path ...string) int64 {
		n, _, _ := unstructured.NestedInt64(child.Object, path...)
		return n
	}
	switch child.GetKind() {
	case "Deployment", "StatefulSet", "ReplicaSet":
		return fmt.Sprintf("%d/%d", number("status", "readyReplicas"), number("spec", "replicas"))
	case "DaemonSet":
		return fmt.Sprintf("%d/%d", number("status", "numberReady"), number("status", "desiredNumberScheduled"))
	case "Job":
		return fmt.Sprintf("%d/%d", number("status", "succeeded"), max(1, number("spec", "completions")))
	}
	switch condition := status.Find(status.Conditions(child.Object), orkv1.ConditionReady); {
	case condition != nil:
		return string(condition.Status)
	case !readiness.Of(child.Object).Ready:
		return "False"
	}
	return "-"
}
