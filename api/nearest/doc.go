// Package nearest finds the word that somebody probably meant. It knows nothing of what the words are for.
package nearest
