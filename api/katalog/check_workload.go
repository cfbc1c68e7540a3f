package katalog

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// identifier is a name that templates can use.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var (
	protocols           = []string{"TCP", "UDP", "SCTP"}
	serviceTypes        = []string{"ClusterIP", "NodePort", "LoadBalancer"}
	concurrencyPolicies = []string{"Allow", "Forbid", "Replace"}
	probeTypes          = []string{"http", "tcp", "exec"}
	probeSchemes        = []string{"HTTP", "HTTPS"}
)

// workload checks what runs pods. Claims are further volumes that it has.
func (c *checker) workload(w *orkv1.Workload, claims []orkv1.VolumeClaimTemplate, path *field.Path) {
	c.port(w.Port, path.Child("port"), false)
	c.oneOf(w.Protocol, protocols, path.Child("protocol"))
	for i := range w.Env {
		c.env(&w.Env[i], path.Child("env").Index(i))
	}
	if w.EnvFrom != nil {
		c.envFrom(w.EnvFrom.SecretRef, path.Child("envFrom", "secretRef"))
		c.envFrom(w.EnvFrom.ConfigMapRef, path.Child("envFrom", "configMapRef"))
	}
	c.resources(w.Resources, path.Child("resources"))
	c.probes(w.Probes, path.Child("probes"))
	c.securityContexts(w, path)
	c.volumes(w, claims, path)
}

func (c *checker) env(e *orkv1.EnvVar, path *field.Path) {
	if e.Name != "" && isStatic(e.Name) {
		c.problems(path.Child("name"), validation.IsEnvVarName(string(e.Name)))
	}
	if e.ValueFrom == nil {
		return
	}
	if e.Value != "" {
		c.errorf(path.Child("valueFrom"), "value and valueFrom exclude each other; keep one")
	}
	if (e.ValueFrom.SecretKeyRef == nil) == (e.ValueFrom.ConfigMapKeyRef == nil) {
		c.errorf(path.Child("valueFrom"), "set exactly one of secretKeyRef and configMapKeyRef")
	}
}

func (c *checker) envFrom(refs []orkv1.EnvFromRef, path *field.Path) {
	for i := range refs {
		if refs[i].Suffix != "" && len(refs[i].Keys) == 0 {
			c.errorf(path.Index(i).Child("suffix"), "needs keys, for without them the variables are called as the keys are")
		}
	}
}

func (c *checker) resources(r *orkv1.Resources, path *field.Path) {
	if r == nil {
		return
	}
	c.profileOr(r.Profile, len(r.Requests)+len(r.Limits) > 0, "requests and limits", path)
	for name, list := range map[string]map[string]orkv1.Template{"requests": r.Requests, "limits": r.Limits} {
		for key, quantity := range list {
			c.quantity(quantity, path.Child(name).Key(key))
		}
	}
	for key, request := range r.Requests {
		limit, ok := r.Limits[key]
		if !ok || !isStatic(request) || !isStatic(limit) {
			continue
		}
		want, wantErr := orkv1.ParseQuantity(string(request))
		most, mostErr := orkv1.ParseQuantity(string(limit))
		if wantErr == nil && mostErr == nil && want.Cmp(most) > 0 {
			c.errorf(path.Child("requests").Key(key), "must not be above the limit (%s), got %s", limit, request)
		}
	}
}

func (c *checker) probes(p *orkv1.Probes, path *field.Path) {
	if p == nil {
		return
	}
	c.probe(p.Startup, path.Child("startup"))
	c.probe(p.Liveness, path.Child("liveness"))
	c.probe(p.Readiness, path.Child("readiness"))
}

func (c *checker) probe(p *orkv1.Probe, path *field.Path) {
	if p == nil {
		return
	}
	kind := p.Type
	switch {
	case kind == "" && p.Path != "":
		kind = "http"
	case kind == "" && len(p.Command) > 0:
		kind = "exec"
	case kind == "":
		kind = "tcp"
	default:
		c.oneOf(orkv1.Template(kind), probeTypes, path.Child("type"))
	}
	if kind == "exec" && len(p.Command) == 0 {
		c.errorf(path.Child("command"), "required for an exec probe")
	}
	if kind != "exec" && len(p.Command) > 0 {
		c.errorf(path.Child("command"), "is for exec probes alone")
	}
	c.port(p.Port, path.Child("port"), true)
	c.oneOf(p.Scheme, probeSchemes, path.Child("scheme"))
	times := map[string]*int32{
		"initialDelaySeconds": p.InitialDelaySeconds, "periodSeconds": p.PeriodSeconds, "timeoutSeconds": p.TimeoutSeconds,
		"failureThreshold": p.FailureThreshold, "successThreshold": p.SuccessThreshold,
	}
	explicit := false
	for name, value := range times {
		if value == nil {
			continue
		}
		explicit = true
		if least := int32(1); *value < least && (name != "initialDelaySeconds" || *value < 0) {
			c.errorf(path.Child(name), "is too small, got %d", *value)
		}
	}
	c.profileOr(p.Profile, explicit, "times", path)
}

func (c *checker) securityContexts(w *orkv1.Workload, path *field.Path) {
	if s := w.SecurityContext; s != nil {
		explicit := s.AllowPrivilegeEscalation != nil || s.ReadOnlyRootFilesystem != nil || s.RunAsNonRoot != nil || s.Capabilities != nil
		c.profileOr(s.Profile, explicit, "explicit fields", path.Child("securityContext"))
		if s.Capabilities != nil {
			c.capabilities(s.Capabilities.Add, path.Child("securityContext", "capabilities", "add"))
			c.capabilities(s.Capabilities.Drop, path.Child("securityContext", "capabilities", "drop"))
		}
	}
	if s := w.PodSecurity; s != nil {
		explicit := s.RunAsNonRoot != nil || s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil
		c.profileOr(s.Profile, explicit, "explicit fields", path.Child("podSecurity"))
	}
}

// capabilityNames are those of Linux, without CAP_, and ALL.
var capabilityNames = setOf("ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN",
	"DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN",
	"MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP",
	"SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO",
	"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM")

func (c *checker) capabilities(names []orkv1.Template, path *field.Path) {
	for i, name := range names {
		switch bare, prefixed := strings.CutPrefix(string(name), "CAP_"); {
		case !isStatic(name) || capabilityNames[string(name)]:
		case prefixed && capabilityNames[bare]:
			c.errorf(path.Index(i), "write %s, without CAP_", bare)
		default:
			c.errorf(path.Index(i), "unknown capability %s; they are written as NET_ADMIN is", quote(string(name)))
		}
	}
}

func (c *checker) volumes(w *orkv1.Workload, claims []orkv1.VolumeClaimTemplate, path *field.Path) {
	names, certain := map[orkv1.Template]bool{}, true
	for i := range claims {
		if names[claims[i].Name] {
			c.errorf(path.Child("volumeClaimTemplates").Index(i).Child("name"), "%s stands twice", quote(string(claims[i].Name)))
		}
		names[claims[i].Name] = true
		certain = certain && isStatic(claims[i].Name)
	}
	for i := range w.Volumes {
		v, at := &w.Volumes[i], path.Child("volumes").Index(i)
		if names[v.Name] {
			c.errorf(at.Child("name"), "%s stands twice", quote(string(v.Name)))
		}
		names[v.Name] = true
		certain = certain && isStatic(v.Name)
		sources := 0
		for _, set := range []bool{v.ConfigMap != nil, v.Secret != nil, v.EmptyDir != nil, v.PersistentVolumeClaim != nil, v.HostPath != nil} {
			if set {
				sources++
			}
		}
		if sources != 1 {
			c.invalidf(at, []string{"configMap", "secret", "emptyDir", "persistentVolumeClaim", "hostPath"}, "want exactly one source, got %d", sources)
		}
		if v.Secret != nil && (v.Secret.Name == "") == (v.Secret.SecretName == "") {
			c.errorf(at.Child("secret"), "set exactly one of name and secretName")
		}
	}
	for i := range w.VolumeMounts {
		m := &w.VolumeMounts[i]
		if certain && m.Name != "" && isStatic(m.Name) && !names[m.Name] {
			c.errorf(path.Child("volumeMounts").Index(i).Child("name"), "no volume is called %s", quote(string(m.Name)))
		}
	}
}

func (c *checker) rollingUpdate(r *orkv1.RollingUpdate, path *field.Path) {
	if r == nil {
		return
	}
	c.profileOr(r.Profile, r.MaxSurge != "" || r.MaxUnavailable != "", "explicit fields", path)
	c.countOrPercent(r.MaxSurge, path.Child("maxSurge"))
	c.countOrPercent(r.MaxUnavailable, path.Child("maxUnavailable"))
}
