// Package corpus tests that Katalogs which others wrote load and settle: the packs of a folder that is not part of the
// repository, as far as its index says that they can.
package corpus
