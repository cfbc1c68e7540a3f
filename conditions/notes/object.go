package notes

import (
	"fmt"
	"strings"
)

// objectFamily reads objects of Kubernetes: children, objects of other CRDs, and the resource itself, which is the dot.
func objectFamily() []Function {
	part := func(name, doc, example, result string, path ...string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "map", Doc: doc, Examples: []Example{{example, result}},
			Code: func(obj any) any {
				if value := fieldOf(obj, path...); TypeOf(value) == TypeMap {
					return value
				}
				return map[string]any{}
			},
		}
	}
	text := func(name, doc, example, result string, path ...string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "text", Doc: doc, Examples: []Example{{example, result}},
			Code: func(obj any) string { return textAt(obj, path...) },
		}
	}
	number := func(name, doc, example, result string, path ...string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "number", Doc: doc, Examples: []Example{{example, result}},
			Code: func(obj any) int64 { return countAt(obj, path...) },
		}
	}
	test := func(name, doc, example, result string, code func(obj any) bool) Function {
		return Function{Name: name, Signature: "obj", Result: "bool", Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	return []Function{
		{
			Name: "get", Signature: "obj segment...", Result: "any", Code: get, Doc: "what is below these keys, or positions of lists; nothing when one is missing",
			Examples: []Example{{`{{ get .cross.db "status" "endpoint" }}`, "db.prod.svc:5432"}},
		},
		part("meta", "`metadata`", "{{ (meta .children.deployment).name }}", "shop", "metadata"),
		part("spec", "`spec`", "{{ (spec .children.deployment).replicas }}", "3", "spec"),
		part("status", "`status`", "{{ (status .children.deployment).readyReplicas }}", "2", "status"),
		part("labels", "`metadata.labels`", "{{ labels . }}", `{"shards":"4","tier":"gold"}`, "metadata", "labels"),
		part("annotations", "`metadata.annotations`", `{{ index (annotations .) "example.com/retries" }}`, "5", "metadata", "annotations"),
		{
			Name: "name", Signature: "obj", Result: "text", Code: nameOf, Doc: "`metadata.name`",
			Examples: []Example{{"{{ name .children.deployment }}", "shop"}},
		},
		{
			Name: "namespace", Signature: "obj", Result: "text", Code: namespaceOf, Doc: "`metadata.namespace`",
			Examples: []Example{{"{{ namespace .children.deployment }}", "prod"}},
		},
		text("phase", "`status.phase`", "{{ phase .cross.db }}", "Ready", "status", "phase"),
		{
			Name: "getStatus", Signature: "obj key", Result: "text", Code: func(obj, key any) string { return textAt(obj, "status", Text(key)) }, Doc: "a field of `status`",
			Examples: []Example{{`{{ getStatus .cross.db "endpoint" }}`, "db.prod.svc:5432"}},
		},
		{
			Name: "hasStatus", Signature: "obj key", Result: "bool", Code: func(obj, key any) bool { return fieldOf(obj, "status", Text(key)) != nil }, Doc: "whether `status` has the field",
			Examples: []Example{{`{{ hasStatus .cross.db "endpoint" }}`, "true"}},
		},
		{
			Name: "getLabel", Signature: "obj key", Result: "text", Code: func(obj, key any) string { return labelOf(obj, Text(key)) }, Doc: "the label",
			Examples: []Example{{`{{ getLabel . "tier" }}`, "gold"}},
		},
		{
			Name: "hasLabel", Signature: "obj key", Result: "bool", Code: func(obj, key any) bool { return fieldOf(obj, "metadata", "labels", Text(key)) != nil }, Doc: "whether it has the label",
			Examples: []Example{{`{{ hasLabel . "tier" }}`, "true"}},
		},
		{
			Name: "getLabelInt", Signature: "obj key", Result: "number", Doc: "the label as a whole number, 0 when it is none",
			Code:     func(obj, key any) int64 { return countAt(obj, "metadata", "labels", Text(key)) },
			Examples: []Example{{`{{ getLabelInt . "shards" }}`, "4"}},
		},
		{
			Name: "labelMatches", Signature: "obj pair...", Result: "bool", Code: labelMatches, Doc: "whether it has all labels, given as keys and values that follow each other",
			Examples: []Example{{`{{ labelMatches . "tier" "gold" "shards" 4 }}`, "true"}},
		},
		{
			Name: "getAnnotation", Signature: "obj key", Result: "text", Code: func(obj, key any) string { return annotationOf(obj, Text(key)) }, Doc: "the annotation",
			Examples: []Example{{`{{ getAnnotation . "example.com/retries" }}`, "5"}},
		},
		{
			Name: "hasAnnotation", Signature: "obj key", Result: "bool", Code: func(obj, key any) bool { return fieldOf(obj, "metadata", "annotations", Text(key)) != nil }, Doc: "whether it has the annotation",
			Examples: []Example{{`{{ hasAnnotation . "example.com/retries" }}`, "true"}},
		},
		{
			Name: "getAnnotationInt", Signature: "obj key", Result: "number", Doc: "the annotation as a whole number, 0 when it is none",
			Code:     func(obj, key any) int64 { return countAt(obj, "metadata", "annotations", Text(key)) },
			Examples: []Example{{`{{ getAnnotationInt . "example.com/retries" }}`, "5"}},
		},
		{
			Name: "ownerKind", Signature: "obj", Result: "text", Code: func(obj any) string { return textAt(ownerOf(obj), "kind") }, Doc: "the kind of the controller that owns it, else of the first owner",
			Examples: []Example{{"{{ ownerKind .children.deployment }}", "Website"}},
		},
		{
			Name: "ownerName", Signature: "obj", Result: "text", Code: func(obj any) string { return textAt(ownerOf(obj), "name") }, Doc: "the name of that owner",
			Examples: []Example{{"{{ ownerName .children.deployment }}", "shop"}},
		},
		{
			Name: "hasCondition", Signature: "obj type", Result: "bool", Code: func(obj, kind any) bool { return isTrue(obj, Text(kind)) }, Doc: "whether the condition of this type is `True`",
			Examples: []Example{{`{{ hasCondition .children.deployment "Available" }}`, "true"}},
		},
		{
			Name: "conditionReason", Signature: "obj type", Result: "text", Doc: "the reason of the condition",
			Code:     func(obj, kind any) string { return textAt(conditionOf(obj, Text(kind)), "reason") },
			Examples: []Example{{`{{ conditionReason .children.deployment "Available" }}`, "MinimumReplicasAvailable"}},
		},
		{
			Name: "conditionMessage", Signature: "obj type", Result: "text", Doc: "the message of the condition",
			Code:     func(obj, kind any) string { return textAt(conditionOf(obj, Text(kind)), "message") },
			Examples: []Example{{`{{ conditionMessage .children.deployment "Available" }}`, "Deployment has minimum availability."}},
		},
		number("generation", "`metadata.generation`", "{{ generation . }}", "3", "metadata", "generation"),
		number("observedGeneration", "`status.observedGeneration`", "{{ observedGeneration . }}", "3", "status", "observedGeneration"),
		test("isSynced", "whether its controller has seen the newest generation", "{{ isSynced .children.deployment }}", "true", func(obj any) bool {
			generation := countAt(obj, "metadata", "generation")
			return generation > 0 && countAt(obj, "status", "observedGeneration") >= generation
		}),
		test("isTerminating", "whether it is being deleted", "{{ isTerminating .children.deployment }}", "false",
			func(obj any) bool { return textAt(obj, "metadata", "deletionTimestamp") != "" }),
		test("resourceExists", "whether the child or cross object is there, or any of a group such as `.children.secrets`", "{{ resourceExists .children.secret }}", "false", resourceExists),
		test("childReady", "whether the child or cross object is there and [ready](katalog.md#readiness)", "{{ childReady .children.deployment }}", "false", childReady),
		text("resourceCPU", "`spec.resources.requests.cpu`", `{{ resourceCPU . | default "100m" }}`, "250m", "spec", "resources", "requests", "cpu"),
		text("resourceMemory", "`spec.resources.requests.memory`", `{{ resourceMemory . | default "128Mi" }}`, "256Mi", "spec", "resources", "requests", "memory"),
		{
			Name: "resourceName", Signature: "obj", Result: "text", Code: nameOf, AliasOf: "name", Doc: "the same as `name`",
			Examples: []Example{{"{{ resourceName .children.deployment }}", "shop"}},
		},
		{
			Name: "resourceNamespace", Signature: "obj", Result: "text", Code: namespaceOf, AliasOf: "namespace", Doc: "the same as `namespace`",
			Examples: []Example{{"{{ resourceNamespace .children.deployment }}", "prod"}},
		},
		text("resourceUID", "`metadata.uid`", "{{ resourceUID . }}", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "metadata", "uid"),
		text("resourceVersion", "`metadata.resourceVersion`", "{{ resourceVersion . }}", "1048", "metadata", "resourceVersion"),
		text("creationTimestamp", "`metadata.creationTimestamp`", "{{ creationTimestamp . }}", "2026-03-01T08:00:00Z", "metadata", "creationTimestamp"),
	}
}

// fieldOf follows keys of maps; nil when one is missing.
func fieldOf(object any, path ...string) any {
	for _, key := range path {
		switch m := object.(type) {
		case map[string]any:
			object = m[key]
		case map[string]string:
			value, found := m[key]
			if !found {
				return nil
			}
			object = value
		default:
			return nil
		}
	}
	return object
}

func textAt(object any, path ...string) string { return Text(fieldOf(object, path...)) }

func countAt(object any, path ...string) int64 { return count(fieldOf(object, path...)) }

func listAt(object any, path ...string) []any {
	list, _ := fieldOf(object, path...).([]any)
	return list
}

// textsAt are the texts at a path below each element of a list, "" where there is none.
func textsAt(list []any, path ...string) []any {
	texts := make([]any, len(list))
	for i, element := range list {
		texts[i] = textAt(element, path...)
	}
	return texts
}

// nameOf and namespaceOf know that a cross object that was not found has them beside its metadata.
func nameOf(obj any) string {
	if name := textAt(obj, "metadata", "name"); name != "" {
		return name
	}
	return textAt(obj, "name")
}

func namespaceOf(obj any) string {
	if namespace := textAt(obj, "metadata", "namespace"); namespace != "" {
		return namespace
	}
	return textAt(obj, "namespace")
}

func labelOf(obj any, key string) string { return textAt(obj, "metadata", "labels", key) }

func annotationOf(obj any, key string) string { return textAt(obj, "metadata", "annotations", key) }

// get follows a position where there is a list.
func get(obj any, segments ...any) any {
	for _, segment := range segments {
		switch v := obj.(type) {
		case []any:
			n, ok := NumberOf(segment)
			if !ok || !n.whole || missing(segment) || n.integer < 0 || n.integer >= int64(len(v)) {
				return nil
			}
			obj = v[n.integer]
		default:
			obj = fieldOf(obj, Text(segment))
		}
	}
	return obj
}

func labelMatches(obj any, pairs ...any) (bool, error) {
	if len(pairs)%2 != 0 {
		return false, fmt.Errorf("labelMatches: the key %s has no value: use keys and values by turns", quote(pairs[len(pairs)-1]))
	}
	for i := 0; i < len(pairs); i += 2 {
		value := fieldOf(obj, "metadata", "labels", Text(pairs[i]))
		if value == nil || Text(value) != Text(pairs[i+1]) {
			return false, nil
		}
	}
	return true, nil
}

func ownerOf(obj any) any {
	owners := listAt(obj, "metadata", "ownerReferences")
	for _, owner := range owners {
		if fieldOf(owner, "controller") == true {
			return owner
		}
	}
	if len(owners) == 0 {
		return nil
	}
	return owners[0]
}

func conditionOf(obj any, kind string) any {
	for _, condition := range listAt(obj, "status", "conditions") {
		if textAt(condition, "type") == kind {
			return condition
		}
	}
	return nil
}

func isTrue(obj any, condition string) bool {
	return textAt(conditionOf(obj, condition), "status") == "True"
}

// resourceExists is false for the placeholder of a missing child, which has no metadata. A cross object says it itself, and a group of
// children by name exists when it has one.
func resourceExists(obj any) bool {
	if found := fieldOf(obj, "found"); found != nil {
		return strings.EqualFold(Text(found), "true")
	}
	if textAt(obj, "metadata", "name") != "" {
		return true
	}
	group, _ := obj.(map[string]any)
	for _, member := range group {
		if textAt(member, "metadata", "name") != "" {
			return true
		}
	}
	return false
}
