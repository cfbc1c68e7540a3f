package cel

import (
	"github.com/google/cel-go/cel"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// schema is what is known of a value: its type, for the check of an expression, and how an object's raw value is read as
// one of that type. It is immutable.
type schema struct {
	celType  *cel.Type
	format   string             // of a string that is read as something else
	fields   map[string]*schema // of an object
	open     bool               // an object may have other fields too
	element  *schema            // of a list, or the values of a map
	nullable bool
	values   []string // of an enum of texts
	size     uint64   // the most elements, or bytes, that the cost estimate assumes
}

// anything is the schema of a value of which nothing is known.
var anything = &schema{celType: cel.DynType, size: assumedSize}

// schemaReader reads the schemas of a CRD. It collects the objects in them by the names of their types.
type schemaReader struct {
	objects map[string]*schema
}

// read reads the schema at a path, which names the types of objects. nil is a schema that says nothing.
func (r schemaReader) read(path string, props *apiextensionsv1.JSONSchemaProps) *schema {
	if props == nil || props.XIntOrString {
		return anything
	}
	var s *schema
	switch props.Type {
	case "object":
		s = r.object(path, props)
	case "array":
		element := anything
		if props.Items != nil {
			element = r.read(path+"[]", props.Items.Schema)
		}
		s = &schema{celType: cel.ListType(element.celType), element: element, size: bound(props.MaxItems)}
	case "string":
		s = text(props)
	case "boolean":
		s = &schema{celType: cel.BoolType}
	case "number":
		s = &schema{celType: cel.DoubleType}
	case "integer":
		s = &schema{celType: cel.IntType}
	default:
		return anything
	}
	s.nullable = props.Nullable
	return s
}

func (r schemaReader) object(path string, props *apiextensionsv1.JSONSchemaProps) *schema {
	open := props.XPreserveUnknownFields != nil && *props.XPreserveUnknownFields
	more := props.AdditionalProperties
	if len(props.Properties) == 0 && !props.XEmbeddedResource && (open || more != nil) {
		element := anything
		if more != nil {
			element = r.read(path+"[]", more.Schema)
		}
		return &schema{celType: cel.MapType(cel.StringType, element.celType), element: element, size: bound(props.MaxProperties)}
	}
	s := &schema{
		fields: make(map[string]*schema, len(props.Properties)),
		open:   open || more != nil && (more.Allows || more.Schema != nil),
	}
	for name := range props.Properties {
		s.fields[name] = r.read(path+"."+name, new(props.Properties[name]))
	}
	if props.XEmbeddedResource {
		s.fields["apiVersion"], s.fields["kind"] = plainText, plainText
		s.fields["metadata"] = r.read(path+".metadata", objectMeta())
	}
	return r.named(path, s)
}

// named makes the object a type. The name can't be written in an expression, and so hides no field.
func (r schemaReader) named(path string, s *schema) *schema {
	name := "object " + path
	s.celType = cel.ObjectType(name)
	s.size = uint64(len(s.fields))
	r.objects[name] = s
	return s
}

// plainText is a string of which no more is known.
var plainText = &schema{celType: cel.StringType, size: assumedSize}

func text(props *apiextensionsv1.JSONSchemaProps) *schema {
	s := &schema{celType: cel.StringType, size: bound(props.MaxLength), values: textsOf(props.Enum)}
	switch props.Format {
	case "byte":
		s.celType, s.format = cel.BytesType, props.Format
	case "date", "date-time":
		s.celType, s.format = cel.TimestampType, props.Format
	case "duration":
		s.celType, s.format = cel.DurationType, props.Format
	}
	if props.MaxLength == nil && len(props.Enum) > 0 {
		s.size = 0
		for _, value := range props.Enum {
			s.size = max(s.size, uint64(len(value.Raw)))
		}
	}
	return s
}

func bound(declared *int64) uint64 {
	if declared == nil {
		return assumedSize
	}
	return uint64(max(0, *declared))
}

// field finds a field by its name, or by the name that Kubernetes' CEL gives it: x__dash__y for x-y.
func (s *schema) field(name string) (key string, found *schema) {
	if f, ok := s.fields[name]; ok {
		return name, f
	}
	if key, ok := apiservercel.Unescape(name); ok && key != name {
		if f, ok := s.fields[key]; ok {
			return key, f
		}
	}
	if s.open {
		return name, anything
	}
	return name, nil
}
