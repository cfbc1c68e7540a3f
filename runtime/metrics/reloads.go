package metrics

import "github.com/prometheus/client_golang/prometheus"

// Reloads are the series of the Katalog files that are read while they run.
type Reloads struct {
	total      *prometheus.CounterVec
	successful *prometheus.GaugeVec
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
	}
	for _, register := range []func() error{share(registerer, &r.total), share(registerer, &r.successful)} {
		if err := register(); err != nil {
			return nil, err
		}
	}
	for _, result := range []string{"success", "error"} {
		r.total.WithLabelValues(result)
	}
	r.successful.WithLabelValues().Set(1)
	return r, nil
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
