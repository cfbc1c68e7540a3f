package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Clusters are those that resources may go to besides the API's own.
type Clusters interface {
	// Has tells whether there is one of a name.
	Has(name string) bool
	// Client is one of such a cluster. An error names no credential.
	Client(ctx context.Context, name string) (client.WithWatch, error)
}

// route is where resources of a surface go: a cluster by its name, or those that a template over the intent comes to.
type route struct {
	name     string
	template *template.Program
}

// routes compiles the clusters of a surface.
func (c *compiler) routes(declared []orkv1.Template, at *field.Path) []route {
	all := make([]route, 0, len(declared))
	for i, one := range declared {
		if strings.Contains(string(one), "{{") {
			all = append(all, route{template: c.template(one, at.Index(i))})
		} else {
			all = append(all, route{name: strings.TrimSpace(string(one))})
		}
	}
	return all
}

// clustersOf are the clusters that an intent goes to, none for the API's own.
func (a *API) clustersOf(s *Surface, intent map[string]any) ([]string, error) {
	var all []string
	for _, one := range s.clusters {
		names := []string{one.name}
		if one.template != nil {
			value, err := one.template.Value(factsOf(intent))
			if err != nil {
				return nil, badRequest("the cluster is not known: %s", err)
			}
			names = namesIn(value)
		}
		for _, name := range names {
			if !a.has(name) {
				return nil, badRequest("there is no cluster %s", strconv.Quote(name))
			}
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	if len(s.clusters) > 0 && len(all) == 0 && !s.fallsBack {
		return nil, badRequest("the intent leads to no cluster")
	}
	return all, nil
}

// has tells whether there is another cluster of a name.
func (a *API) has(name string) bool { return a.opts.Clusters != nil && a.opts.Clusters.Has(name) }

// namesIn are the names that a template comes to: a list, or a text with commas between them.
func namesIn(value any) []string {
	var all []string
	switch value := value.(type) {
	case nil:
	case []any:
		for _, one := range value {
			all = append(all, namesIn(one)...)
		}
	default:
		for name := range strings.SplitSeq(template.Text(value), ",") {
			if name = strings.TrimSpace(name); name != "" {
				all = append(all, name)
			}
		}
	}
	return all
}

// somewhere is a cluster that a resource is in: the API's own has no name.
type somewhere struct {
	client.WithWatch
	name string
}

// at reaches a cluster by its name, which is empty for the API's own.
func (a *API) at(ctx context.Context, c *call, name string) (somewhere, error) {
	if name == "" {
		return somewhere{WithWatch: a.opts.Client}, nil
	}
	c.mayTake(perCluster)
	return a.reach(ctx, c, name)
}

// reach reaches another cluster.
func (a *API) reach(ctx context.Context, c *call, name string) (somewhere, error) {
	if !a.has(name) {
		return somewhere{}, unreachable(name)
	}
	reached, err := a.opts.Clusters.Client(ctx, name)
	if err != nil {
		logf.FromContext(ctx).Error(err, "a cluster cannot be reached", "id", c.id, "cluster", name)
		return somewhere{}, unreachable(name)
	}
	return somewhere{WithWatch: reached, name: name}, nil
}

func unreachable(cluster string) error {
	return &apiError{status: http.StatusServiceUnavailable, short: "unreachable", detail: "cluster " + cluster + " cannot be reached"}
}

// failed is an error as a caller is told of it. What is no answer of an API server is that it cannot be reached.
func (w somewhere) failed(err error) error {
	switch {
	case w.name != "" && apierrors.IsUnauthorized(err): // which is the gateway's trouble, not the caller's
		return unreachable(w.name)
	case answered(err) || errors.Is(err, context.Canceled):
		return err
	case w.name != "":
		return unreachable(w.name)
	case errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &apiError{status: http.StatusBadGateway, short: "unreachable", detail: "the cluster does not answer"}
}

// readFrom is the cluster that a request reads a surface's resources from: the one that it names, else the first that is always one of the
// surface's, else the API's own.
func (a *API) readFrom(c *call, s *Surface) (somewhere, error) {
	name, err := a.clusterAsked(c, s)
	if err != nil {
		return somewhere{}, err
	}
	if name == "" {
		for _, one := range s.clusters {
			name = cmp.Or(name, one.name)
		}
	}
	return a.at(c.Context(), c, name)
}

// clusterAsked is the cluster that a request names, empty for none. One that a surface does not lead to is as one that is not there.
func (a *API) clusterAsked(c *call, s *Surface) (string, error) {
	name := c.URL.Query().Get("cluster")
	chosen := slices.ContainsFunc(s.clusters, func(one route) bool { return one.template != nil })
	listed := slices.ContainsFunc(s.clusters, func(one route) bool { return one.name != "" && one.name == name })
	if name != "" && !listed && (!chosen || !a.has(name)) {
		return "", &apiError{status: http.StatusNotFound, short: "not found", detail: "there is no cluster " + strconv.Quote(name)}
	}
	return name, nil
}

// mayTake gives the answer more time than the server does, which knows of no other clusters.
func (c *call) mayTake(long time.Duration) {
	_ = c.controller.SetWriteDeadline(time.Now().Add(long + answering)) // a server that has no deadline needs none
}

// appliedTo is what has become of a resource in one of several clusters.
type appliedTo struct {
	Cluster    string      `json:"cluster"`
	Accepted   bool        `json:"accepted"`
	Name       string      `json:"name,omitempty"`
	Namespace  string      `json:"namespace,omitempty"`
	PollURL    string      `json:"pollUrl,omitempty"` //nolint:tagliatelle // its public name
	Message    string      `json:"message,omitempty"`
	Warnings   []string    `json:"warnings,omitempty"`
	Violations []violation `json:"violations,omitempty"`
}

const (
	// atOnce is how many clusters are applied to at a time.
	atOnce = 4
	// perCluster is how long that may take in each.
	perCluster = 20 * time.Second
	// answering is how long it may take to write the answer.
	answering = 5 * time.Second
)

// fanOut applies a resource to several clusters. What one of them does is nothing to the others.
func (a *API) fanOut(c *call, s *Surface, out *translated, want wishes, names []string) *answer {
	c.mayTake(perCluster * time.Duration((len(names)+atOnce-1)/atOnce))
	results, statuses := make([]appliedTo, len(names)), make([]int, len(names))
	var all sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i, name := range names {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			results[i], statuses[i] = a.applyTo(c, s, out, want, name)
		})
	}
	all.Wait()
	object := out.object
	response := applied{
		DryRun: want.dryRun, Name: object.GetName(), Namespace: object.GetNamespace(), Kind: s.CRD.GVK.Kind,
		APIVersion: s.CRD.GVK.GroupVersion().String(), Warnings: out.warnings, Clusters: results,
	}
	status, failed := http.StatusOK, 0
	for i, one := range results {
		switch {
		case one.Accepted:
			response.Accepted = true
			response.PollURL = cmp.Or(response.PollURL, one.PollURL)
			status = max(status, statuses[i])
		case failed == 0:
			failed, response.Message = statuses[i], "cluster "+one.Cluster+": "+one.Message
		}
	}
	switch {
	case response.Accepted && failed != 0:
		status, response.PartialSuccess = http.StatusMultiStatus, true
	case failed != 0:
		status = failed
	}
	return &answer{status: status, body: response}
}

// applyTo applies a resource to one of several clusters.
func (a *API) applyTo(c *call, s *Surface, out *translated, want wishes, name string) (result appliedTo, status int) {
	result = appliedTo{Cluster: name, Name: out.object.GetName(), Namespace: out.object.GetNamespace()}
	fail := func(err error) {
		var detail string
		status, _, detail = a.explain(c, err)
		result.Message = detail
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			fail(fmt.Errorf("contained a panic: %v", recovered))
		}
	}()
	ctx, cancel := context.WithTimeout(c.Context(), perCluster)
	defer cancel()
	where, err := a.reach(ctx, c, name)
	if err != nil {
		fail(err)
		return result, status
	}
	got, err := a.store(ctx, c, s, out, want, where)
	if err != nil {
		fail(err)
		return result, status
	}
	response, _ := got.body.(applied)
	result.Accepted, result.PollURL, result.Message = response.Accepted, response.PollURL, response.Message
	result.Violations = response.Violations
	result.Warnings = response.Warnings[min(len(out.warnings), len(response.Warnings)):] // the intent's own are told once
	return result, got.status
}

// answered tells whether an error is what a cluster, or the API itself, says.
func answered(err error) bool {
	_, status := statusOf(err)
	_, own := errors.AsType[*apiError](err)
	_, denied := errors.AsType[*deniedError](err)
	return status || own || denied
}
