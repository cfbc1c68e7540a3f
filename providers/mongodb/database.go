package mongodb

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// databases is the kind database.
func (p *Provider) databases() declared.Kind {
	return declared.Kind{
		Identity: []string{"name"}, Optional: []string{"collections", "collections.*"},
		Check: func(d providers.Declaration) error {
			return errors.Join(checkDatabaseName(d, "name"), checkCollections(d))
		},
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.ensureDatabase(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			if checkDatabaseName(t.Declaration, "name") != nil {
				return nil // it cannot have been made
			}
			return p.use(ctx, t, func(s *server) error { return s.removeDatabase(ctx, t) })
		},
	}
}

// Bounds of a server's names, in bytes.
const (
	longestDatabase   = 63
	longestCollection = 150
)

// system are the databases that a server has by itself, and that of the owners.
var system = []string{"admin", "config", "local", own}

func checkDatabaseName(d providers.Declaration, field string) error {
	name := d.Fields[field]
	switch {
	case name == "" || len(name) > longestDatabase || strings.ContainsAny(name, "/\\. \"$*<>:|?\x00") || !utf8.ValidString(name):
		return declared.Wrong(d, field, `is %s: a database's name has 1 to %d bytes and none of /\. "$*<>:|?`, declared.Name(name), longestDatabase)
	case slices.Contains(system, strings.ToLower(name)):
		return declared.Wrong(d, field, "is %s, which is the server's own", declared.Name(name))
	}
	return nil
}

func checkCollections(d providers.Declaration) error {
	all, err := declared.List(d, "collections")
	for _, one := range all {
		if len(one) > longestCollection || strings.ContainsAny(one, "$\x00") || strings.HasPrefix(one, "system.") || !utf8.ValidString(one) ||
			strings.HasPrefix(one, ".") || strings.HasSuffix(one, ".") {
			return declared.Wrong(d, "collections", "has %s: a collection's name has at most %d bytes, no $, and does not begin with system.",
				declared.Name(one), longestCollection)
		}
	}
	return err
}

// databaseID is the key of a database's owner.
func databaseID(name string) string { return "database/" + name }

func (s *server) hasDatabase(ctx context.Context, name string) (bool, error) {
	found, err := s.ListDatabaseNames(ctx, bson.D{{Key: "name", Value: name}})
	return slices.Contains(found, name), err
}

// ensureDatabase notes the owner and makes the collections: a database without one is not there.
func (s *server) ensureDatabase(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	there, err := s.hasDatabase(ctx, name)
	if err != nil {
		return err
	}
	if err := s.claim(ctx, t, "database", databaseID(name), there); err != nil {
		return err
	}
	want, err := declared.List(t.Declaration, "collections")
	if err != nil || len(want) == 0 {
		return err
	}
	have, err := s.Database(name).ListCollectionNames(ctx, bson.D{})
	if err != nil {
		return err
	}
	for _, one := range want {
		if slices.Contains(have, one) {
			continue
		}
		if err := s.Database(name).CreateCollection(ctx, one); err != nil && !is(err, codeNamespaceExists) {
			return err
		}
	}
	return nil
}

func (s *server) removeDatabase(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	owner, err := s.mark(ctx, databaseID(name))
	if err != nil || owner != t.Mark() {
		return err
	}
	if !t.Retain {
		if err := s.Database(name).Drop(ctx); err != nil {
			return err
		}
	}
	return s.release(ctx, t, databaseID(name))
}

// Codes of a server's errors.
const (
	codeUserNotFound    = 11
	codeFailed          = 18
	codeNamespaceExists = 48
)

// is tells whether an error is one of the server's with a code.
func is(err error, code int32) bool {
	said, ok := errors.AsType[mongo.CommandError](err)
	return ok && said.Code == code
}
