package redis

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// plain is a reply with JSON's types, as unstructured objects hold them.
func plain(reply any) any {
	switch reply := reply.(type) {
	case nil, string, bool, int64:
		return reply
	case float64:
		if math.IsNaN(reply) || math.IsInf(reply, 0) {
			return strconv.FormatFloat(reply, 'g', -1, 64)
		}
		return reply
	case *big.Int:
		return reply.String()
	case error:
		return reply.Error()
	case []any:
		list := make([]any, 0, len(reply))
		for _, one := range reply {
			list = append(list, plain(one))
		}
		return list
	case map[any]any:
		fields := make(map[string]any, len(reply))
		for key, one := range reply {
			fields[fmt.Sprint(plain(key))] = plain(one)
		}
		return fields
	}
	return fmt.Sprint(reply)
}
