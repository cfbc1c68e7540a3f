// Package reload tells when files have other contents. It knows nothing of what they hold.
package reload
