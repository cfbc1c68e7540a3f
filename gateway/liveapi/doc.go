// Package liveapi asks a running operator over HTTP for what only it knows: how a CRD is doing, and which values its resources have. What the
// answers mean for a rule is known elsewhere.
package liveapi
