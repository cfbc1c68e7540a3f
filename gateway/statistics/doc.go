// Package statistics holds what came of the latest requests of each webhook about each resource: how many were denied, and how long they took.
package statistics
