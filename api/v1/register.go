package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of Katalog.
var GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

// AddToScheme registers Katalog and KatalogList.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Katalog{}, &KatalogList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
