package liveapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
)

var _ admission.Runtime = (*Client)(nil)

// State returns the roots health and metrics of an entry, as a cycle sees them. A replica that does not operate knows neither, and another one is
// asked.
func (c *Client) State(ctx context.Context, entry string) (map[string]any, error) {
	var health, info map[string]any
	group, within := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		health, err = c.ask(within, pathOf(entry, "/health"), operates)
		return err
	})
	group.Go(func() (err error) {
		info, err = c.ask(within, pathOf(entry, ""), operates)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // says whom it asked
	}
	metrics, ok := info["metrics"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s has no metrics", pathOf(entry, ""))
	}
	shown := map[string]any{}
	for name := range roots.Health().Properties {
		shown[name] = health[name]
	}
	// The two have had different names from the start.
	shown["hasUnhealthyDeps"] = health["hasUnhealthyDependencies"]
	return map[string]any{"health": shown, "metrics": metrics}, nil
}

func operates(answer map[string]any) error {
	if leads, _ := answer["isKonductor"].(bool); !leads {
		return errFollower
	}
	return nil
}

// Unique returns a check by the resources that the operator has in memory, of which any replica has all. It is as good as that: of two
// resources that are made at the same moment, neither is there yet.
func (c *Client) Unique(ctx context.Context, entry string, object *unstructured.Unstructured) template.UniqueCheck {
	return func(path []string, value any) (bool, error) {
		unique, err := c.unique(ctx, entry, object, path, value)
		if err != nil {
			logf.FromContext(ctx).Info("a value is taken for unique, as the operator does not tell others", "crd", entry, "reason", err.Error())
		}
		return unique, err
	}
}

func (c *Client) unique(ctx context.Context, entry string, object *unstructured.Unstructured, path []string, value any) (bool, error) {
	answer, err := c.ask(ctx, pathOf(entry, "/cr")+"?field="+url.QueryEscape(rules.WritePath(path)), func(map[string]any) error { return nil })
	if err != nil {
		return false, err
	}
	items, _ := answer["items"].([]any)
	text := template.Text(value)
	return !slices.ContainsFunc(items, func(item any) bool {
		other, _ := item.(map[string]any)
		if other["name"] == object.GetName() && template.Text(other["namespace"]) == object.GetNamespace() {
			return false
		}
		taken := other["value"]
		return taken != nil && template.Text(taken) == text
	}), nil
}

func pathOf(entry, below string) string { return "/katalog/" + url.PathEscape(entry) + below }
