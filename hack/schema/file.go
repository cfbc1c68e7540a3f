package main

import (
	"slices"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// file adds what a file may write besides the canonical form: the shapes and places that the loader takes without a
// warning, and include keys.
func (g *generator) file() {
	for kind := range kinds {
		document := g.definition(kind)
		set(document, "apiVersion", object{"enum": []string{orkv1.Group + "/" + orkv1.Version}, "description": "Version of the file."})
		set(document, "kind", object{"enum": []string{kind}, "description": "Kind of the document."})
		document["required"] = []string{"apiVersion", "kind", "metadata"}
	}
	g.definition("Katalog")["required"] = []string{"apiVersion", "kind", "metadata", "spec"}
	g.motif()

	path := object{"type": "string", "description": "Path of a file with the rest, relative to this one."}
	for _, name := range []string{
		"Reconciler", "Observe", "Status", "Validation", "Mutation", "Conversion", "Serve", "ServeTarget", "GatewayAuth",
		"Intake", "Profiles", "Notes",
	} {
		set(g.definition(name), "include", path)
	}
	only := object{"type": "object", "required": []string{"include"}, "properties": object{"include": path}, "additionalProperties": false}
	for _, name := range []string{"Watch", "EventWatch", "ExternalCall", "GitIntake", "SlackIntake", "GenericIntake"} {
		g.alternatives(name, only)
	}
	word := object{"type": text}
	for _, name := range []string{"RetryBackoff", "Dependency", "ManagedResource", "ClaimMatch"} {
		g.alternatives(name, word)
	}
	gated := reference("Conditions")
	g.definitions["Conditions"] = g.conditions()
	g.alternatives("Enrichment", word, object{"type": "object", "maxProperties": 1, "additionalProperties": gated})
	g.places()
}

// places adds the other keys under which a value may stand.
func (g *generator) places() {
	words := object{"type": "array", "items": object{"type": text}}
	crd := g.definition("CRD")
	also(crd, "dependsOn", words)
	also(crd, "setup", words, object{"type": "string"})
	set(crd, "admission", object{
		"type": "object", "additionalProperties": false,
		"properties": object{
			"validation": g.like("CRD.Validation", reference("Validation")),
			"mutation":   g.like("CRD.Mutation", reference("Mutation")),
		},
		"description": "Admission holds validation and mutation, which may stand beside it as well.",
	})
	also(g.definition("Serve"), "target", object{"type": "string"})
	reconciler := g.definition("Reconciler")
	also(reconciler, "requeue", reference("Requeue"))
	set(reconciler, "onCreate", g.like("OperatorBox.OnCreate", reference("Block")))
	set(reconciler, "onReconcile", g.like("OperatorBox.OnReconcile", reference("Block")))
	set(reconciler, "onDelete", g.like("OperatorBox.OnDelete", reference("Block")))
	set(reconciler, "imports", g.like("CRD.Imports", object{"type": "array", "items": reference("Import")}))
	box := g.definition("OperatorBox")
	set(box, "reconcile", g.like("OperatorBox.Reconciler", reference("Reconciler")))
	set(box, "enqueueGate", g.like("PreReconcile.EnqueueGate", reference("Gate")))
	set(box, "reconcileGate", g.like("PreReconcile.ReconcileGate", reference("ReconcileGate")))
	set(box, "normalize", g.like("CRD.Normalize", reference("Normalize")))
	set(g.definition("Emit"), "status", g.like("OperatorBox.Status", reference("Status")))
	for _, name := range []string{"ConfigMap", "Secret", "NetworkPolicy", "ResourceQuota", "LimitRange"} {
		copies := object{"type": "array", "items": object{"type": text}}
		set(g.definition(name), "copyToNamespaces", g.like(name+".ToNamespaces", copies))
	}
	queueTypes := orkv1.QueueType("").Values()
	also(g.definition("Queue"), "type", object{"type": "string", "pattern": spelledAs(queueTypes, "[-/ ]*")})
}

// motif narrows what the Go type leaves open.
func (g *generator) motif() {
	set(g.definition("MotifInput"), "default", object{"type": text, "description": g.comments["MotifInput.Default"].text})
}

// inputs lets texts that read inputs stand where another type is wanted.
func (g *generator) inputs() {
	for name, definition := range g.definitions {
		switch name {
		case "Motif", "MotifMetadata", "MotifInput", "Import": // these are read before inputs are known
		default:
			orInput(definition)
		}
	}
}

func orInput(part any) {
	schema, ok := part.(object)
	if !ok {
		return
	}
	if properties, ok := schema["properties"].(object); ok {
		for key, value := range properties {
			if property, ok := value.(object); ok {
				properties[key] = withInput(property)
			}
		}
	}
	if choices, ok := schema["anyOf"].([]object); ok {
		for _, one := range choices {
			orInput(one)
		}
	}
}

// withInput lets a text that reads inputs stand for a property, or for an element of a list.
func withInput(property object) object {
	if items, ok := property["items"].(object); ok {
		property["items"] = withInput(items)
		return property
	}
	if !refuses(property) {
		return property
	}
	return either(property, object{"type": "string", "pattern": expression})
}

// refuses tells whether a scalar cannot be a template.
func refuses(schema object) bool {
	if choices, ok := schema["anyOf"].([]object); ok {
		return !slices.ContainsFunc(choices, func(one object) bool { return !refuses(one) })
	}
	_, isEnum := schema["enum"]
	pattern, hasPattern := schema["pattern"].(string)
	return isEnum || hasPattern && !strings.Contains(pattern, expression) || schema["type"] == "boolean" || schema["type"] == "integer"
}

func (g *generator) definition(name string) object {
	return g.definitions[name].(object)
}

// conditions is the definition of a gate that stands alone.
func (g *generator) conditions() object {
	list := func(key string) object {
		return g.like(key, object{"type": "array", "items": reference("Condition")})
	}
	return g.like("Conditions", object{
		"type": "object", "additionalProperties": false,
		"properties": object{"when": list("Conditions.When"), "or": list("Conditions.Or")},
	})
}

// like describes a schema as the source does a type, or a field as Type.Field.
func (g *generator) like(key string, schema object) object {
	describe(schema, g.comments[key])
	return schema
}

// alternatives lets something else stand for a definition.
func (g *generator) alternatives(name string, others ...object) {
	g.definitions[name] = either(g.definition(name), others...)
}

// also lets something else stand for a property.
func also(definition object, name string, others ...object) {
	set(definition, name, either(definition["properties"].(object)[name].(object), others...))
}

func set(definition object, name string, property object) {
	definition["properties"].(object)[name] = property
}

func reference(name string) object {
	return object{"$ref": "#/definitions/" + name}
}
