package conditionstest

import (
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Case is a condition and whether it holds of the Facts.
type Case struct {
	// Name is the operator, or what the condition is about.
	Name      string
	Reason    string
	Condition orkv1.Condition
	Holds     bool
}

// Cases are all operators, short forms, statements about the time and expressions. Every place that has conditions evaluates them alike.
func Cases() []Case {
	all := operators()
	all = append(all, shortForms()...)
	all = append(all, unique()...)
	all = append(all, expressions()...)
	return append(all, times()...)
}

func text(s string) *orkv1.Template { return new(orkv1.Template(s)) }

// none is the value of an operator that has none.
const none = "\x00"

// operators are written with operator and value.
func operators() []Case {
	rows := []struct {
		reason, field, operator, value, valueType string
		holds                                     bool
	}{
		{"texts are equal", "status.phase", "equals", "Running", "", true},
		{"case counts", "status.phase", "equals", "running", "", false},
		{"a boolean by its word", "spec.enabled", "equals", "true", "", true},
		{"a whole float without a point", "spec.weight", "equals", "1000000", "", true},
		{"a missing field is the empty text", "spec.absent.x", "equals", "", "", true},
		{"a leading dot", ".status.phase", "equals", "Running", "", true},
		{"alias", "status.phase", "eq", "Running", "", true},
		{"alias", "status.phase", "ne", "Running", "", false},
		{"alias", "status.phase", "neq", "Failed", "", true},
		{"a missing field differs from a text", "spec.absent", "notEquals", "x", "", true},
		{"a missing field is the empty text", "spec.absent", "notEquals", "", "", false},
		{"a template as value", "spec.digits", "equals", "{{ .spec.digits }}", "", true},
		{"texts of numbers differ", "spec.ratio", "equals", "2.50", "", false},
		{"floats do not", "spec.ratio", "equals", "2.50", "float", true},
		{"whole numbers", "spec.replicas", "equals", " 3 ", "int", true},
		{"a missing integer is zero", "spec.absent", "equals", "0", "int", true},
		{"a missing boolean is false", "spec.absent", "equals", "false", "bool", true},
		{"words of booleans", "spec.enabled", "equals", "yes", "bool", true},
		{"what is no integer equals none", "spec.image", "equals", "0", "int", false},
		{"and so differs from each", "spec.image", "notEquals", "0", "int", true},
		{"a part", "spec.image", "contains", ":1", "", true},
		{"no part", "spec.image", "notContains", ":1", "", false},
		{"a missing field contains nothing", "spec.absent", "notContains", "a", "", true},
		{"a beginning", "spec.image", "prefix", "nginx", "", true},
		{"no beginning", "spec.image", "notPrefix", "nginx", "", false},
		{"an end", "spec.image", "suffix", ".27", "", true},
		{"no end", "spec.image", "notSuffix", ".27", "", false},
		{"anywhere", "spec.image", "regex", `1\.\d+`, "", true},
		{"anchors are written", "spec.image", "regex", `^1`, "", false},
		{"a number by its text", "spec.replicas", "regex", `^3$`, "", true},
		{"there", "spec.image", "exists", none, "", true},
		{"false is there", "spec.paused", "exists", none, "", true},
		{"zero is there", "spec.zero", "exists", none, "", true},
		{"an empty list is there", "spec.emptyList", "exists", none, "", true},
		{"an empty text is not", "spec.empty", "exists", none, "", false},
		{"null is not", "spec.null", "exists", none, "", false},
		{"what Go prints for nothing is not", "spec.none", "exists", none, "", false},
		{"below a scalar is nothing", "spec.image.tag", "exists", none, "", false},
		{"absent", "spec.absent", "notExists", none, "", true},
		{"not absent", "spec.zero", "notExists", none, "", false},
		{"strictly", "spec.replicas", "gt", "3", "", false},
		{"strictly", "spec.replicas", "gt", "2.9", "", true},
		{"as numbers, not as texts", "spec.digits", "gt", "9", "", true},
		{"all digits count", "spec.large", "gt", "9007199254740992", "", true},
		{"inclusive", "spec.replicas", "gte", "3", "", true},
		{"strictly", "spec.replicas", "lt", "3", "", false},
		{"inclusive", "spec.replicas", "lte", "3", "", true},
		{"names of short forms are operators too", "spec.replicas", "greaterThan", "2", "", true},
		{"a missing field is zero", "spec.absent", "lt", "1", "", true},
		{"an empty field is zero", "spec.empty", "gte", "0", "", true},
		{"a word is no number", "spec.image", "lt", "1", "", false},
		{"nor is it greater", "spec.image", "gte", "1", "", false},
		{"a boolean is no number", "spec.enabled", "gte", "0", "", false},
		{"a fraction is no integer", "spec.ratio", "gt", "2", "int", false},
		{"inclusive", "spec.replicas", "between", "3,5", "", true},
		{"blanks", "spec.replicas", "between", " 1 , 3 ", "", true},
		{"outside", "spec.replicas", "between", "4,5", "", false},
		{"a missing field is zero", "spec.absent", "between", "0,1", "", true},
		{"outside", "spec.replicas", "notBetween", "4,5", "", true},
		{"a word is neither inside", "spec.image", "between", "0,1", "", false},
		{"nor outside", "spec.image", "notBetween", "0,1", "", false},
		{"a range from the resource", "spec.replicas", "between", "{{ .spec.limits }}", "", true},
		{"one of", "status.phase", "in", "Pending, Running", "", true},
		{"none of", "status.phase", "notIn", "Pending,Running", "", false},
		{"a missing field is not in a list", "spec.absent", "in", "a,b", "", false},
		{"but in one with an empty element", "spec.absent", "in", ",Pending", "", true},
		{"so is an empty one", "spec.empty", "in", "a,", "", true},
		{"a value is not", "status.phase", "in", ",Pending", "", false},
		{"a list from the resource", "metadata.name", "in", "{{ split \"x shop\" \" \" }}", "", true},
		{"typed elements", "spec.replicas", "in", "1.0,3.0", "float", true},
		{"the raw type", "spec.list", "typeOf", "slice", "", true},
		{"digits are a text", "spec.digits", "typeOf", "number", "", false},
		{"missing is null", "spec.absent", "typeOf", "null", "", true},
		{"of a template that is one expression too", "{{ .spec.map }}", "typeOf", "map", "", true},
		{"a map", "spec.map", "typeMap", none, "", true},
		{"a list", "spec.list", "typeList", none, "", true},
		{"a text", "spec.empty", "typeString", none, "", true},
		{"a number", "spec.zero", "typeNumber", none, "", true},
		{"a boolean", "spec.paused", "typeBool", none, "", true},
		{"nothing", "spec.null", "typeNull", none, "", true},
		{"a text is not nothing", "spec.empty", "typeNull", none, "", false},
		{"a rendered field", "{{ .metadata.name }}-{{ .spec.replicas }}", "equals", "shop-3", "", true},
		{"white space of a block", "\n  {{ .status.phase }}{{ \"!\" }}\n", "equals", "Running!", "", true},
		{"a key with dots", `{{ index .metadata.labels "example.com/tier" }}`, "equals", "gold", "", true},
		{"a field that fails is false", "{{ toInt .metadata.name }}", "notEquals", "x", "", false},
		{"a value that fails is false", "metadata.name", "notEquals", "{{ toInt .metadata.name }}", "", false},
		{"a value that is no number is false", "spec.replicas", "gt", "{{ .metadata.name }}", "", false},
		{"a missing bound is zero", "spec.replicas", "gt", "{{ .spec.absent }}", "", true},
		{"a pattern that is none is false", "spec.image", "regex", "{{ print \"(\" }}", "", false},
	}
	all := make([]Case, 0, len(rows))
	for _, row := range rows {
		c := orkv1.Condition{Field: orkv1.Template(row.field), Operator: row.operator, ValueType: row.valueType}
		if row.value != none {
			c.Value = text(row.value)
		}
		all = append(all, Case{row.operator, row.reason, c, row.holds})
	}
	return all
}

// shortForms pair each short form with a value that holds and one that does not.
func shortForms() []Case {
	rows := []struct {
		name         string
		holds, fails orkv1.Condition
	}{
		{"bare", orkv1.Condition{Field: "spec.zero"}, orkv1.Condition{Field: "spec.absent"}},
		{"value", orkv1.Condition{Field: "spec.zero", Value: text("0")}, orkv1.Condition{Field: "spec.zero", Value: text("1")}},
		{"equals", orkv1.Condition{Field: "spec.zero", Equals: text("0")}, orkv1.Condition{Field: "spec.zero", Equals: text("1")}},
		{"equalsEmpty", orkv1.Condition{Field: "spec.absent", Equals: text("")}, orkv1.Condition{Field: "spec.zero", Equals: text("")}},
		{"notEquals", orkv1.Condition{Field: "spec.zero", NotEquals: text("1")}, orkv1.Condition{Field: "spec.zero", NotEquals: text("0")}},
		{"contains", orkv1.Condition{Field: "spec.image", Contains: text("x:")}, orkv1.Condition{Field: "spec.image", Contains: text("y")}},
		{"notContains", orkv1.Condition{Field: "spec.image", NotContains: text("y")}, orkv1.Condition{Field: "spec.image", NotContains: text("x:")}},
		{"prefix", orkv1.Condition{Field: "spec.image", Prefix: text("n")}, orkv1.Condition{Field: "spec.image", Prefix: text("y")}},
		{"notPrefix", orkv1.Condition{Field: "spec.image", NotPrefix: text("y")}, orkv1.Condition{Field: "spec.image", NotPrefix: text("n")}},
		{"suffix", orkv1.Condition{Field: "spec.image", Suffix: text("7")}, orkv1.Condition{Field: "spec.image", Suffix: text("y")}},
		{"notSuffix", orkv1.Condition{Field: "spec.image", NotSuffix: text("y")}, orkv1.Condition{Field: "spec.image", NotSuffix: text("7")}},
		{"regex", orkv1.Condition{Field: "spec.image", Regex: text("^n")}, orkv1.Condition{Field: "spec.image", Regex: text("^x")}},
		{"exists", orkv1.Condition{Field: "spec.zero", Exists: new(true)}, orkv1.Condition{Field: "spec.absent", Exists: new(true)}},
		{"notExists", orkv1.Condition{Field: "spec.absent", NotExists: new(true)}, orkv1.Condition{Field: "spec.zero", NotExists: new(true)}},
		{"existsFalse", orkv1.Condition{Field: "spec.zero", Exists: new(false), Equals: text("0")}, orkv1.Condition{Field: "spec.zero", Exists: new(false), Equals: text("1")}},
		{"greaterThan", orkv1.Condition{Field: "spec.replicas", GreaterThan: text("2")}, orkv1.Condition{Field: "spec.replicas", GreaterThan: text("3")}},
		{"lessThan", orkv1.Condition{Field: "spec.replicas", LessThan: text("4")}, orkv1.Condition{Field: "spec.replicas", LessThan: text("3")}},
		{"greaterThanOrEqual", orkv1.Condition{Field: "spec.replicas", GreaterThanOrEqual: text("3")}, orkv1.Condition{Field: "spec.replicas", GreaterThanOrEqual: text("4")}},
		{"lessThanOrEqual", orkv1.Condition{Field: "spec.replicas", LessThanOrEqual: text("3")}, orkv1.Condition{Field: "spec.replicas", LessThanOrEqual: text("2")}},
		{"min", orkv1.Condition{Field: "spec.replicas", Min: text("3")}, orkv1.Condition{Field: "spec.replicas", Min: text("4")}},
		{"max", orkv1.Condition{Field: "spec.replicas", Max: text("3")}, orkv1.Condition{Field: "spec.replicas", Max: text("2")}},
		{"between", orkv1.Condition{Field: "spec.replicas", Between: text("3,4")}, orkv1.Condition{Field: "spec.replicas", Between: text("4,5")}},
		{"notBetween", orkv1.Condition{Field: "spec.replicas", NotBetween: text("4,5")}, orkv1.Condition{Field: "spec.replicas", NotBetween: text("3,4")}},
		{"in", orkv1.Condition{Field: "spec.replicas", In: text("2,3")}, orkv1.Condition{Field: "spec.replicas", In: text("2")}},
		{"notIn", orkv1.Condition{Field: "spec.replicas", NotIn: text("2")}, orkv1.Condition{Field: "spec.replicas", NotIn: text("2,3")}},
	}
	all := make([]Case, 0, 2*len(rows))
	for _, row := range rows {
		all = append(all, Case{row.name, "it holds", row.holds, true}, Case{row.name, "it does not hold", row.fails, false})
	}
	return all
}

func unique() []Case {
	rows := []struct {
		reason, field string
		holds         bool
	}{
		{"no other resource has it", "spec.image", true},
		{"another one has it", "spec.host", false},
		{"another one has the number", "spec.replicas", false},
		{"a missing field is unique", "spec.absent", true},
		{"an empty one is", "spec.empty", true},
		{"when it can't be checked it holds", "spec.digits", true},
	}
	all := make([]Case, 0, len(rows))
	for _, row := range rows {
		all = append(all, Case{"unique", row.reason, orkv1.Condition{Field: orkv1.Template(row.field), Operator: "unique"}, row.holds})
	}
	return all
}

// times are read at Now, a Wednesday at 10:30:15.
func times() []Case {
	hour := &orkv1.Duration{Duration: time.Hour}
	window := func(after, before string) orkv1.Condition {
		return orkv1.Condition{Time: &orkv1.TimeWindow{After: after, Before: before}}
	}
	days := func(set orkv1.DayOfWeek) orkv1.Condition { return orkv1.Condition{DayOfWeek: &set} }
	cron := func(expression string, length *orkv1.Duration) orkv1.Condition {
		return orkv1.Condition{Cron: expression, Duration: length}
	}
	return []Case{
		{"time", "within", window("08:00", "18:00"), true},
		{"time", "too early", window("11:00", "18:00"), false},
		{"time", "too late", window("08:00", "10:29"), false},
		{"time", "the first minute is in it", window("10:30", "18:00"), true},
		{"time", "the last minute is in it, with all its seconds", window("08:00", "10:30"), true},
		{"time", "one minute", window("10:30", "10:30"), true},
		{"time", "another minute", window("10:31", "10:31"), false},
		{"time", "from then on", window("10:30", ""), true},
		{"time", "not yet", window("10:31", ""), false},
		{"time", "until then", window("", "10:30"), true},
		{"time", "no more", window("", "10:29"), false},
		{"time", "over midnight, and it is day", window("22:00", "06:00"), false},
		{"time", "over midnight, and the evening has begun", window("10:30", "06:00"), true},
		{"time", "over midnight, and the morning is not over", window("22:00", "10:30"), true},
		{"time", "all the day", window("10:31", "10:30"), true},
		{"time", "an hour of one digit", window("8:00", "18:00"), true},
		{"dayOfWeek", "Wednesday is a weekday", days(orkv1.DayOfWeek{Weekday: new(true)}), true},
		{"dayOfWeek", "it is none of the others", days(orkv1.DayOfWeek{Weekday: new(false)}), false},
		{"dayOfWeek", "it is not at the weekend", days(orkv1.DayOfWeek{Weekend: new(true)}), false},
		{"dayOfWeek", "the others are the weekdays", days(orkv1.DayOfWeek{Weekend: new(false)}), true},
		{"dayOfWeek", "one of them, in any case", days(orkv1.DayOfWeek{In: []string{"monday", "WEDNESDAY"}}), true},
		{"dayOfWeek", "none of them", days(orkv1.DayOfWeek{In: []string{"Monday", "Sunday"}}), false},
		{"dayOfWeek", "not excluded", days(orkv1.DayOfWeek{NotIn: []string{"Monday", "Sunday"}}), true},
		{"dayOfWeek", "excluded", days(orkv1.DayOfWeek{NotIn: []string{"Wednesday"}}), false},
		{"cron", "it fired at ten", cron("0 10 * * *", hour), true},
		{"cron", "it fired at nine, and the hour is over", cron("0 9 * * *", hour), false},
		{"cron", "its hour was over a moment ago", cron("30 9 * * *", hour), false},
		{"cron", "it fires at eleven", cron("0 11 * * *", hour), false},
		{"cron", "it fires in this minute", cron("30 10 * * *", &orkv1.Duration{Duration: 16 * time.Second}), true},
		{"cron", "a short window is over within the minute", cron("30 10 * * *", &orkv1.Duration{Duration: 15 * time.Second}), false},
		{"cron", "on Mondays, for three days", cron("0 0 * * MON", &orkv1.Duration{Duration: 72 * time.Hour}), true},
		{"cron", "windows that overlap", cron("* * * * *", hour), true},
		{"cron", "a macro", cron("@daily", &orkv1.Duration{Duration: 11 * time.Hour}), true},
		{"cron", "a macro", cron("@hourly", &orkv1.Duration{Duration: 30 * time.Minute}), false},
		{"cron", "without a length it is open until the next fire, and so always", cron("0 0 29 2 *", nil), true},
	}
}
