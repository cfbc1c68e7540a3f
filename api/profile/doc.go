// Package profile has the presets that a Katalog can name in place of fields: the built-in ones, those of a Katalog, and where in a
// declaration each class of them belongs. It works on declarations alone, and reads the names as they are: what a name that is a
// template renders to, and the templates in a preset, are for those who have the facts.
package profile
