package serve

import (
	"fmt"
	"slices"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// class of operations.
type class int

const (
	onResources class = iota
	onSchema
)

// allows tells whether a token may do something on a surface: each list of tokens that there is, the surface's own and the CRD's, must allow it.
// Without any, everybody may. The error says what is missing.
func (s *Surface) allows(token string, on class, operation orkv1.ServeOperation, namespace string) error {
	for _, tokens := range s.tokens {
		granted, listed := tokens[token]
		if !listed {
			return &deniedError{fmt.Sprintf("token %s is not one of target %s", token, s.Name)}
		}
		if on == onResources && s.CRD.Namespaced && len(granted.Namespaces) > 0 && namespace != "" && !slices.Contains(granted.Namespaces, namespace) {
			return &deniedError{fmt.Sprintf("token %s may not use namespace %s", token, namespace)}
		}
		if !grants(granted.Permissions, on, operation) {
			return &deniedError{fmt.Sprintf("token %s may not %s here", token, operation)}
		}
	}
	return nil
}

// grants tells whether permissions have an operation.
func grants(permissions orkv1.ServePermissions, on class, operation orkv1.ServeOperation) bool {
	list := permissions.Resources
	if on == onSchema {
		list = permissions.Schema
	}
	if len(list) == 0 {
		list = permissions.Global
	}
	return slices.Contains(list, operation) || slices.Contains(list, "*")
}

// deniedError is that a caller may not do something.
type deniedError struct{ why string }

func (e *deniedError) Error() string { return e.why }
