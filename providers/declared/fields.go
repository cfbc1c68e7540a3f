package declared

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/orkestra-runtime/orkestra/providers"
)

// Wrong is a mistake in a field, which no further try makes better.
func Wrong(d providers.Declaration, field, format string, args ...any) error {
	return &providers.FieldError{Kind: d.Kind, Field: field, Err: fmt.Errorf(format, args...)}
}

// Name quotes a name for an error, which must not be flooded by it.
func Name(name string) string {
	const most = 80
	if len(name) > most {
		return fmt.Sprintf("%q… (%d bytes)", name[:most], len(name))
	}
	return strconv.Quote(name)
}

// Bool reads a field that is true or false, or absent, which is false.
func Bool(d providers.Declaration, field string) (bool, error) {
	return BoolOr(d, field, false)
}

// BoolOr reads a field that is true or false, or absent, which is the default.
func BoolOr(d providers.Declaration, field string, byDefault bool) (bool, error) {
	switch value := d.Field(field, strconv.FormatBool(byDefault)); value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return false, Wrong(d, field, "is %s: write true or false", Name(value))
	}
}

// Int reads a field that is a number in a range. An absent one is nil.
func Int(d providers.Declaration, field string, least, most int) (*int, error) {
	value := d.Fields[field]
	if value == "" {
		return nil, nil //nolint:nilnil // see above
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return nil, Wrong(d, field, "is %s: write a whole number from %d to %d", Name(value), least, most)
	}
	return &n, nil
}

// List reads a field that is a list: one text with commas between, a list in JSON, or field.0, field.1 and so on. It is sorted, and has
// nothing twice.
func List(d providers.Declaration, field string) ([]string, error) {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(d.Fields)) {
		if strings.HasPrefix(key, field+".") {
			all = append(all, d.Fields[key])
		}
	}
	if value := strings.TrimSpace(d.Fields[field]); strings.HasPrefix(value, "[") {
		var listed []string
		if err := json.Unmarshal([]byte(value), &listed); err != nil {
			return nil, Wrong(d, field, "is no list of texts: %s", Name(value))
		}
		all = append(all, listed...)
	} else if value != "" {
		all = append(all, strings.Split(value, ",")...)
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(one string) bool { return one == "" }), nil
}

// Below are the fields below a path, by the rest of their paths.
func Below(d providers.Declaration, path string) map[string]string {
	below := map[string]string{}
	for key, value := range d.Fields {
		if rest, ok := strings.CutPrefix(key, path+"."); ok {
			below[rest] = value
		}
	}
	return below
}

// retain reads the field deletionPolicy.
func retain(d providers.Declaration) (bool, error) {
	switch value := d.Field("deletionPolicy", "Delete"); value {
	case "Delete":
		return false, nil
	case "Retain":
		return true, nil
	default:
		return false, Wrong(d, "deletionPolicy", "is %s: write Delete or Retain", Name(value))
	}
}
