// Package cli holds the commands that run and check Katalogs. It reads flags and prints; what a command does belongs to the
// packages that it calls.
package cli
