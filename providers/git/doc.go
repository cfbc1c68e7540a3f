// Package git keeps working copies of git repositories, one for each resource that needs one. It implements checkout.Fetcher over HTTP and SSH.
//
// What a resource names is not trusted: its URL, branch and path are checked before anything is asked, connections go through a reach.Dialer,
// no process is started, and how much a repository may take of time, memory and disk is bounded. Nor is what a repository holds: a link that
// leads out of the working copy is refused, submodules are not fetched, and nothing in it is ever run.
package git
