package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// grants is the kind grant.
func (p *Provider) grants() declared.Kind {
	return declared.Kind{
		Identity: []string{"role", "database", "schema"}, Required: []string{"database"}, Optional: []string{"privileges", "privileges.*"},
		Check: checkGrant,
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.ensureGrant(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.removeGrant(ctx, t) })
		},
	}
}

// Privileges on a database, on a schema, and on the tables in it.
var (
	onDatabase = []string{"CONNECT", "CREATE", "TEMPORARY"}
	onSchema   = []string{"CREATE", "USAGE"}
	onTables   = []string{"DELETE", "INSERT", "REFERENCES", "SELECT", "TRIGGER", "TRUNCATE", "UPDATE"}
)

func checkGrant(d providers.Declaration) error {
	if err := names(d, "role", "database", "schema"); err != nil {
		return err
	}
	if value := d.Fields["role"]; slices.Contains(reserved, value) || strings.HasPrefix(value, "pg_") {
		return declared.Wrong(d, "role", "is %s, which is reserved", declared.Name(value))
	}
	_, err := wanted(d)
	return err
}

// wanted reads the privileges, in capitals.
func wanted(d providers.Declaration) ([]string, error) {
	listed, err := declared.List(d, "privileges")
	if err != nil {
		return nil, err
	}
	valid := onDatabase
	if d.Fields["schema"] != "" {
		valid = slices.Concat(onSchema, onTables)
	}
	var all []string
	for _, one := range listed {
		one = strings.ToUpper(one)
		switch {
		case one == "ALL":
			all = append(all, valid...)
		case one == "TEMP":
			all = append(all, "TEMPORARY")
		default:
			all = append(all, one)
		}
	}
	for _, one := range all {
		if !slices.Contains(valid, one) {
			return nil, declared.Wrong(d, "privileges", "has %s (valid: ALL, %s)", declared.Name(one), strings.Join(valid, ", "))
		}
	}
	if len(all) == 0 {
		return nil, declared.Wrong(d, "privileges", "is required and empty")
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// object is what privileges are on.
type object struct {
	// on is how a statement has it, and had the query for the privileges that a role has on it.
	on, had string
	valid   []string
}

// has asks for what an access list grants to a role itself, not by way of others.
const has = `FROM %s, LATERAL aclexplode(acl) a JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = $1 AND %s`

// objects are what the privileges of a grant are on.
func objects(d providers.Declaration) []object {
	schema := d.Fields["schema"]
	if schema == "" {
		return []object{{
			on: "DATABASE " + quote(d.Fields["database"]), valid: onDatabase,
			had: "SELECT a.privilege_type " + fmt.Sprintf(has, "(SELECT datname AS name, datacl AS acl FROM pg_database) o", "o.name = $2"),
		}}
	}
	return []object{
		{
			on: "SCHEMA " + quote(schema), valid: onSchema,
			had: "SELECT a.privilege_type " + fmt.Sprintf(has, "(SELECT nspname AS name, nspacl AS acl FROM pg_namespace) o", "o.name = $2"),
		},
		{on: "ALL TABLES IN SCHEMA " + quote(schema), valid: onTables},
	}
}

func (s *server) ensureGrant(ctx context.Context, t *declared.Thing) error {
	want, err := wanted(t.Declaration)
	if err != nil {
		return err
	}
	found, err := s.database(ctx, t.Fields["database"])
	if err != nil {
		return err
	}
	if found == nil {
		return fmt.Errorf("there is no database %s", declared.Name(t.Fields["database"]))
	}
	// Whoever may grant something in a database could read it.
	if owner := mark(found.comment); owner != t.Mark() {
		return &declared.OwnerError{What: "database " + declared.Name(t.Fields["database"]), Owner: owner, Never: true}
	}
	if found.owner == t.Fields["role"] && t.Fields["schema"] == "" {
		return nil // it may do anything there
	}
	return s.in(ctx, t.Fields["database"], func(connection executor) error {
		return s.grant(ctx, connection, t.Declaration, want)
	})
}

// grant brings about that a role has just the privileges that are wanted.
func (s *server) grant(ctx context.Context, connection executor, d providers.Declaration, want []string) error {
	role := d.Fields["role"]
	for _, o := range objects(d) {
		lacks, exceeds, err := s.differs(ctx, connection, d, o, want)
		if err != nil {
			return err
		}
		if len(lacks) > 0 {
			err = s.do(ctx, connection, "GRANT "+strings.Join(lacks, ", ")+" ON "+o.on+" TO "+quote(role))
		}
		if err == nil && len(exceeds) > 0 {
			err = s.do(ctx, connection, "REVOKE "+strings.Join(exceeds, ", ")+" ON "+o.on+" FROM "+quote(role))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// differs tells which privileges a role lacks on an object, and which it has without being wanted.
func (s *server) differs(ctx context.Context, connection executor, d providers.Declaration, o object, want []string) (lacks, exceeds []string, err error) {
	if o.had == "" {
		return s.tablesDiffer(ctx, connection, d, want)
	}
	name := d.Fields["schema"]
	if name == "" {
		name = d.Fields["database"]
	}
	have, err := s.texts(ctx, connection, o.had, d.Fields["role"], name)
	if err != nil {
		return nil, nil, err
	}
	for _, privilege := range o.valid {
		wants, has := slices.Contains(want, privilege), slices.Contains(have, privilege)
		if wants && !has {
			lacks = append(lacks, privilege)
		}
		if has && !wants {
			exceeds = append(exceeds, privilege)
		}
	}
	return lacks, exceeds, nil
}

// tablesDiffer tells which privileges a role lacks on some table of a schema, and which it has on some without being wanted. Its own tables do
// not count.
func (s *server) tablesDiffer(ctx context.Context, connection executor, d providers.Declaration, want []string) (lacks, exceeds []string, err error) {
	const query = `SELECT p FROM unnest($3::text[]) p WHERE EXISTS (
		SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.rolname = $1
		WHERE n.nspname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relowner <> r.oid AND $4 <> EXISTS (
			SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = r.oid AND a.privilege_type = p))`
	unwanted := slices.DeleteFunc(slices.Clone(onTables), func(one string) bool { return slices.Contains(want, one) })
	wanted := slices.DeleteFunc(slices.Clone(onTables), func(one string) bool { return !slices.Contains(want, one) })
	if lacks, err = s.texts(ctx, connection, query, d.Fields["role"], d.Fields["schema"], wanted, true); err != nil {
		return nil, nil, err
	}
	exceeds, err = s.texts(ctx, connection, query, d.Fields["role"], d.Fields["schema"], unwanted, false)
	return lacks, exceeds, err
}

func (s *server) removeGrant(ctx context.Context, t *declared.Thing) error {
	if t.Retain || names(t.Declaration, "role", "database", "schema") != nil {
		return nil
	}
	found, err := s.database(ctx, t.Fields["database"])
	if err != nil || found == nil || mark(found.comment) != t.Mark() || found.owner == t.Fields["role"] {
		return err
	}
	role, err := s.role(ctx, t.Fields["role"])
	if err != nil || role == nil {
		return err
	}
	return s.in(ctx, t.Fields["database"], func(connection executor) error {
		if schema := t.Fields["schema"]; schema != "" {
			var there bool
			found, err := s.row(ctx, connection, "SELECT true FROM pg_namespace WHERE nspname = $1", []any{schema}, []any{&there})
			if err != nil || !found {
				return err
			}
		}
		return s.grant(ctx, connection, t.Declaration, nil)
	})
}
