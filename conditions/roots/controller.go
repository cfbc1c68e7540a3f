package roots

import (
	"fmt"
	"sync"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Controller are the roots of a text that looks at the controller of a CRD and at no resource: its metrics, and those of other CRDs.
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
	case root == Cross:
		return c.checkCross(path)
	case elsewhere || known.local[root] != "":
		return &template.Misread{Problem: fmt.Sprintf(".%s is not there for a controller, which looks at no single resource (valid: .metrics, .cross)", root)}
	case nearest.Word(root, []string{"metrics", Cross}) != "":
		return &template.Misread{Problem: fmt.Sprintf("there is no .%s: did you mean .%s?", root, nearest.Word(root, []string{"metrics", Cross}))}
	}
	return &template.Misread{Problem: fmt.Sprintf("there is no .%s (valid: .metrics, .cross)", root)}
}

// checkCross tells what is wrong with reading of another CRD: it has to be named, and it shows its metrics alone.
func (c *Controller) checkCross(path template.Path) *template.Misread {
	switch {
	case len(path) < 3 || path[1] == template.Element:
		return &template.Misread{Problem: "a controller reads of another CRD its metrics, by its name: .cross.<crd>.metrics.queueDepth"}
	case path[2] != "metrics":
		return at(2, &template.Misread{Problem: fmt.Sprintf(".cross.%s.%s is not there for a controller (valid: .cross.%s.metrics)", path[1], path[2], path[1])})
	}
	misread := c.metrics.Check(path[2:])
	if misread != nil {
		misread.Key += 2
	}
	return misread
}

// Shape tells what the value at a path is like.
func (c *Controller) Shape(path template.Path) template.Shape {
	switch {
	case len(path) == 0:
		return template.Shape{}
	case path[0] == Cross && len(path) > 2:
		path = path[2:]
	}
	return c.metrics.Shape(path)
}

// Environment is what CEL expressions may name.
func (c *Controller) Environment() *cel.Environment { return c.metrics.Environment() }
