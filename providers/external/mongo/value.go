package mongo

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// plainDocument is a document with JSON's types, as unstructured objects hold them.
func plainDocument(raw bson.Raw) (map[string]any, error) {
	var document bson.D
	if err := bson.Unmarshal(raw, &document); err != nil {
		return nil, fmt.Errorf("the answer holds a document that is none: %w", err)
	}
	fields, _ := plain(document).(map[string]any)
	return fields, nil
}

// plain has numbers, texts, bools, null, lists and documents as such, times as RFC 3339, and identifiers and decimals as texts.
func plain(value any) any {
	switch value := value.(type) {
	case nil, string, bool, int64:
		return value
	case int32:
		return int64(value)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return strconv.FormatFloat(value, 'g', -1, 64)
		}
		return value
	case bson.D:
		fields := make(map[string]any, len(value))
		for _, e := range value {
			fields[e.Key] = plain(e.Value)
		}
		return fields
	case bson.A:
		list := make([]any, 0, len(value))
		for _, one := range value {
			list = append(list, plain(one))
		}
		return list
	case bson.ObjectID:
		return value.Hex()
	case bson.DateTime:
		return value.Time().UTC().Format(time.RFC3339Nano)
	case bson.Timestamp:
		return time.Unix(int64(value.T), 0).UTC().Format(time.RFC3339Nano)
	case bson.Decimal128:
		return value.String()
	case bson.Binary:
		return base64.StdEncoding.EncodeToString(value.Data)
	case bson.Symbol:
		return string(value)
	case bson.Null, bson.Undefined:
		return nil
	}
	return fmt.Sprint(value)
}
