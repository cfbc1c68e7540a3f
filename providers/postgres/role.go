package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// roles is the kind role.
func (p *Provider) roles() declared.Kind {
	return declared.Kind{
		Identity: []string{"name"},
		Optional: []string{"login", "createDatabase", "connectionLimit", "passwordSecret.name", "passwordSecret.key", "passwordSecret.namespace"},
		Check:    checkRole,
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.ensureRole(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.removeRole(ctx, t) })
		},
	}
}

// reserved are names that mean something else where a role is named.
var reserved = []string{"public", "none", "current_user", "session_user", "current_role"}

func checkRole(d providers.Declaration) error {
	if err := names(d, "name"); err != nil {
		return err
	}
	if value := d.Fields["name"]; strings.HasPrefix(value, "pg_") || slices.Contains(reserved, value) {
		return declared.Wrong(d, "name", "is %s, which is reserved", declared.Name(value))
	}
	_, err := attributesOf(d)
	return err
}

// attributes are what may be declared of a role.
type attributes struct {
	login, createDatabase bool
	limit                 int
}

func attributesOf(d providers.Declaration) (attributes, error) {
	login, err1 := declared.BoolOr(d, "login", true)
	create, err2 := declared.Bool(d, "createDatabase")
	limit, err3 := declared.Int(d, "connectionLimit", unlimited, mostLimit)
	a := attributes{login: login, createDatabase: create, limit: unlimited}
	if limit != nil {
		a.limit = *limit
	}
	return a, errors.Join(err1, err2, err3)
}

// clause is the attributes in a statement.
func (a attributes) clause() string {
	yes := func(is bool, word string) string {
		if is {
			return word
		}
		return "NO" + word
	}
	return " WITH " + yes(a.login, "LOGIN") + " " + yes(a.createDatabase, "CREATEDB") + " CONNECTION LIMIT " + strconv.Itoa(a.limit)
}

// role is one as the server has it.
type role struct {
	attributes
	super   bool
	comment string
}

func (s *server) role(ctx context.Context, name string) (*role, error) {
	r := &role{}
	found, err := s.row(ctx, s.pool, `SELECT rolcanlogin, rolcreatedb, rolconnlimit, rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls OR
		rolname = current_user, coalesce(shobj_description(oid, 'pg_authid'), '') FROM pg_roles WHERE rolname = $1`,
		[]any{name}, []any{&r.login, &r.createDatabase, &r.limit, &r.super, &r.comment})
	if !found {
		return nil, err
	}
	return r, nil
}

func (s *server) ensureRole(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	want, err := attributesOf(t.Declaration)
	if err != nil {
		return err
	}
	password, err := t.Password(ctx)
	if err != nil {
		return err
	}
	if err := storable(password); err != nil {
		return err
	}
	found, err := s.role(ctx, name)
	if err != nil {
		return err
	}
	if found == nil {
		return s.createRole(ctx, t, want, password)
	}
	claim, err := t.Claim("role", mark(found.comment))
	if claim && found.super {
		err = &declared.OwnerError{What: "role, which may more than one that is declared,", Never: true}
	}
	if err != nil {
		return err
	}
	if claim {
		if err := s.do(ctx, s.pool, "COMMENT ON ROLE "+quote(name)+" IS "+literal(comment+t.Mark())); err != nil {
			return err
		}
	}
	if want != found.attributes {
		if err := s.do(ctx, s.pool, "ALTER ROLE "+quote(name)+want.clause()); err != nil {
			return err
		}
	}
	return s.ensurePassword(ctx, name, password, want.login)
}

func (s *server) createRole(ctx context.Context, t *declared.Thing, want attributes, password string) error {
	name := quote(t.Fields["name"])
	return s.transaction(ctx, func(tx executor) error {
		err := s.do(ctx, tx, "CREATE ROLE "+name+want.clause()+passwordClause(password))
		if err != nil {
			return err
		}
		return s.do(ctx, tx, "COMMENT ON ROLE "+name+" IS "+literal(comment+t.Mark()))
	})
}

func passwordClause(password string) string {
	if password == "" {
		return ""
	}
	return " PASSWORD " + literal(newVerifier(password).String())
}

// ensurePassword sets the password anew when the role has another one. Without a password, that of the role stays as it is.
func (s *server) ensurePassword(ctx context.Context, name, password string, login bool) error {
	if password == "" {
		return nil
	}
	same, err := s.hasPassword(ctx, name, password, login)
	if err != nil || same {
		return err
	}
	return s.do(ctx, s.pool, "ALTER ROLE "+quote(name)+passwordClause(password))
}

// hasPassword compares with what the server keeps of the password, or, where the administrator must not see that, logs in with it.
func (s *server) hasPassword(ctx context.Context, name, password string, login bool) (bool, error) {
	var kept string
	_, err := s.row(ctx, s.pool, "SELECT coalesce(rolpassword, '') FROM pg_authid WHERE rolname = $1", []any{name}, []any{&kept})
	switch {
	case err == nil:
		return verifies(kept, password), nil
	case !is(err, codeNoPrivilege):
		return false, err
	case !login:
		return true, nil // nobody can tell
	}
	return s.letsIn(ctx, name, password)
}

func (s *server) letsIn(ctx context.Context, name, password string) (bool, error) {
	as := *s
	as.bound = func(config *pgx.ConnConfig) {
		s.bound(config)
		config.User, config.Password = name, password
	}
	err := as.in(ctx, s.pool.Config().ConnConfig.Database, func(executor) error { return nil })
	switch {
	case is(err, codeWrongPassword):
		return false, nil
	case err == nil:
		return true, nil
	}
	if _, refused := errors.AsType[*serverError](err); refused {
		return true, nil // the password was right, or nobody looked at it: it is something else that keeps the role out
	}
	return false, err
}

func (s *server) removeRole(ctx context.Context, t *declared.Thing) error {
	name := t.Fields["name"]
	if checkRole(providers.Declaration{Fields: map[string]string{"name": name}}) != nil {
		return nil // it cannot have been made
	}
	found, err := s.role(ctx, name)
	if err != nil || found == nil || mark(found.comment) != t.Mark() {
		return err
	}
	if t.Retain {
		return s.do(ctx, s.pool, "COMMENT ON ROLE "+quote(name)+" IS NULL")
	}
	if err := s.expel(ctx, name); err != nil {
		return err
	}
	if err := s.dropOwned(ctx, name); err != nil {
		return err
	}
	return s.do(ctx, s.pool, "DROP ROLE IF EXISTS "+quote(name))
}

// expel keeps a role from logging in and ends its sessions.
func (s *server) expel(ctx context.Context, name string) error {
	if err := s.do(ctx, s.pool, "ALTER ROLE "+quote(name)+" NOLOGIN"); err != nil {
		return err
	}
	var ended int
	_, err := s.row(ctx, s.pool, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = $1", []any{name}, []any{&ended})
	return err
}

// dropOwned takes from a role all that it may do, in every database. What it has made is kept: it goes to the administrator.
func (s *server) dropOwned(ctx context.Context, name string) error {
	used, err := s.texts(ctx, s.pool, `SELECT DISTINCT coalesce(d.datname, current_database())::text FROM pg_shdepend p LEFT JOIN pg_database d ON d.oid = p.dbid
		WHERE p.refclassid = 'pg_authid'::regclass AND p.refobjid = (SELECT oid FROM pg_roles WHERE rolname = $1)`, name)
	if err != nil {
		return err
	}
	for _, database := range used {
		err := s.in(ctx, database, func(connection executor) error {
			if err := s.do(ctx, connection, "REASSIGN OWNED BY "+quote(name)+" TO CURRENT_USER"); err != nil {
				return err
			}
			return s.do(ctx, connection, "DROP OWNED BY "+quote(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
