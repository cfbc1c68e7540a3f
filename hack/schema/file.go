package main

import orkv1 "github.com/orkestra-runtime/orkestra/api/v1"

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
	either(crd, "dependsOn", words)
	either(crd, "setup", words, object{"type": "string"})
	set(crd, "admission", object{
		"type": "object", "additionalProperties": false,
		"properties": object{"validation": reference("Validation"), "mutation": reference("Mutation")},
	})
	either(g.definition("Serve"), "target", object{"type": "string"})
	either(g.definition("Reconciler"), "requeue", reference("Requeue"))
	for _, block := range []string{"onCreate", "onReconcile", "onDelete"} {
		set(g.definition("Reconciler"), block, reference("Block"))
	}
	set(g.definition("Reconciler"), "imports", object{"type": "array", "items": reference("Import")})
	box := g.definition("OperatorBox")
	set(box, "reconcile", reference("Reconciler"))
	set(box, "enqueueGate", reference("Gate"))
	set(box, "reconcileGate", reference("ReconcileGate"))
	set(box, "normalize", reference("Normalize"))
	set(g.definition("Emit"), "status", reference("Status"))
	for _, name := range []string{"ConfigMap", "Secret", "NetworkPolicy", "ResourceQuota", "LimitRange"} {
		set(g.definition(name), "copyToNamespaces", words)
	}
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
			property, ok := value.(object)
			_, isEnum := property["enum"]
			_, hasPattern := property["pattern"]
			if ok && (isEnum || hasPattern || property["type"] == "boolean" || property["type"] == "integer") {
				properties[key] = object{"anyOf": []object{property, {"type": "string", "pattern": `\{\{`}}}
			}
		}
	}
	if either, ok := schema["anyOf"].([]object); ok {
		for _, one := range either {
			orInput(one)
		}
	}
}

func (g *generator) definition(name string) object {
	return g.definitions[name].(object)
}

// conditions is the definition of a gate that stands alone.
func (g *generator) conditions() object {
	list := object{"type": "array", "items": reference("Condition")}
	return object{"type": "object", "additionalProperties": false, "properties": object{"when": list, "or": list}}
}

// alternatives lets something else stand for a definition.
func (g *generator) alternatives(name string, others ...object) {
	g.definitions[name] = object{"anyOf": append([]object{g.definition(name)}, others...)}
}

// either lets something else stand for a property.
func either(definition object, name string, others ...object) {
	properties := definition["properties"].(object)
	property := properties[name].(object)
	properties[name] = object{"anyOf": append([]object{property}, others...)}
}

func set(definition object, name string, property object) {
	definition["properties"].(object)[name] = property
}

func reference(name string) object {
	return object{"$ref": "#/definitions/" + name}
}
