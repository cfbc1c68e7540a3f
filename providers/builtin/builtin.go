// Package builtin has the Providers that come with ork. Who builds a program of their own may leave them out.
package builtin

import (
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/aws"
	"github.com/orkestra-runtime/orkestra/providers/mongodb"
	"github.com/orkestra-runtime/orkestra/providers/postgres"
)

// Registry returns the Providers aws, mongodb and postgres, to which others may be added.
func Registry() (*providers.Registry, error) {
	return providers.NewRegistry(aws.New(aws.Options{}), mongodb.New(mongodb.Options{}), postgres.New(postgres.Options{}))
}
