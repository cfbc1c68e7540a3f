// Package gateway has no code but tests: they show against a real API server what the gateway's webhooks do, with two replicas of it.
package gateway
