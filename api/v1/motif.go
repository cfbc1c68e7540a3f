package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Motif is a part of Katalogs that is written once: children, status fields, rules, profiles and notes with inputs. It is
// a file that Katalogs import, never an object of a cluster.
type Motif struct {
	metav1.TypeMeta `json:",inline"`
	// Metadata names the Motif and describes it to people.
	Metadata MotifMetadata `json:"metadata"`
	// Inputs are what an import gives. Texts of the Motif read them as .inputs.<name>, fields of conditions also as
	// inputs.<name>.
	// +optional
	Inputs []MotifInput `json:"inputs,omitempty"`
	// Imports are further Motifs. Their with may read the inputs of this one.
	// +optional
	Imports []Import `json:"imports,omitempty"`
	// Resources are added to the blocks of the box.
	// +optional
	Resources *MotifResources `json:"resources,omitempty"`
	// Status is added to the status of the box, whose own fields win.
	// +optional
	Status *Status `json:"status,omitempty"`
	// Admission is added to the rules of the CRD.
	// +optional
	Admission *MotifAdmission `json:"admission,omitempty"`
	// Profiles are added to those of the Katalog.
	// +optional
	Profiles *Profiles `json:"profiles,omitempty"`
	// Notes are added to those of the Katalog.
	// +optional
	Notes *Notes `json:"notes,omitempty"`
}

// MotifMetadata names a Motif and describes it to people.
type MotifMetadata struct {
	// Name of the Motif.
	Name  string `json:"name"`
	About `json:",inline"`
}

// MotifInput is one value that an import gives.
type MotifInput struct {
	// Name is an identifier; it may hold hyphens.
	Name string `json:"name"`
	// Description of the input, for people.
	// +optional
	Description string `json:"description,omitempty"`
	// Required true makes an import without it an error. It excludes Default.
	// +optional
	Required bool `json:"required,omitempty"`
	// Default is a text, number or boolean, or a template over the resource. Without one, an input that is not given is "".
	// +optional
	Default *JSON `json:"default,omitempty"`
	// Type is what a value that is no template must be. Absent, it may be any text, number or boolean.
	// +optional
	Type MotifInputType `json:"type,omitempty"`
}

// MotifInputType is what the value of an input must be.
//
// +kubebuilder:validation:Enum=string;int;bool
type MotifInputType string

// The types of an input.
const (
	MotifInputString MotifInputType = "string"
	MotifInputInt    MotifInputType = "int"
	MotifInputBool   MotifInputType = "bool"
)

// MotifResources are children by block. What stands in none of the three belongs to OnReconcile. The gate of a block holds
// for the children of the Motif alone.
type MotifResources struct {
	Block `json:",inline"`
	// OnCreate lists children that are created when absent.
	// +optional
	OnCreate *Block `json:"onCreate,omitempty"`
	// OnReconcile lists children that are kept as declared.
	// +optional
	OnReconcile *Block `json:"onReconcile,omitempty"`
	// OnDelete lists what happens before a deleted resource goes away.
	// +optional
	OnDelete *Block `json:"onDelete,omitempty"`
}

// MotifAdmission holds rules.
type MotifAdmission struct {
	// Validation lists rules that a resource must meet.
	// +optional
	Validation *Validation `json:"validation,omitempty"`
	// Mutation lists rules that set fields of a resource.
	// +optional
	Mutation *Mutation `json:"mutation,omitempty"`
}
