package live

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// age is how long something has been there, as kubectl writes it.
func (a *api) age(since time.Time) string {
	if since.IsZero() {
		return "unknown"
	}
	return duration.HumanDuration(a.Now().Sub(since))
}
