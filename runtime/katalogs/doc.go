// Package katalogs decides which Katalogs an engine runs: those of files, which can change while it runs, and Katalog objects of the
// cluster, whose status it writes. It does not read files and it runs nothing itself.
package katalogs
