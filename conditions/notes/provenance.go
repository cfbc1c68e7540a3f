package notes

import (
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// provenanceFamily reads the annotations by which the gateway says through which target, and from whom, a resource came.
func provenanceFamily() []Function {
	get := func(name, doc, result, key string) Function {
		return Function{
			Name: name, Signature: "[obj]", Result: "text", Most: 1, Doc: doc, Examples: []Example{{"{{ " + name + " . }}", result}},
			Code: func(e Evaluation, obj ...any) string { return provenance(e, obj, key) },
		}
	}
	has := func(name, doc, result string, keys ...string) Function {
		return Function{
			Name: name, Signature: "[obj]", Result: "bool", Most: 1, Doc: doc, Examples: []Example{{"{{ " + name + " }}", result}},
			Code: func(e Evaluation, obj ...any) bool {
				for _, key := range keys {
					if provenance(e, obj, key) != "" {
						return true
					}
				}
				return false
			},
		}
	}
	const target, alias = orkv1.AnnotationServeTarget, orkv1.AnnotationServeAlias
	const source, identity = orkv1.AnnotationServeSource, orkv1.AnnotationServeIdentity
	direct := has("isDirectApply", "whether it came past the gateway: it has none of these annotations", "false", target, alias, source, identity)
	some := direct.Code.(func(Evaluation, ...any) bool)
	direct.Code = func(e Evaluation, obj ...any) bool { return !some(e, obj...) }
	return []Function{
		get("getServeTarget", "the target through which the resource came; `\"\"` past the gateway", "website", target),
		get("getServeAlias", "the alias of the target", "preview", alias),
		get("getServeSource", "what delivered it: the name of a token or an intake", "portal", source),
		get("getServeIdentity", "the verified identity of the caller", "user-42", identity),
		has("hasServeTarget", "whether it came through a target", "true", target),
		has("hasServeAlias", "whether it came through an alias", "true", alias),
		has("hasServeSource", "whether what delivered it is known", "true", source),
		direct,
	}
}

// provenance reads the annotation from the object, by default from the resource, in either domain.
func provenance(e Evaluation, obj []any, key string) string {
	annotations := fieldOf(e.Root("metadata"), "annotations")
	if len(obj) > 0 {
		annotations = fieldOf(obj[0], "metadata", "annotations")
	}
	return firstText(textAt(annotations, key), textAt(annotations, orkv1.LegacyDomain+strings.TrimPrefix(key, orkv1.Domain)))
}
