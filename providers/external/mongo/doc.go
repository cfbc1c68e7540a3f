// Package mongo asks a MongoDB server: documents of a collection, or what a command tells that reads.
package mongo
