package simulate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

func TestResultOf(t *testing.T) {
	row := map[string]any{"n": int64(3)}
	cases := map[string]struct {
		reason   string
		protocol orkv1.Protocol
		stub     any
		want     map[string]any
		err      string
	}{
		"Result": {reason: "what is no map is the result", protocol: orkv1.ProtocolRedis, stub: "on", want: map[string]any{"result": "on", "raw": map[string]any{"value": "on"}}},
		"Rows": {
			reason: "rows tell their number, and the result if there is one column", protocol: orkv1.ProtocolPostgres, stub: map[string]any{"rows": []any{row}},
			want: map[string]any{"rows": []any{row}, "rowCount": int64(1), "result": int64(3)},
		},
		"Documents": {
			reason: "documents tell their number and the first", protocol: orkv1.ProtocolMongo, stub: map[string]any{"documents": []any{row, row}},
			want: map[string]any{"documents": []any{row, row}, "count": int64(2), "result": row},
		},
		"Lag":   {reason: "a lag is the result", protocol: orkv1.ProtocolKafka, stub: map[string]any{"lag": int64(7)}, want: map[string]any{"lag": int64(7), "result": int64(7)}},
		"Error": {reason: "it may fail", protocol: orkv1.ProtocolKafka, stub: map[string]any{"error": "down"}, err: "down"},
		"Field": {
			reason: "a field that no result has", protocol: orkv1.ProtocolPostgres, stub: map[string]any{"row": []any{}},
			err: "the stub has row, which no result of the protocol postgres has (valid: result, rows, rowCount)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			answer, err := resultOf(tc.stub, &external.Request{Protocol: tc.protocol})
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tc.err {
				t.Errorf("\n%s\nresultOf(...): error %q, want %q", tc.reason, text, tc.err)
			}
			if diff := cmp.Diff(tc.want, answer.Fields); diff != "" {
				t.Errorf("\n%s\nresultOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
