package simulate

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// shortest is how long a sensitive text must be to be looked for within others, in bytes: a shorter one is part of many that have nothing to do with it.
const shortest = 4

// redaction takes sensitive texts out of what is shown.
type redaction struct {
	whole  []string
	within *strings.Replacer
}

// redact takes what is sensitive in the resource out of its outcome, wherever that came to.
func (a *actor) redact() {
	hidden := rules.HiddenOf(a.document.Katalog.Spec.CRDs[a.name].Serve)
	texts := hidden.Texts(a.object.Object)
	if now := a.now(); now != nil {
		texts = append(texts, hidden.Texts(now.Object)...)
	}
	if len(texts) == 0 {
		return
	}
	slices.SortFunc(texts, func(x, y string) int { return cmp.Compare(len(y), len(x)) }) // one may be part of another
	var pairs []string
	for _, text := range texts {
		if len(text) >= shortest {
			pairs = append(pairs, text, rules.Redacted)
		}
	}
	r := redaction{whole: slices.DeleteFunc(texts, func(text string) bool { return text == "" }), within: strings.NewReplacer(pairs...)}
	o := &a.outcome
	for _, list := range [][]string{o.Warnings, o.Errors} {
		for i := range list {
			list[i] = r.text(list[i])
		}
	}
	for i := range o.Cycles {
		for j := range o.Cycles[i].Gates {
			o.Cycles[i].Gates[j].Reason = r.text(o.Cycles[i].Gates[j].Reason)
		}
		for j := range o.Cycles[i].Providers {
			o.Cycles[i].Providers[j] = r.text(o.Cycles[i].Providers[j])
		}
	}
	for _, child := range o.Children {
		if data, ok := child.Object["data"].(map[string]any); ok && child.GetKind() == "Secret" {
			r.secret(data)
		}
		r.value(child.Object)
	}
	if o.Resource != nil {
		r.value(o.Resource.Object)
	}
}

func (r *redaction) text(text string) string {
	if slices.Contains(r.whole, text) {
		return rules.Redacted
	}
	return r.within.Replace(text)
}

// value changes maps and lists in place.
func (r *redaction) value(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			v[key] = r.value(below)
		}
	case []any:
		for i, below := range v {
			v[i] = r.value(below)
		}
	case string:
		return r.text(v)
	case int64, float64:
		if slices.Contains(r.whole, template.Text(v)) {
			return rules.Redacted
		}
	}
	return value
}

// secret changes the data of a Secret, which are texts in base64.
func (r *redaction) secret(data map[string]any) {
	for key, value := range data {
		encoded, _ := value.(string)
		decoded, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil && r.text(string(decoded)) != string(decoded) {
			data[key] = rules.Redacted
		}
	}
}
