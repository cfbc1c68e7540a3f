package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// documented is what the OpenAPI document tells of a route besides its path.
type documented struct {
	id, summary string
	// query are its parameters, by name.
	query map[string]parameter
	// body tells that it takes one: an intent, or a whole resource.
	body bool
	// answers are the types of its answers by status. Nil: there is no body. Failures are told everywhere, and are left out.
	answers map[int]any
	// refusals are further failures, by status: of several types, either.
	refusals map[int][]any
}

// parameter is one of a query.
type parameter struct {
	meaning string
	kind    string
}

// anyObject is an answer whose fields are those of a resource, or of a payload.
type anyObject map[string]any

var (
	pathParameters = map[string]string{
		"kind":      "a kind, in any case, or the name of a target",
		"namespace": "a namespace; - for what has none, and * for all of them in a list",
		"name":      "the name of the resource",
	}
	pathParameter = regexp.MustCompile(`\{([a-z]+)\}`)
	clusterOnly   = parameter{"the cluster, where a target's resources go to several; by default the first that they always go to", openapi3.TypeString}
	versionOnly   = parameter{"group and version, where kinds of several groups have one name", openapi3.TypeString}
	fieldOnly     = parameter{"a path such as status.phase or metadata.labels[\"example.com/tier\"], of which the value alone is answered", openapi3.TypeString}
)

// clusterSays are the statuses of what a cluster says is wrong, as codeOf gives them.
var clusterSays = []int{
	http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusInternalServerError,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// ofCluster are the failures of a route that asks a cluster: each of one of the types, and further ones of the API's own.
func ofCluster(types []any, own ...int) map[int][]any {
	failures := map[int][]any{http.StatusBadRequest: types, http.StatusBadGateway: {envelope{}}}
	for _, status := range clusterSays {
		failures[status] = types
	}
	for _, status := range own {
		failures[status] = []any{envelope{}}
	}
	return failures
}

// documents are those of the routes, by pattern.
func documents() map[string]documented {
	reads := ofCluster([]any{envelope{}})
	return map[string]documented{
		"POST /api/v1/apply": {
			id: "apply", summary: "Makes or changes a resource, of an intent for a target, or as it is", body: true,
			query: map[string]parameter{
				"dryRun":    {"tells what would come of it, and stores nothing", openapi3.TypeBoolean},
				"overwrite": {"takes fields from other managers", openapi3.TypeBoolean},
				"override":  {"moves a resource of another target here", openapi3.TypeBoolean},
			},
			answers: map[int]any{http.StatusOK: applied{}, http.StatusCreated: applied{}, http.StatusMultiStatus: applied{}},
			// What is wrong before anything is stored is a failure as everywhere, and what a cluster says of what it is to store is not.
			refusals: ofCluster([]any{applied{}, envelope{}}, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType),
		},
		"GET " + pathList: {
			id: "list", summary: "Lists resources",
			query: map[string]parameter{
				"limit":         {fmt.Sprintf("how many at once, from 1 to %d", mostListed), openapi3.TypeInteger},
				"continue":      {"where an earlier answer ended", openapi3.TypeString},
				"labelSelector": {"which ones, as Kubernetes selects them", openapi3.TypeString},
				"field":         fieldOnly,
				"cluster":       clusterOnly,
				"apiVersion":    versionOnly,
			},
			answers: map[int]any{http.StatusOK: listed{}}, refusals: reads,
		},
		"GET " + pathList + "/{name}": {
			id: "get", summary: "Answers a resource, its payload, or one field of it",
			query:   map[string]parameter{"field": fieldOnly, "cluster": clusterOnly, "apiVersion": versionOnly},
			answers: map[int]any{http.StatusOK: anyObject{}}, refusals: reads,
		},
		"DELETE " + pathList + "/{name}": {
			id: "delete", summary: "Deletes a resource, if nothing protects it",
			query:   map[string]parameter{"cluster": clusterOnly, "apiVersion": versionOnly},
			answers: map[int]any{http.StatusNoContent: nil}, refusals: reads,
		},
		"GET /api/v1/schema": {
			id: "schema", summary: "Lists the targets that the caller may know, or tells the fields of one of them",
			query: map[string]parameter{
				"target": {"the one whose fields are told; without it all targets are listed", openapi3.TypeString},
				"limit":  {"how many at once", openapi3.TypeInteger}, "offset": {"how many are passed over", openapi3.TypeInteger},
				"cluster": {"one of the target's clusters; the fields are the same in each", openapi3.TypeString},
			},
			answers:  map[int]any{http.StatusOK: []any{catalog{}, described{}}},
			refusals: map[int][]any{http.StatusBadRequest: {envelope{}}, http.StatusForbidden: {envelope{}}, http.StatusNotFound: {envelope{}}},
		},
		"GET /api/v1/raw-schema": {
			id: "rawSchema", summary: "Answers the schema of whole resources of a kind",
			query: map[string]parameter{
				"kind": {"the kind", openapi3.TypeString}, "apiVersion": versionOnly, "cluster": clusterOnly,
			},
			answers: map[int]any{http.StatusOK: raw{}}, refusals: reads,
		},
		"GET " + pathOpenAPI: {id: "openapi", summary: "Answers this document", answers: map[int]any{http.StatusOK: anyObject{}}},
	}
}

const pathOpenAPI = "/api/v1/openapi.json"

// typeNames are the names of types in the document. Others have none: they are written where they are used.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[applied](): "Applied", reflect.TypeFor[appliedTo](): "AppliedToCluster", reflect.TypeFor[violation](): "Violation", reflect.TypeFor[listed](): "List",
	reflect.TypeFor[catalog](): "Catalog", reflect.TypeFor[catalogued](): "Target", reflect.TypeFor[described](): "TargetWithFields",
	reflect.TypeFor[asked](): "Field", reflect.TypeFor[raw](): "RawSchema", reflect.TypeFor[rawSpec](): "RawSpec", reflect.TypeFor[envelope](): "Failure",
}

// describer writes the document.
type describer struct {
	doc       *openapi3.T
	generator *openapi3gen.Generator
}

// openAPI is the OpenAPI document of the routes, whose schemas are those of the types that are answered.
func openAPI(routes []Route) (json.RawMessage, error) {
	d := &describer{doc: &openapi3.T{
		OpenAPI: "3.0.3",
		Info:    &openapi3.Info{Title: "Orkestra gateway", Version: "v1", Description: "Turns intents into resources, and answers what became of them."},
		Paths:   openapi3.NewPaths(),
		Components: &openapi3.Components{
			Schemas:         openapi3.Schemas{},
			SecuritySchemes: openapi3.SecuritySchemes{"bearer": {Value: &openapi3.SecurityScheme{Type: "http", Scheme: "bearer"}}},
		},
		Security: openapi3.SecurityRequirements{{"bearer": {}}},
	}}
	d.generator = openapi3gen.NewGenerator(
		openapi3gen.CreateComponentSchemas(openapi3gen.ExportComponentSchemasOptions{ExportComponentSchemas: true, ExportTopLevelSchema: true}),
		openapi3gen.CreateTypeNameGenerator(func(t reflect.Type) string { return typeNames[t] }),
		openapi3gen.SchemaCustomizer(customize),
	)
	known := documents()
	for _, one := range routes {
		about, ok := known[one.Method+" "+one.Path]
		if !ok {
			return nil, fmt.Errorf("the route %s %s is not documented", one.Method, one.Path)
		}
		operation, err := d.operation(one, about)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", one.Method, one.Path, err)
		}
		d.doc.AddOperation(one.Path, one.Method, operation)
	}
	text, err := json.Marshal(d.doc)
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	return text, nil
}

// customize has fields required that are always there, and conditions, which have many forms, told as objects.
func customize(_ string, t reflect.Type, _ reflect.StructTag, schema *openapi3.Schema) error {
	if t == reflect.TypeFor[orkv1.Conditions]() {
		*schema = *openapi3.NewObjectSchema()
		return nil
	}
	if t.Kind() != reflect.Struct || typeNames[t] == "" {
		return nil
	}
	for _, one := range reflect.VisibleFields(t) { // those of what is embedded too
		name, rest, _ := strings.Cut(one.Tag.Get("json"), ",")
		if name != "" && !strings.Contains(rest, "omitempty") && !strings.Contains(rest, "omitzero") && !slices.Contains(schema.Required, name) {
			schema.Required = append(schema.Required, name)
		}
	}
	return nil
}

func (d *describer) operation(one Route, about documented) (*openapi3.Operation, error) {
	o := openapi3.NewOperation()
	o.OperationID, o.Summary = about.id, about.summary
	for _, found := range pathParameter.FindAllStringSubmatch(one.Path, -1) {
		o.AddParameter(openapi3.NewPathParameter(found[1]).WithDescription(pathParameters[found[1]]).WithSchema(openapi3.NewStringSchema()))
	}
	for _, name := range slices.Sorted(maps.Keys(about.query)) {
		p := about.query[name]
		o.AddParameter(openapi3.NewQueryParameter(name).WithDescription(p.meaning).WithSchema(&openapi3.Schema{Type: &openapi3.Types{p.kind}}))
	}
	if about.body {
		o.RequestBody = &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().WithRequired(true).WithJSONSchema(openapi3.NewObjectSchema()).WithDescription(
			"an intent, which is the fields of a target and its name in target, or a resource with apiVersion and kind")}
	}
	o.Responses = openapi3.NewResponsesWithCapacity(len(about.answers) + len(about.refusals))
	all := map[int][]any{http.StatusUnauthorized: {envelope{}}, http.StatusTooManyRequests: {envelope{}}, http.StatusInternalServerError: {envelope{}}}
	maps.Copy(all, about.refusals)
	for status, answer := range about.answers {
		switch either, several := answer.([]any); {
		case several:
			all[status] = either
		case answer == nil:
			all[status] = nil
		default:
			all[status] = []any{answer}
		}
	}
	for status, types := range all {
		response, err := d.response(status, types)
		if err != nil {
			return nil, err
		}
		o.AddResponse(status, response)
	}
	return o, nil
}

// response is an answer of one of the types, none for one without a body.
func (d *describer) response(status int, types []any) (*openapi3.Response, error) {
	response := openapi3.NewResponse().WithDescription(http.StatusText(status))
	refs := make(openapi3.SchemaRefs, 0, len(types))
	for _, one := range types {
		if _, free := one.(anyObject); free {
			refs = append(refs, openapi3.NewSchemaRef("", openapi3.NewObjectSchema()))
			continue
		}
		ref, err := d.generator.NewSchemaRefForValue(one, d.doc.Components.Schemas)
		if err != nil {
			return nil, fmt.Errorf("describe %T: %w", one, err)
		}
		refs = append(refs, ref)
	}
	switch len(refs) {
	case 0:
		return response, nil
	case 1:
		return response.WithJSONSchemaRef(refs[0]), nil
	}
	return response.WithJSONSchemaRef(openapi3.NewSchemaRef("", &openapi3.Schema{AnyOf: refs})), nil
}

// document answers it.
func (a *API) document(*call) (*answer, error) {
	return &answer{status: http.StatusOK, body: a.openAPI}, nil
}
