// Package conditionstest is for tests of places that have conditions: the same Cases hold or fail in all of them.
package conditionstest
