// Package mongodb keeps databases and users in MongoDB servers.
//
// Who owns them stands in a database of its own, orkestra, where the users that it makes cannot reach.
package mongodb
