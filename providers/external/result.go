package external

import (
	"encoding/json"
	"fmt"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers"
)

// FieldsOf are the fields that a result of a protocol has besides those of all. One that an answer does not give is empty.
func FieldsOf(protocol orkv1.Protocol) []string {
	switch protocol { //nolint:exhaustive // http has none
	case orkv1.ProtocolPrometheus, orkv1.ProtocolRedis:
		return []string{"result", "raw"}
	case orkv1.ProtocolPostgres:
		return []string{"result", "rows", "rowCount"}
	case orkv1.ProtocolMongo:
		return []string{"result", "documents", "count"}
	case orkv1.ProtocolKafka:
		return []string{"result", "lag", "partitions", "partitionCount"}
	}
	return nil
}

// Empty are the fields of FieldsOf without values.
func Empty(protocol orkv1.Protocol) map[string]any {
	fields := map[string]any{}
	for _, name := range FieldsOf(protocol) {
		fields[name] = ""
	}
	if protocol == orkv1.ProtocolRedis {
		fields["raw"] = map[string]any{"value": ""}
	}
	return fields
}

// OK is the status of an answer of a protocol that has no statuses.
const OK = "ok"

// Bounds of an answer besides MaxBody: how many rows, documents or elements it may have, and how deep they may be.
const (
	MaxRows  = 1000
	maxDepth = 64
)

// TooLong is the error of an answer that is longer than is read of it.
func TooLong() error {
	return &RequestError{Problem: fmt.Sprintf("the answer is longer than %d bytes: ask for less", MaxBody)}
}

// TooMany is the error of an answer with more parts than are read.
func TooMany(parts, remedy string) error {
	return &RequestError{Problem: fmt.Sprintf("the answer has more than %d %s: %s", MaxRows, parts, remedy)}
}

// Answered is the answer that has these fields, which it takes over, and that text for its body. Both lose what must stay secret. A text is
// as it is, anything else is JSON.
func (r *Request) Answered(text any, fields map[string]any) (Answer, error) {
	hide := cleaner{r.redactor()}
	cleaned, err := hide.clean(fields, 0)
	if err != nil {
		return Answer{}, err
	}
	if text, err = hide.clean(text, 0); err != nil {
		return Answer{}, err
	}
	body, isText := text.(string)
	if !isText {
		encoded, err := json.Marshal(text)
		if err != nil {
			return Answer{}, fmt.Errorf("the answer is no JSON: %w", err)
		}
		body = string(encoded)
	}
	if len(body) > MaxBody {
		return Answer{}, TooLong()
	}
	fields, _ = cleaned.(map[string]any)
	return Answer{Status: OK, Text: strings.ToValidUTF8(body[:min(len(body), MaxText)], ""), Fields: fields}, nil
}

// cleaner takes what must stay secret out of values.
type cleaner struct{ *providers.Redactor }

// clean takes it out of all texts of a value, and of the names in it.
func (c cleaner) clean(value any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, &RequestError{Problem: fmt.Sprintf("the answer is nested deeper than %d levels", maxDepth)}
	}
	switch value := value.(type) {
	case string:
		return strings.ToValidUTF8(c.Text(value), ""), nil
	case []any:
		for i := range value {
			cleaned, err := c.clean(value[i], depth+1)
			if err != nil {
				return nil, err
			}
			value[i] = cleaned
		}
	case map[string]any:
		for key, one := range value {
			cleaned, err := c.clean(one, depth+1)
			if err != nil {
				return nil, err
			}
			if plain := c.Text(key); plain != key {
				delete(value, key)
				key = plain
			}
			value[key] = cleaned
		}
	}
	return value, nil
}
