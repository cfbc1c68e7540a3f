package children

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
)

// managers remembers which field manager besides ours changed a child last. Managed fields are not kept in memory, and when a child
// turns out to be other than declared, somebody wants to know by whom.
type managers struct {
	mu   sync.RWMutex // guards last
	last map[types.NamespacedName]string
}

// note reads an object that is about to be stored. Who writes a status changes nothing that is declared.
func (m *managers) note(object *unstructured.Unstructured) {
	name, newest := "", ""
	metadata, _ := object.Object["metadata"].(map[string]any)
	fields, _ := metadata["managedFields"].([]any)
	for _, one := range fields {
		entry, _ := one.(map[string]any)
		manager, _ := entry["manager"].(string)
		moment, _ := entry["time"].(string)
		if subresource, _ := entry["subresource"].(string); manager == "" || manager == orkv1.FieldManager || subresource != "" {
			continue
		}
		if moment >= newest { // RFC 3339 in UTC
			name, newest = manager, moment
		}
	}
	key := client.ObjectKeyFromObject(object)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case name == "":
		delete(m.last, key)
	case m.last[key] == name:
	default:
		if m.last == nil {
			m.last = map[types.NamespacedName]string{}
		}
		m.last[key] = name
	}
}

// forgets returns the handler that forgets children which are gone.
func (m *managers) forgets() toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerFuncs{DeleteFunc: func(given any) {
		if object, ok := informer.Object(given); ok {
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.last, client.ObjectKeyFromObject(object))
		}
	}}
}

// LastManager is the field manager besides ours that changed a child last, its status aside. Empty: nobody did, as far as is known.
func (k *Kind) LastManager(namespace, name string) string {
	k.managers.mu.RLock()
	defer k.managers.mu.RUnlock()
	return k.managers.last[types.NamespacedName{Namespace: namespace, Name: name}]
}
