// Package autoscale changes how much the controller of one CRD takes on while the conditions of its autoscaler hold. It owns when that
// changes; it does not know what the numbers are changed in, nor where the metrics come from.
package autoscale
