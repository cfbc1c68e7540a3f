// Package command builds ork and runs it for suites, as a person would: with arguments, and with nothing but its output and exit
// code to judge it by.
package command
