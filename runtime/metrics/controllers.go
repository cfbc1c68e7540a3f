package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// controllerLabel is the label of the series that controller-runtime has of a controller and its queue.
const controllerLabel = "controller"

// RemoveControllers ends the series that controller-runtime has of controllers with these names, where no engine of the process has an
// entry of the name any more. Otherwise they would stay as long as the process. To be called when the controllers have ended.
func (r *Recorder) RemoveControllers(registry Registry, names ...string) {
	gone := r.unknown(names)
	if len(gone) == 0 {
		return
	}
	families, err := registry.Gather()
	if err != nil {
		return // what could not be read stays until an entry of the name ends again
	}
	for _, family := range families {
		labels, found := []string{}, map[string]bool{}
		for _, metric := range family.GetMetric() {
			labels = labels[:0] // all have the same
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetName())
				if label.GetName() == controllerLabel && gone[label.GetValue()] {
					found[label.GetValue()] = true
				}
			}
		}
		if len(found) == 0 {
			continue
		}
		if vector := registered(registry, family.GetName(), family.GetHelp(), labels); vector != nil {
			for name := range found {
				vector.DeletePartialMatch(prometheus.Labels{controllerLabel: name})
			}
		}
	}
}

// unknown are those names of which no engine of the process has an entry.
func (r *Recorder) unknown(names []string) map[string]bool {
	r.now.mu.Lock()
	defer r.now.mu.Unlock()
	unknown := map[string]bool{}
	for _, name := range names {
		if r.now.holders[name] == 0 {
			unknown[name] = true
		}
	}
	return unknown
}

// Registry is what series are registered with, and read from.
type Registry interface {
	prometheus.Registerer
	prometheus.Gatherer
}

// deleter is a vector, of whatever it is.
type deleter interface {
	DeletePartialMatch(labels prometheus.Labels) int
}

// registered is the vector that has the name. Its package does not give it away, but who registers another one with the same name, help
// and labels is told which one is there.
func registered(registry prometheus.Registerer, name, help string, labels []string) deleter {
	twin := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	err := registry.Register(twin)
	if err == nil { // it was not there
		registry.Unregister(twin)
		return nil
	}
	already, ok := errors.AsType[prometheus.AlreadyRegisteredError](err)
	if !ok {
		return nil
	}
	vector, _ := already.ExistingCollector.(deleter)
	return vector
}
