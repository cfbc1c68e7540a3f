package postgres

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/orkestra-runtime/orkestra/providers/external"
)

// rows are those of an answer, and the first value of them.
type rows struct {
	list  []any
	first any
}

func (c *Caller) rows(ctx context.Context, connection *pgconn.PgConn, r *external.Request) (rows, error) {
	args := make([][]byte, 0, len(r.Args))
	for _, one := range r.Args {
		args = append(args, []byte(one))
	}
	reader := connection.ExecParams(ctx, r.Query, args, nil, nil, nil)
	found, err := c.read(reader)
	if err != nil {
		return rows{}, err
	}
	if _, err := reader.Close(); err != nil {
		return rows{}, err //nolint:wrapcheck // told does
	}
	return found, nil
}

func (c *Caller) read(reader *pgconn.ResultReader) (rows, error) {
	found, size := rows{list: []any{}, first: ""}, 0
	for reader.NextRow() {
		if len(found.list) == external.MaxRows {
			return rows{}, external.TooMany("rows", "add a LIMIT")
		}
		columns, row := reader.FieldDescriptions(), map[string]any{}
		for i, value := range reader.Values() {
			if size += len(value) + len(columns[i].Name); size > external.MaxBody {
				return rows{}, external.TooLong()
			}
			name := columns[i].Name
			if _, twice := row[name]; twice {
				return rows{}, &external.RequestError{Problem: fmt.Sprintf("two columns are called %.60q: name one of them with AS", name)}
			}
			row[name] = c.value(columns[i].DataTypeOID, value)
			if i == 0 && len(found.list) == 0 {
				found.first = row[name]
			}
		}
		found.list = append(found.list, row)
	}
	return found, nil
}

// value is what a column holds: numbers, bools, null, what JSON holds and lists as such, times as RFC 3339, and all else in the words of
// PostgreSQL.
func (c *Caller) value(oid uint32, text []byte) any {
	if text == nil {
		return nil
	}
	switch oid {
	case pgtype.JSONOID, pgtype.JSONBOID:
		var value any
		if json.Unmarshal(text, &value) == nil {
			return value
		}
	case pgtype.JSONArrayOID, pgtype.JSONBArrayOID:
	default:
		if known, ok := c.types.TypeForOID(oid); ok {
			if list, ok := known.Codec.(*pgtype.ArrayCodec); ok {
				return c.list(oid, list.ElementType.OID, text)
			}
		}
	}
	return scalar(oid, string(text))
}

// list is an array of one dimension. Any other stays a text.
func (c *Caller) list(oid, element uint32, text []byte) any {
	var texts []*string
	if err := c.types.Scan(oid, pgtype.TextFormatCode, text, &texts); err != nil {
		return string(text)
	}
	values := make([]any, 0, len(texts))
	for _, one := range texts {
		if one == nil {
			values = append(values, nil)
			continue
		}
		values = append(values, scalar(element, *one))
	}
	return values
}

// The layouts of times, as PostgreSQL writes them in the style ISO.
const (
	withZone    = "2006-01-02 15:04:05.999999999Z07"
	withoutZone = "2006-01-02 15:04:05.999999999"
)

func scalar(oid uint32, text string) any {
	switch oid {
	case pgtype.BoolOID:
		return text == "t"
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case pgtype.Float4OID, pgtype.Float8OID:
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n
		}
	case pgtype.NumericOID:
		return numeric(text)
	case pgtype.TimestamptzOID:
		if at, err := time.Parse(withZone, text); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	case pgtype.TimestampOID:
		if at, err := time.Parse(withoutZone, text); err == nil {
			return at.Format(time.RFC3339Nano)
		}
	}
	return text
}

// exact is how many digits a float64 holds.
const exact = 15

// numeric is a number, unless it has more digits than one holds.
func numeric(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "-"), ".")
	if len(strings.TrimLeft(whole, "0"))+len(strings.TrimRight(fraction, "0")) > exact {
		return text
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return text
	}
	return n
}
