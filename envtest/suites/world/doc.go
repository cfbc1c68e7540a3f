// Package world has no code but tests: they show against a real API server, and real servers beside it, what an operator does outside of
// its own resources: it reads others, calls services, fetches repositories, builds images, and keeps infrastructure.
package world
