package roots

import (
	"fmt"
	"sync"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Controller are the roots of a text that looks at the controller of a CRD and at no resource: metrics alone.
type Controller struct{ metrics *Known }

var _ template.Roots = (*Controller)(nil)

// NewController returns the roots.
func NewController() *Controller {
	known := &Known{roots: map[string]*Props{"metrics": Metrics()}}
	known.environment = sync.OnceValue(func() *cel.Environment { return cel.NewEnvironment(nil) })
	return &Controller{known}
}

// Check tells what is wrong with reading a path.
func (c *Controller) Check(path template.Path) *template.Misread {
	if len(path) == 0 || path[0] == "metrics" {
		return c.metrics.Check(path)
	}
	root := path[0]
	known := New(nil)
	_, elsewhere := known.roots[root]
	switch {
	case root == "cross":
		return &template.Misread{Problem: "reads of another CRD are not supported yet: read .metrics, which are those of this one"}
	case elsewhere || known.local[root] != "":
		return &template.Misread{Problem: fmt.Sprintf(".%s is not there for a controller, which looks at no single resource (valid: .metrics)", root)}
	case nearest.Word(root, []string{"metrics"}) != "":
		return &template.Misread{Problem: fmt.Sprintf("there is no .%s: did you mean .metrics?", root)}
	}
	return &template.Misread{Problem: fmt.Sprintf("there is no .%s (valid: .metrics)", root)}
}

// Shape tells what the value at a path is like.
func (c *Controller) Shape(path template.Path) template.Shape {
	if len(path) == 0 {
		return template.Shape{}
	}
	return c.metrics.Shape(path)
}

// Environment is what CEL expressions may name.
func (c *Controller) Environment() *cel.Environment { return c.metrics.Environment() }
