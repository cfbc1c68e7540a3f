// Package v1 holds the Echo type of the constructor example.
//
// +kubebuilder:object:generate=true
// +groupName=echo.example.com
package v1

//go:generate sh -c "$(../../../../hack/tool.sh controller-gen) object paths=."
