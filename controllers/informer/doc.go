// Package informer runs informers over unstructured objects: one for each kind and selection, with an owned lifetime.
//
// It exists beside controller-runtime's cache because a declared CRD chooses its own namespace, selectors and resync, because a
// definition that goes away must take its informer and every goroutine of it along, and because the runtime reads objects
// without copying them. What comes out of a store here is shared: readers must not change it.
package informer
