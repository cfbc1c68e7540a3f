// Package definition makes CustomResourceDefinitions for suites that care about what is done with resources, not about their fields.
package definition
