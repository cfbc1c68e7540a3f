// Package v1 holds the License type of the hybrid example.
//
// +kubebuilder:object:generate=true
// +groupName=license.example.com
package v1

//go:generate sh -c "$(../../../../hack/tool.sh controller-gen) object paths=."
