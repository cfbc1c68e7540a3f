package simulate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// resultOf reads the stub of a protocol that has no statuses: error, called, body, and the fields of the result. What is no map is the
// result. Of a field that only counts or repeats another one, nothing need be said.
func resultOf(stub any, r *external.Request) (external.Answer, error) {
	given, ok := stub.(map[string]any)
	if !ok {
		given = map[string]any{"result": stub}
	}
	if called, ok := given["called"]; ok && notes.Text(called) == "false" {
		return external.Answer{}, call.ErrNotMade
	}
	if failure := notes.Text(given["error"]); failure != "" {
		return external.Answer{}, errors.New(failure)
	}
	fields := maps.Clone(given)
	for _, name := range []string{"status", "body", "error", "called"} {
		delete(fields, name)
	}
	known := external.FieldsOf(r.Protocol)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return external.Answer{}, fmt.Errorf("the stub has %s, which no result of the protocol %s has (valid: %s)", name, r.Protocol, strings.Join(known, ", "))
		}
	}
	deduced(r.Protocol, fields)
	text := fields["result"]
	if body, ok := given["body"]; ok {
		text = body
	}
	return r.Answered(text, fields)
}

// deduced adds the fields that follow from others.
func deduced(protocol orkv1.Protocol, fields map[string]any) {
	add := func(name string, value any) {
		if _, given := fields[name]; !given {
			fields[name] = value
		}
	}
	list := func(of, count string) {
		values, ok := fields[of].([]any)
		if !ok {
			return
		}
		add(count, int64(len(values)))
		if len(values) > 0 && protocol == orkv1.ProtocolMongo {
			add("result", values[0])
		}
		if row, ok := first(values).(map[string]any); ok && len(row) == 1 && protocol == orkv1.ProtocolPostgres {
			for _, value := range row {
				add("result", value)
			}
		}
	}
	switch protocol {
	case orkv1.ProtocolRedis:
		if result, ok := fields["result"]; ok {
			add("raw", map[string]any{"value": result})
		}
	case orkv1.ProtocolPostgres:
		list("rows", "rowCount")
	case orkv1.ProtocolMongo:
		list("documents", "count")
	case orkv1.ProtocolKafka:
		list("partitions", "partitionCount")
		if lag, ok := fields["lag"]; ok {
			add("result", lag)
		}
		if count, ok := fields["partitionCount"]; ok {
			add("result", count)
		}
	default:
	}
}

func first(values []any) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}
