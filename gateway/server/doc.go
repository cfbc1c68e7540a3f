// Package server puts the gateway together: webhooks on a controller-runtime Manager, the certificate that they are served with, and what the API server
// is told of them. It has no leader: any number of replicas serve, and each of them keeps all of it right.
package server
