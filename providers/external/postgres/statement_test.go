package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

func TestFirstWord(t *testing.T) {
	for statement, want := range map[string]string{
		"select 1":                           "SELECT",
		" ( (values (1)))":                   "VALUES",
		"-- a\n/* b /* c */ d */ Delete":     "DELETE",
		"/* SELECT */ COPY a TO PROGRAM 'b'": "COPY",
		"/* open":                            "",
		"":                                   "",
		"1":                                  "1",
		"SELECT/**/1":                        "SELECT",
	} {
		if got := firstWord(statement); got != want {
			t.Errorf("firstWord(%q) = %q, want %q", statement, got, want)
		}
	}
}

func TestScalar(t *testing.T) {
	for name, tc := range map[string]struct {
		oid  uint32
		text string
		want any
	}{
		"Int":      {pgtype.Int4OID, "-3", int64(-3)},
		"Bool":     {pgtype.BoolOID, "t", true},
		"Float":    {pgtype.Float8OID, "0.1", 0.1},
		"NaN":      {pgtype.Float8OID, "NaN", "NaN"},
		"Whole":    {pgtype.NumericOID, "12", int64(12)},
		"Numeric":  {pgtype.NumericOID, "12.500000000000000000", 12.5},
		"Exact":    {pgtype.NumericOID, "1234567890123456.789", "1234567890123456.789"},
		"Time":     {pgtype.TimestamptzOID, "2026-01-02 03:04:05.5+01", "2026-01-02T02:04:05.5Z"},
		"Local":    {pgtype.TimestampOID, "2026-01-02 03:04:05", "2026-01-02T03:04:05Z"},
		"Infinity": {pgtype.TimestamptzOID, "infinity", "infinity"},
		"Other":    {pgtype.UUIDOID, "a", "a"},
	} {
		if diff := cmp.Diff(tc.want, scalar(tc.oid, tc.text)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// What a URL of a resource says reaches no file and no credential of the operator.
func TestConfigOf(t *testing.T) {
	t.Setenv("PGPASSWORD", "the operator's own")
	t.Setenv("PGUSER", "operator")
	t.Setenv("PGAPPNAME", "other")
	config, err := configOf(&external.Request{URL: "postgresql://u:p%40ss@db.example.com/shop?sslmode=require&search_path=a"})
	if err != nil {
		t.Fatal(err)
	}
	c := config.ConnConfig
	got := []any{c.Host, c.Port, c.User, c.Password, c.Database, c.TLSConfig != nil, c.RuntimeParams["application_name"], c.RuntimeParams["search_path"]}
	if diff := cmp.Diff([]any{"db.example.com", uint16(5432), "u", "p@ss", "shop", true, "orkestra", "a"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if config, err = configOf(&external.Request{URL: "postgres://u@db.example.com"}); err != nil || config.ConnConfig.Password != "" || config.ConnConfig.Database != "u" {
		t.Errorf("without a password: %+v, %v", config.ConnConfig.Config, err)
	}
	for url, want := range map[string]string{
		"postgres://u@h/d?sslrootcert=/etc/passwd": `the url has the parameter "sslrootcert", which cannot be set`,
		"postgres://u@h/d?host=/var/run":           `the url has the parameter "host", which cannot be set`,
		"postgres://u@h/d?sslmode=maybe":           "the url is not valid: want postgres://user@host:port/database?sslmode=require",
		"postgres://h/d":                           "the url names no user, as in postgres://user@host/database",
		"postgres://u@h,h2/d":                      "the url names more than one host",
		"postgres://u:s3cret@h:port/d":             "the url is not valid",
		"mysql://u@h/d":                            `the url begins with "mysql", want postgres:// or postgresql://`,
	} {
		_, err := configOf(&external.Request{URL: url})
		if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}
