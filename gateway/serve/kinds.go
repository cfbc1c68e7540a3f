package serve

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// named finds the surface that a request means by a name: a target, or a kind in any case, of which it is the CRD's own. Two groups may have one kind
// each of that name: the query's apiVersion says which, and without it a kind of several is nobody's. What the caller may not do that
// with is not told of.
func (a *API) named(c *call, name string, on class, operation orkv1.ServeOperation) (*Surface, error) {
	version := c.URL.Query().Get("apiVersion")
	if s := a.surfaces[name]; s != nil && s.Enabled && (version == "" || version == s.CRD.apiVersion()) {
		return s, nil
	}
	return a.ofKind(c, name, version, on, operation)
}

// ofKind finds the surface of a kind that is the CRD's own, as named does.
func (a *API) ofKind(c *call, kind, version string, on class, operation orkv1.ServeOperation) (*Surface, error) {
	var all []*Surface
	for _, one := range a.opts.CRDs {
		if strings.EqualFold(one.GVK.Kind, kind) && one.Primary.Enabled && (version == "" || version == one.apiVersion()) {
			all = append(all, one.Primary)
		}
	}
	switch len(all) {
	case 0:
		detail := "there is no kind or target " + strconv.Quote(kind)
		if version != "" {
			detail += " of " + version
		}
		return nil, &apiError{status: http.StatusNotFound, short: "not found", detail: detail}
	case 1:
		return all[0], nil
	}
	slices.SortFunc(all, func(a, b *Surface) int { return cmp.Compare(a.CRD.apiVersion(), b.CRD.apiVersion()) })
	var known []string
	var denied error
	for _, s := range all {
		if err := s.allows(c.caller.Name, on, operation, ""); err != nil {
			denied = err
			continue
		}
		known = append(known, s.CRD.apiVersion())
	}
	if len(known) == 0 {
		return nil, denied
	}
	return nil, badRequest("there are several kinds %s: say which with apiVersion=%s", all[0].CRD.GVK.Kind, strings.Join(known, " or "))
}

// apiVersion is the group and version of the CRD.
func (c *CRD) apiVersion() string { return c.GVK.GroupVersion().String() }
