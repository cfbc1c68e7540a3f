// Package clusters reaches the other clusters that a gateway applies resources to. A cluster that cannot be reached is nobody else's trouble: it is
// told, and tried again.
package clusters
