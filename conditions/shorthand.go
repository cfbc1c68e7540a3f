package conditions

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

// shorthand is a comparison as it is written: the key in the file, the operator it stands for, and the value if it has
// one.
type shorthand struct {
	key, operator string
	value         *orkv1.Template
}

// comparisons lists every comparison that is written on a condition.
func comparisons(c *orkv1.Condition) []shorthand {
	var written []shorthand
	for _, s := range []shorthand{
		{"equals", "equals", c.Equals},
		{"notEquals", "notEquals", c.NotEquals},
		{"prefix", "prefix", c.Prefix},
		{"notPrefix", "notPrefix", c.NotPrefix},
		{"suffix", "suffix", c.Suffix},
		{"notSuffix", "notSuffix", c.NotSuffix},
		{"contains", "contains", c.Contains},
		{"notContains", "notContains", c.NotContains},
		{"regex", "regex", c.Regex},
		{"greaterThan", "gt", c.GreaterThan},
		{"lessThan", "lt", c.LessThan},
		{"greaterThanOrEqual", "gte", c.GreaterThanOrEqual},
		{"lessThanOrEqual", "lte", c.LessThanOrEqual},
		{"min", "gte", c.Min},
		{"max", "lte", c.Max},
		{"between", "between", c.Between},
		{"notBetween", "notBetween", c.NotBetween},
		{"in", "in", c.In},
		{"notIn", "notIn", c.NotIn},
	} {
		if s.value != nil {
			written = append(written, s)
		}
	}
	if c.Exists != nil && *c.Exists {
		written = append(written, shorthand{key: "exists", operator: "exists"})
	}
	if c.NotExists != nil && *c.NotExists {
		written = append(written, shorthand{key: "notExists", operator: "notExists"})
	}
	switch {
	case c.Operator != "":
		written = append(written, shorthand{"operator", c.Operator, c.Value})
	case c.Value != nil:
		written = append(written, shorthand{"value", "equals", c.Value})
	}
	return written
}
