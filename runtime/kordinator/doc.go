// Package kordinator stands between the queue and the reconcilers: it reads the resource of an item, resolves its effective
// box, hands both on, and keeps account of what came back. It knows neither who queued the item nor which reconciler runs.
package kordinator
