package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API that Echo belongs to.
var GroupVersion = schema.GroupVersion{Group: "echo.example.com", Version: "v1"}

// AddToScheme registers the types of this package.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Echo{}, &EchoList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// Echo says something.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Echo struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec EchoSpec `json:"spec"`
	// +optional
	Status EchoStatus `json:"status,omitempty"`
}

// EchoSpec is what is said.
type EchoSpec struct {
	// Message that is said.
	Message string `json:"message"`
	// Replicas that say it.
	Replicas int32 `json:"replicas,omitempty"`
}

// EchoStatus is what the reconciler found.
type EchoStatus struct {
	// ReadyReplicas are how many say it by now.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// Summary is the Katalog's.
	// +optional
	Summary string `json:"summary,omitempty"`
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// EchoList is a list of Echoes.
//
// +kubebuilder:object:root=true
type EchoList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Echo `json:"items"`
}
