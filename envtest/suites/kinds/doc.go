// Package kinds holds integration tests of every kind of child: that the API server takes it, and that it is kept, removed and collected
// as the documentation says.
package kinds
