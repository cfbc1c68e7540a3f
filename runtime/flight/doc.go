// Package flight remembers for each resource what happened to it lately: the events that were seen, what the gates said, what a cycle
// wrote and how it ended. It answers the question why something was done, or not.
//
// Memory is bounded: so many records for a resource, and so many resources, of which the longest untouched goes first.
package flight
