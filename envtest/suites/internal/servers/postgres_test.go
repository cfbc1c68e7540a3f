package servers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	p := servers.StartPostgres(t)
	do := func(text string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		connection, err := pgx.Connect(ctx, p.URL(p.User, p.Password, "postgres"))
		if err != nil {
			return err
		}
		defer func() { _ = connection.Close(ctx) }()
		_, err = connection.Exec(ctx, text)
		return err
	}
	if err := do("CREATE TABLE kept (id int)"); err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if err := do("SELECT 1"); err == nil {
		t.Fatal("a stopped server answers")
	}
	p.Start()
	if err := do("SELECT * FROM kept"); err != nil {
		t.Errorf("a server that was started again has what it had: %v", err)
	}
	_, err := pgx.Connect(t.Context(), p.URL(p.User, "wrong", "postgres"))
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "28P01" {
		t.Errorf("a wrong password is refused, got %v", err)
	}
}
