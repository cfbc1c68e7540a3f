package mongodb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/auth"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
)

// users is the kind user.
func (p *Provider) users() declared.Kind {
	return declared.Kind{
		Identity: []string{"name", "database"}, Required: []string{"database", "passwordSecret.name"},
		Optional: []string{"roles", "roles.*", "passwordSecret.key", "passwordSecret.namespace"},
		Check: func(d providers.Declaration) error {
			_, err := rolesOf(d)
			return errors.Join(checkUserName(d), checkDatabaseName(d, "database"), err)
		},
		Ensure: func(ctx context.Context, t *declared.Thing) error {
			return p.use(ctx, t, func(s *server) error { return s.ensureUser(ctx, t) })
		},
		Remove: func(ctx context.Context, t *declared.Thing) error {
			if checkUserName(t.Declaration) != nil || checkDatabaseName(t.Declaration, "database") != nil {
				return nil // it cannot have been made
			}
			return p.use(ctx, t, func(s *server) error { return s.removeUser(ctx, t) })
		},
	}
}

// longestUser is how long the name of a user may be, in bytes.
const longestUser = 256

func checkUserName(d providers.Declaration) error {
	name := d.Fields["name"]
	if name == "" || len(name) > longestUser || strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
		return declared.Wrong(d, "name", "is %s: a user's name has 1 to %d bytes of text", declared.Name(name), longestUser)
	}
	return nil
}

var roleName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)

// rolesOf reads the roles, which are those of the user's own database: no field gives a user another one.
func rolesOf(d providers.Declaration) ([]string, error) {
	all, err := declared.List(d, "roles")
	for _, one := range all {
		if !roleName.MatchString(one) {
			return nil, declared.Wrong(d, "roles", "has %s: write names of roles of the user's database, such as readWrite", declared.Name(one))
		}
	}
	return all, err
}

// userID is the key of a user's owner. A database's name has no slash.
func userID(t *declared.Thing) string { return "user/" + t.Fields["database"] + "/" + t.Fields["name"] }

// granted is a role as a server has it.
type granted struct {
	Role string `bson:"role"`
	DB   string `bson:"db"`
}

// user finds the roles of a user, and whether there is one.
func (s *server) user(ctx context.Context, t *declared.Thing) ([]granted, bool, error) {
	var answer struct {
		Users []struct {
			Roles []granted `bson:"roles"`
		} `bson:"users"`
	}
	command := bson.D{{Key: "usersInfo", Value: bson.D{{Key: "user", Value: t.Fields["name"]}, {Key: "db", Value: t.Fields["database"]}}}}
	err := s.Database(t.Fields["database"]).RunCommand(ctx, command).Decode(&answer)
	if err != nil || len(answer.Users) == 0 {
		return nil, false, err
	}
	return answer.Users[0].Roles, true, nil
}

func (s *server) ensureUser(ctx context.Context, t *declared.Thing) error {
	name, database := t.Fields["name"], t.Fields["database"]
	password, err := t.Password(ctx)
	if err != nil {
		return err
	}
	roles, err := rolesOf(t.Declaration)
	if err != nil {
		return err
	}
	// Whoever makes users in a database can read it.
	owner, err := s.mark(ctx, databaseID(database))
	if err != nil {
		return err
	}
	if owner != t.Mark() {
		if owner == "" {
			return &serverError{fmt.Sprintf("the database %s is nobody's: declare it before its users", declared.Name(database))}
		}
		return &declared.OwnerError{What: "database " + declared.Name(database), Owner: owner}
	}
	have, there, err := s.user(ctx, t)
	if err != nil {
		return err
	}
	if err := s.claim(ctx, t, "user", userID(t), there); err != nil {
		return err
	}
	wanted := make([]granted, 0, len(roles))
	for _, role := range roles {
		wanted = append(wanted, granted{Role: role, DB: database})
	}
	if !there {
		return s.Database(database).RunCommand(ctx, bson.D{{Key: "createUser", Value: name}, {Key: "pwd", Value: password}, {Key: "roles", Value: wanted}}).Err()
	}
	if !sameRoles(have, wanted) {
		if err := s.Database(database).RunCommand(ctx, bson.D{{Key: "updateUser", Value: name}, {Key: "roles", Value: wanted}}).Err(); err != nil {
			return err
		}
	}
	same, err := s.letsIn(ctx, t, password)
	if err != nil || same {
		return err
	}
	return s.Database(database).RunCommand(ctx, bson.D{{Key: "updateUser", Value: name}, {Key: "pwd", Value: password}}).Err()
}

func sameRoles(have, want []granted) bool {
	compare := func(a, b granted) int { return strings.Compare(a.Role+"@"+a.DB, b.Role+"@"+b.DB) }
	return slices.Equal(slices.SortedFunc(slices.Values(have), compare), slices.SortedFunc(slices.Values(want), compare))
}

// letsIn tells whether the server lets the user in with a password: it tells nobody what it keeps of one.
func (s *server) letsIn(ctx context.Context, t *declared.Thing, password string) (bool, error) {
	client, err := s.provider.client(key{uri: s.key.uri, user: t.Fields["name"], password: password}, t.Fields["database"])
	if err != nil {
		return false, err
	}
	defer s.provider.disconnect(client)
	err = client.Ping(ctx, nil)
	if err == nil {
		return true, nil
	}
	if refused(err) {
		return false, nil
	}
	return false, err
}

// refused tells whether a server has refused a login.
func refused(err error) bool {
	_, login := errors.AsType[*auth.Error](err)
	return login && (is(err, codeFailed) || strings.Contains(err.Error(), "AuthenticationFailed"))
}

func (s *server) removeUser(ctx context.Context, t *declared.Thing) error {
	owner, err := s.mark(ctx, userID(t))
	if err != nil || owner != t.Mark() {
		return err
	}
	if !t.Retain {
		err := s.Database(t.Fields["database"]).RunCommand(ctx, bson.D{{Key: "dropUser", Value: t.Fields["name"]}}).Err()
		if err != nil && !is(err, codeUserNotFound) {
			return err
		}
	}
	return s.release(ctx, t, userID(t))
}
