// Package batch builds the children of the API group batch.
package batch
