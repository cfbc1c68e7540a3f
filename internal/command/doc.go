// Package command is what the commands of ork have in common: wrong usage and exit codes, the environment, logging, how a cluster is found,
// and what is printed of findings. It knows nothing of what a command does.
package command
