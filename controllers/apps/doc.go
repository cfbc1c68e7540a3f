// Package apps builds the children of the API group apps.
package apps
