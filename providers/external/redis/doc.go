// Package redis asks a Redis server: one command that reads, and its reply.
package redis
