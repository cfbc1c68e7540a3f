package queue

import (
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Item is one piece of work: an object of a kind and, where events keep their own identity, one event of it.
type Item struct {
	types.NamespacedName
	// GVK is the kind of the object.
	GVK schema.GroupVersionKind
	// EventID tells the events of one object apart. 0, the default, stands for the object as it is: such items coalesce.
	EventID uint64
}

// Object returns the item without its event. Two items are about the same object exactly if their Objects are equal.
func (i Item) Object() Item {
	i.EventID = 0
	return i
}

// String returns "Kind.group namespace/name", without "namespace/" for an object that has none and with "#EventID" at the end
// for an item that has one.
func (i Item) String() string {
	s := i.GVK.GroupKind().String() + " "
	if i.Namespace != "" {
		s += i.Namespace + "/"
	}
	s += i.Name
	if i.EventID != 0 {
		s += "#" + strconv.FormatUint(i.EventID, 10)
	}
	return s
}

// MarshalLog returns what a structured log shows of the item. Without it the embedded name would speak for the whole.
func (i Item) MarshalLog() any {
	return i.String()
}
