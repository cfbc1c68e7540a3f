package notes

import "slices"

func warningsFamily() []Function {
	describe := func(name, result, doc, gives string, code any) Function {
		return Function{
			Name: name, Signature: "obj", Result: result, Needs: "events", Doc: doc, Code: code,
			Examples: []Example{{"{{ " + name + " .children.deployment }}", gives}},
		}
	}
	warnings := func(obj any) []any { return listAt(obj, keyWarnings) }
	return []Function{
		describe("hasWarnings", "bool", "whether there are warning events of the object", "true", func(obj any) bool { return len(warnings(obj)) > 0 }),
		describe("warningCount", "number", "the number of warning events", "2", func(obj any) int64 { return int64(len(warnings(obj))) }),
		describe("warningMessages", "list", "their messages, newest first", `["Back-off restarting failed container","Pod was evicted"]`, func(obj any) []any {
			events := warnings(obj)
			messages := make([]any, len(events))
			for i, event := range events {
				messages[i] = warningMessage(event)
			}
			return messages
		}),
		describe("warningReasons", "list", "their reasons, each once", `["BackOff","Evicted"]`, func(obj any) []any {
			var reasons []string
			for _, event := range warnings(obj) {
				if reason := textAt(event, "reason"); reason != "" && !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
			}
			return anys(reasons)
		}),
		describe("firstWarning", "text", "the newest of their messages", "Back-off restarting failed container",
			func(obj any) string { return warningMessage(first(warnings(obj))) }),
	}
}

// warningMessage reads an Event of either API group.
func warningMessage(event any) string {
	return firstText(textAt(event, "note"), textAt(event, "message"))
}
