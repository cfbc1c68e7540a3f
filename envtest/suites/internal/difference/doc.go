// Package difference tells what of a simulated object a live one lacks.
package difference
