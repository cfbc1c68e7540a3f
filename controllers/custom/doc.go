// Package custom builds children of any kind, from the object that a declaration spells out.
package custom
