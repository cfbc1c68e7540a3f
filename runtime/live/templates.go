package live

import (
	"encoding/json"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// counted tells how many children of which key a block declares.
func counted(block *orkv1.Block) map[string]int {
	counts := map[string]int{}
	children := *block
	children.Conditions = orkv1.Conditions{}
	text, err := json.Marshal(children)
	if err != nil {
		return counts
	}
	var lists map[string]json.RawMessage
	if json.Unmarshal(text, &lists) != nil {
		return counts
	}
	for key, list := range lists {
		var declared []json.RawMessage
		if json.Unmarshal(list, &declared) == nil && len(declared) > 0 {
			counts[key] = len(declared)
		}
	}
	return counts
}
