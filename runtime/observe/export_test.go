package observe

import toolscache "k8s.io/client-go/tools/cache"

// Handler is what the informer calls.
func (p *Primary) Handler() toolscache.ResourceEventHandler { return p.handler() }

// Handler is what the informer calls.
func (c *Children) Handler() toolscache.ResourceEventHandler { return c.handler() }

// Handler is what the informer calls.
func (w *Watch) Handler() toolscache.ResourceEventHandler { return w.handler() }

// Handler is what the informer calls.
func (e *Events) Handler() toolscache.ResourceEventHandler { return e.handler() }
