// Package prometheus asks a Prometheus server, or one that speaks as it does, for the value of an expression at the moment.
package prometheus
