package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// databases is the kind database.
func (p *Provider) databases() declared.Kind {
	return declared.Kind{
		Identity: []string{"name"}, Optional: []string{"owner", "connectionLimit"},
		Named: nameDatabase, Check: checkDatabase,
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

func nameDatabase(d providers.Declaration) error {
	if slices.Contains(system, d.Fields["name"]) {
		return declared.Wrong(d, "name", "is %s, which is the server's own", declared.Name(d.Fields["name"]))
	}
	return name(d, "name")
}

func checkDatabase(d providers.Declaration) error {
	_, err := declared.Int(d, "connectionLimit", unlimited, mostLimit)
	return errors.Join(name(d, "owner"), err)
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
			return errors.New("the database is gone again")
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
	draft := draftOf(name, said)
	err := s.doLong(ctx, s.pool, "CREATE DATABASE "+quote(draft))
	if err != nil && !is(err, codeDuplicateDatabase) { // one that was left by a try that failed will do
		return err
	}
	if err := s.do(ctx, s.pool, "COMMENT ON DATABASE "+quote(draft)+" IS "+literal(said)); err != nil {
		return err
	}
	if err := s.do(ctx, s.pool, "ALTER DATABASE "+quote(draft)+" RENAME TO "+quote(name)); err != nil { // somebody else has the name by now, perhaps
		return errors.Join(err, s.dropDraft(ctx, name, said))
	}
	return nil
}

// draftOf is the name under which a database is made that is to have a name and a comment. No other owner's has it.
func draftOf(name, said string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + said))
	const length = 16
	return "orkestra-new-" + hex.EncodeToString(sum[:length])
}

// dropDraft takes away what a try that failed has left, if there is anything.
func (s *server) dropDraft(ctx context.Context, name, said string) error {
	return s.doLong(ctx, s.pool, "DROP DATABASE IF EXISTS "+quote(draftOf(name, said))+" WITH (FORCE)")
}

func (s *server) removeDatabase(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	if err := s.dropDraft(ctx, name, comment+t.Mark()); err != nil {
		return err
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
