// Package cli holds the commands of the gateway. It reads flags and prints; what a command does belongs to the packages that it calls.
package cli
