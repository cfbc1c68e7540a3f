package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// databases is the kind database.
func (p *Provider) databases() declared.Kind {
	return declared.Kind{
		Identity: []string{"name"}, Optional: []string{"owner", "connectionLimit"},
		Check: checkDatabase,
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.ensureDatabase(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.removeDatabase(ctx, t) })
		},
	}
}

// unlimited is the limit of connections where there is none.
const unlimited = -1

// mostLimit is the highest limit that the server takes.
const mostLimit = 1<<31 - 1

// system are the databases that a server has by itself.
var system = []string{"postgres", "template0", "template1"}

func checkDatabase(d providers.Declaration) error {
	if err := names(d, "name", "owner"); err != nil {
		return err
	}
	if slices.Contains(system, d.Fields["name"]) {
		return declared.Wrong(d, "name", "is %s, which is the server's own", declared.Name(d.Fields["name"]))
	}
	_, err := declared.Int(d, "connectionLimit", unlimited, mostLimit)
	return err
}

// database is one as the server has it.
type database struct {
	owner, comment string
	limit          int
}

func (s *server) database(ctx context.Context, name string) (*database, error) {
	d := &database{}
	found, err := s.row(ctx, s.pool, `SELECT r.rolname, coalesce(shobj_description(d.oid, 'pg_database'), ''), d.datconnlimit
		FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE d.datname = $1`, []any{name}, []any{&d.owner, &d.comment, &d.limit})
	if !found {
		return nil, err
	}
	return d, nil
}

func (s *server) ensureDatabase(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	found, err := s.database(ctx, name)
	if err != nil {
		return err
	}
	if found == nil {
		if err := s.createDatabase(ctx, name, comment+t.Mark()); err != nil {
			return err
		}
		if found, err = s.database(ctx, name); err != nil {
			return err
		}
		if found == nil {
			return fmt.Errorf("the database is gone again")
		}
	}
	claim, err := t.Claim("database", mark(found.comment))
	if err != nil {
		return err
	}
	if claim {
		if err := s.do(ctx, s.pool, "COMMENT ON DATABASE "+quote(name)+" IS "+literal(comment+t.Mark())); err != nil {
			return err
		}
	}
	if owner := t.Fields["owner"]; owner != "" && owner != found.owner {
		if err := s.do(ctx, s.pool, "ALTER DATABASE "+quote(name)+" OWNER TO "+quote(owner)); err != nil {
			return err
		}
	}
	limit, _ := declared.Int(t.Declaration, "connectionLimit", unlimited, mostLimit) // it was checked
	if limit != nil && *limit != found.limit {
		return s.do(ctx, s.pool, "ALTER DATABASE "+quote(name)+" CONNECTION LIMIT "+strconv.Itoa(*limit))
	}
	return nil
}

// createDatabase makes a database with its comment: under another name at first, for there is no way to do both at once, and one without a
// comment would be nobody's.
func (s *server) createDatabase(ctx context.Context, name, said string) error {
	sum := sha256.Sum256([]byte(name + "\x00" + said))
	const length = 16
	draft := "orkestra-new-" + hex.EncodeToString(sum[:length])
	err := s.doLong(ctx, s.pool, "CREATE DATABASE "+quote(draft))
	if err != nil && !is(err, codeDuplicateDatabase) { // one that was left by a try that failed will do
		return err
	}
	if err := s.do(ctx, s.pool, "COMMENT ON DATABASE "+quote(draft)+" IS "+literal(said)); err != nil {
		return err
	}
	return s.do(ctx, s.pool, "ALTER DATABASE "+quote(draft)+" RENAME TO "+quote(name))
}

func (s *server) removeDatabase(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	if checkDatabase(providers.Declaration{Fields: map[string]string{"name": name}}) != nil {
		return nil // it cannot have been made
	}
	found, err := s.database(ctx, name)
	if err != nil || found == nil || mark(found.comment) != t.Mark() {
		return err
	}
	if t.Retain {
		return s.do(ctx, s.pool, "COMMENT ON DATABASE "+quote(name)+" IS NULL")
	}
	return s.doLong(ctx, s.pool, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
}
