// Package events holds integration tests of what leads to a cycle, and of what decides by whom it is run, against a real API server.
package events
