// Package v1 holds the Website type as the hand-written operators of the benchmark see it. The definition that the control
// plane serves is generated from it, so both kinds of operators work on the same schema.
//
// +kubebuilder:object:generate=true
// +groupName=web.example.com
package v1

//go:generate sh -c "$(../../../../tool.sh controller-gen) object paths=. crd paths=. output:crd:stdout > ../../../katalog/crd.yaml"
