// Package postgres keeps databases, roles and grants in PostgreSQL servers, from version 13 on.
//
// A database and a role carry their owner in a comment, which is made together with them. A grant belongs to whoever owns its database.
package postgres
