package core

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// How a probe asks.
const (
	probeHTTP = "http"
	probeTCP  = "tcp"
	probeExec = "exec"
)

// containerPort is the port that a probe asks if it has none itself.
type containerPort struct {
	// declared is true of a port whose number is wrong or not known yet, too.
	declared bool
	number   *int32
}

// probes sets the probes of the container.
func probes(d *controllers.Draft, c *corev1ac.ContainerApplyConfiguration, in *orkv1.Probes, port containerPort, at *field.Path) {
	if in == nil {
		return
	}
	c.StartupProbe = probe(d, in.Startup, port, at.Child("startup"))
	succeedsOnce(d, in.Startup, at.Child("startup"))
	c.LivenessProbe = probe(d, in.Liveness, port, at.Child("liveness"))
	succeedsOnce(d, in.Liveness, at.Child("liveness"))
	c.ReadinessProbe = probe(d, in.Readiness, port, at.Child("readiness"))
}

// succeedsOnce reports a threshold that the API server takes for readiness alone.
func succeedsOnce(d *controllers.Draft, p *orkv1.Probe, at *field.Path) {
	if p != nil && p.SuccessThreshold != nil && *p.SuccessThreshold > 1 {
		d.Report(field.Invalid(at.Child("successThreshold"), *p.SuccessThreshold, "must be 1: only a readiness probe may ask for more"))
	}
}

func probe(d *controllers.Draft, p *orkv1.Probe, container containerPort, at *field.Path) *corev1ac.ProbeApplyConfiguration {
	if p == nil {
		return nil
	}
	built := timing(d, p, at)
	kind := probeKind(d, p, at)
	unfit(d, p, kind, at)
	switch kind {
	case probeExec:
		if len(p.Command) == 0 {
			d.Report(field.Required(at.Child("command"), "a command is required: the probe is of type exec"))
		}
		built.WithExec(corev1ac.ExecAction().WithCommand(words(p.Command)...))
	case probeTCP:
		built.WithTCPSocket(&corev1ac.TCPSocketActionApplyConfiguration{Port: probePort(d, p, container, at)})
	case probeHTTP:
		// Left out, the API server would fill it in, and a comparison of whole objects would never come to rest.
		scheme := corev1.URISchemeHTTP
		if text := d.OneOf(p.Scheme, at.Child("scheme"), string(corev1.URISchemeHTTP), string(corev1.URISchemeHTTPS)); text != nil {
			scheme = corev1.URIScheme(*text)
		}
		get := corev1ac.HTTPGetAction().WithScheme(scheme)
		get.Path, get.Port = d.Text(p.Path), probePort(d, p, container, at)
		built.WithHTTPGet(get)
	}
	return built
}

// probeKind is the type that the probe names, else the one of its fields, else tcp.
func probeKind(d *controllers.Draft, p *orkv1.Probe, at *field.Path) string {
	if kind := d.OneOf(orkv1.Template(p.Type), at.Child("type"), probeHTTP, probeTCP, probeExec); kind != nil {
		return *kind
	}
	switch {
	case p.Path != "":
		return probeHTTP
	case len(p.Command) > 0:
		return probeExec
	default:
		return probeTCP
	}
}

// unfit reports fields that a probe of the kind would not look at.
func unfit(d *controllers.Draft, p *orkv1.Probe, kind string, at *field.Path) {
	for _, f := range []struct {
		name, kind string
		given      bool
	}{
		{"path", probeHTTP, p.Path != ""},
		{"scheme", probeHTTP, p.Scheme != ""},
		{"command", probeExec, len(p.Command) > 0},
	} {
		if f.given && f.kind != kind {
			d.Report(field.Forbidden(at.Child(f.name), "a probe of type "+kind+" has none: remove it, or make the type "+f.kind))
		}
	}
}

// probePort is the probe's own port, else the container's.
func probePort(d *controllers.Draft, p *orkv1.Probe, container containerPort, at *field.Path) *intstr.IntOrString {
	at = at.Child("port")
	port := container.number
	switch own := strings.TrimSpace(string(p.Port)); {
	case own != "":
		port = d.Port(p.Port, at)
	case !container.declared:
		d.Report(field.Required(at, "a port is required: the container has none"))
	}
	if port == nil {
		return nil
	}
	return new(intstr.FromInt32(*port))
}

// timing takes what the probe says, or the preset of one that says nothing. Zero means the API server's default there,
// and is not kept by it.
func timing(d *controllers.Draft, p *orkv1.Probe, at *field.Path) *corev1ac.ProbeApplyConfiguration {
	if p.InitialDelaySeconds == nil && p.PeriodSeconds == nil && p.FailureThreshold == nil && p.SuccessThreshold == nil && p.TimeoutSeconds == nil {
		standard := profile.StandardProbe()
		return &corev1ac.ProbeApplyConfiguration{
			InitialDelaySeconds: standard.InitialDelaySeconds, PeriodSeconds: standard.PeriodSeconds, FailureThreshold: standard.FailureThreshold,
			SuccessThreshold: standard.SuccessThreshold, TimeoutSeconds: standard.TimeoutSeconds,
		}
	}
	number := func(n *int32, name string) *int32 {
		switch {
		case n == nil || *n == 0:
			return nil
		case *n < 0:
			d.Report(field.Invalid(at.Child(name), *n, "is below 0"))
		}
		return n
	}
	return &corev1ac.ProbeApplyConfiguration{
		InitialDelaySeconds: number(p.InitialDelaySeconds, "initialDelaySeconds"),
		PeriodSeconds:       number(p.PeriodSeconds, "periodSeconds"),
		FailureThreshold:    number(p.FailureThreshold, "failureThreshold"),
		SuccessThreshold:    number(p.SuccessThreshold, "successThreshold"),
		TimeoutSeconds:      number(p.TimeoutSeconds, "timeoutSeconds"),
	}
}
