// Package registration keeps what the API server must know of the gateway: the configurations of its webhooks, and in definitions with several
// versions where they are converted.
//
// It owns how a webhook is registered: for which resources, with which exceptions, and what the API server does while nobody answers. The exceptions
// that must hold while no gateway is there are conditions that the API server evaluates by itself.
package registration
