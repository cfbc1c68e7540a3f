// Package postgres asks a PostgreSQL server: one statement that reads, in a transaction that may do no more, and its rows.
package postgres
