package reconciler

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestKeeps(t *testing.T) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	open := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	closed := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(false)}
	root := object(map[string]apiextensionsv1.JSONSchemaProps{
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{
			"phase":    text,
			"endpoint": object(map[string]apiextensionsv1.JSONSchemaProps{"host": text}),
			"anything": open,
			"nothing":  closed,
			"texts":    {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &text}},
			"deep": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{
				Schema: new(object(map[string]apiextensionsv1.JSONSchemaProps{"host": text})),
			}},
			"free":   {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}},
			"strict": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: false}},
		}),
	})
	cases := map[string]struct {
		reason string
		root   apiextensionsv1.JSONSchemaProps
		path   string
		want   bool
	}{
		"Declared":         {reason: "a declared field is kept", root: root, path: "phase", want: true},
		"Nested":           {reason: "so is one further down", root: root, path: "endpoint.host", want: true},
		"Undeclared":       {reason: "the server drops what is not declared", root: root, path: "conditions"},
		"NestedUndeclared": {reason: "at every depth", root: root, path: "endpoint.port"},
		"BelowText":        {reason: "a text has no fields", root: root, path: "phase.more"},
		"Preserved":        {reason: "where unknown fields are preserved, all are kept", root: root, path: "anything.at.all", want: true},
		"NotPreserved":     {reason: "only where they are", root: root, path: "nothing.at"},
		"Map":              {reason: "a map keeps every key", root: root, path: "texts.key", want: true},
		"MapOfObjects":     {reason: "and below it what its values declare", root: root, path: "deep.key.host", want: true},
		"MapOfObjectsNot":  {reason: "and nothing else", root: root, path: "deep.key.port"},
		"FreeMap":          {reason: "a map of anything keeps anything", root: root, path: "free.key", want: true},
		"StrictMap":        {reason: "an object without further properties keeps none", root: root, path: "strict.key"},
		"NoStatus":         {reason: "a schema without a status keeps nothing of it", root: object(nil), path: "phase"},
		"PreservedAtRoot":  {reason: "a schema that preserves everything keeps a status", root: open, path: "phase", want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			has, _ := keeps(&tc.root)
			if got := has(strings.Split(tc.path, ".")); got != tc.want {
				t.Errorf("%s\nkeeps(%s) = %t, want %t", tc.reason, tc.path, got, tc.want)
			}
		})
	}
	if has, at := keeps(nil); has != nil || at != nil {
		t.Error("without a schema nothing is known to be dropped: want nil")
	}
}
