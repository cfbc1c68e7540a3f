// Package core builds the children of the core API group, and the pods that the workloads of other groups run.
package core
