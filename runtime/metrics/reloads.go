package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/orkestra-runtime/orkestra/internal/series"
)

// Reloads are the series of the Katalog files that are read while they run.
type Reloads struct {
	total      *prometheus.CounterVec
	successful *prometheus.GaugeVec
	objects    *prometheus.GaugeVec
}

// NewReloads makes the series and registers them. What was read at the start counts as successful.
func NewReloads(registerer prometheus.Registerer) (*Reloads, error) {
	r := &Reloads{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_katalog_reload_total", Help: "Katalog files read anew by result: success or error.",
		}, []string{"result"}),
		successful: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orkestra_katalog_last_reload_successful", Help: "1 when what the Katalog files say now is what runs, 0 when they are wrong.",
		}, nil),
		objects: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orkestra_katalog_objects", Help: "Katalog objects by state: accepted as they are, or refused.",
		}, []string{"state"}),
	}
	for _, register := range []func() error{series.Share(registerer, &r.total), series.Share(registerer, &r.successful), series.Share(registerer, &r.objects)} {
		if err := register(); err != nil {
			return nil, err
		}
	}
	for _, result := range []string{"success", "error"} {
		r.total.WithLabelValues(result)
	}
	r.successful.WithLabelValues().Set(1)
	r.Objects(0, 0)
	return r, nil
}

// Objects records how many Katalog objects are accepted as they are, and how many are refused.
func (r *Reloads) Objects(accepted, refused int) {
	r.objects.WithLabelValues("accepted").Set(float64(accepted))
	r.objects.WithLabelValues("refused").Set(float64(refused))
}

// Reloaded records that the files were read anew.
func (r *Reloads) Reloaded(err error) {
	if err != nil {
		r.total.WithLabelValues("error").Inc()
		r.successful.WithLabelValues().Set(0)
		return
	}
	r.total.WithLabelValues("success").Inc()
	r.successful.WithLabelValues().Set(1)
}
