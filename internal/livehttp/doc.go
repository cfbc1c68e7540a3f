// Package livehttp is what the live APIs of the processes have in common: they answer JSON, to who has the token, and change nothing.
package livehttp
