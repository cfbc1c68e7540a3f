package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API that License belongs to.
var GroupVersion = schema.GroupVersion{Group: "license.example.com", Version: "v1"}

// AddToScheme registers the types of this package.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &License{}, &LicenseList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// License lets a customer use a product.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type License struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LicenseSpec `json:"spec"`
	// +optional
	Status LicenseStatus `json:"status,omitempty"`
}

// LicenseSpec is what the license is about.
type LicenseSpec struct {
	// Product that may be used.
	Product string `json:"product"`
	// Customer who may use it.
	Customer string `json:"customer"`
	// Seats are how many of the customer's people may.
	Seats int32 `json:"seats,omitempty"`
}

// LicenseStatus is what the Katalog tells.
type LicenseStatus struct {
	// Secret that holds the signed license.
	// +optional
	Secret string `json:"secret,omitempty"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// LicenseList is a list of Licenses.
//
// +kubebuilder:object:root=true
type LicenseList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []License `json:"items"`
}
