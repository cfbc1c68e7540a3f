package mongo

import (
	"encoding/binary"
	"strings"
	"testing"
)

func TestQuestionOf(t *testing.T) {
	cases := map[string]struct{ reason, query, err string }{
		"Find":     {"documents", `{"collection": "a", "filter": {"at": {"$gt": {"$date": "2026-01-01T00:00:00Z"}}}, "limit": 3}`, ""},
		"Command":  {"a command", `{"dbStats": 1}`, ""},
		"Any":      {"however it is written", `{"dbstats": 1, "database": "shop"}`, ""},
		"Empty":    {"something is asked", " ", "the query is empty"},
		"Nothing":  {"an object has something in it", "{}", "the query is empty"},
		"List":     {"it is an object", "[]", "is not JSON of an object"},
		"Write":    {"a call reads", `{"insert": "a", "documents": []}`, `"insert" is no command that a call may use`},
		"Deep":     {"wherever it stands", `{"collection": "a", "pipeline": [{"$facet": {"x": [{"$merge": "b"}]}}]}`, "the query has $merge"},
		"Code":     {"no code", `{"collection": "a", "filter": {"x": {"$code": "1"}}}`, "the query has code"},
		"Type":     {"fields have types", `{"collection": "a", "limit": "3"}`, "limit of the query is of another type"},
		"Negative": {"a limit is none below nothing", `{"collection": "a", "limit": -1}`, "limit of the query is of another type"},
		"Both":     {"a pipeline stands for the rest", `{"collection": "a", "pipeline": [], "limit": 1}`, "the query has a pipeline, which stands for filter"},
	}
	for name, tc := range cases {
		_, err := questionOf(tc.query)
		if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %s: %v, want %q", name, tc.reason, err, tc.err)
		}
	}
}

func TestScreen(t *testing.T) {
	message := func(length, opcode int) string {
		header := make([]byte, headerSize)
		binary.LittleEndian.PutUint32(header, uint32(length))
		binary.LittleEndian.PutUint32(header[opcodeAt:], uint32(opcode))
		return string(header) + strings.Repeat("x", max(0, min(length, 100)-headerSize))
	}
	for name, tc := range map[string]struct{ come, err string }{
		"Two":        {message(20, 2013) + message(16, 2013) + message(99, 2013), ""},
		"Long":       {message(2<<20, 2013), "is longer than"},
		"Negative":   {message(-1, 2013), "not one of MongoDB"},
		"Compressed": {message(50, compressed), "not one of MongoDB"},
		"Second":     {message(20, 2013) + message(3, 2013), "not one of MongoDB"},
	} {
		for _, size := range []int{1, 7, len(tc.come)} {
			s, err := &screen{}, error(nil)
			for rest := tc.come; rest != "" && err == nil; {
				n := min(size, len(rest))
				err, rest = s.look([]byte(rest[:n])), rest[n:]
			}
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s in pieces of %d: %v, want %q", name, size, err, tc.err)
			}
		}
	}
}
