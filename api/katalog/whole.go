package katalog

import (
	"reflect"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// whole decodes a list or map of texts that one expression gives.
func (d *decoder) whole(n *node, v reflect.Value, path string) {
	want := "list"
	if v.Type() == typeTextMap {
		want = "map"
	}
	if !strings.Contains(n.text, "{{") {
		d.wrongType(n, path, "a "+want)
		return
	}
	if body, err := parseExpressions(n.text); err == nil && single(body) == nil {
		d.errorf(n.pos, path, "want a %s, or one single expression that gives one", want)
		return
	} // what does not parse is told where it is compiled
	if want == "list" {
		v.Set(reflect.ValueOf(orkv1.WholeTemplates(n.text)))
	} else {
		v.Set(reflect.ValueOf(orkv1.WholeTemplateMap(n.text)))
	}
}
