package notes

// accessFamily keeps a 0 and a false, which default would replace.
func accessFamily() []Function {
	return []Function{
		{
			Name: "getOr", Signature: "value fallback", Result: "any", Doc: "the value, or the fallback when it is missing or an empty text; 0 and false stay",
			Code: func(value, fallback any) any {
				if missing(value) {
					return fallback
				}
				return value
			},
			Examples: []Example{{"{{ getOr .spec.none 5 }}", "5"}, {"{{ getOr .spec.suspend true }}", "false"}},
		},
		{
			Name: "getStringOr", Signature: "value fallback", Result: "text", Doc: "the value as text, or the fallback when it is missing or a list or map",
			Code: func(value, fallback any) string {
				if missing(value) || isComposite(value) {
					return Text(fallback)
				}
				return Text(value)
			},
			Examples: []Example{{`{{ getStringOr .spec.none "silver" }}`, "silver"}},
		},
		{
			Name: "getIntOr", Signature: "value fallback", Result: "number", Code: getIntOr, Doc: "the value as a whole number, or the fallback when it is missing or no number",
			Examples: []Example{{"{{ getIntOr .spec.tier 1 }}", "1"}},
		},
		{
			Name: "getBoolOr", Signature: "value fallback", Result: "bool", Code: getBoolOr, Doc: "the value as a boolean, or the fallback when it is missing or none",
			Examples: []Example{{"{{ getBoolOr .spec.tier true }}", "true"}},
		},
	}
}

func missing(value any) bool { return value == nil || value == "" || value == NoValue }

func getIntOr(value, fallback any) (int64, error) {
	if n, ok := NumberOf(value); ok && !missing(value) {
		if whole, fits := n.truncated(); fits {
			return whole, nil
		}
	}
	n, err := number("getIntOr", fallback)
	if err != nil {
		return 0, err
	}
	whole, _ := n.truncated()
	return whole, nil
}

func getBoolOr(value, fallback any) bool {
	if b, ok := BoolOf(value); ok && !missing(value) {
		return b
	}
	b, _ := BoolOf(fallback)
	return b
}
