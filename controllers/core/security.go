package core

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

func securityContext(d *controllers.Draft, s *orkv1.SecurityContext, at *field.Path) *corev1ac.SecurityContextApplyConfiguration {
	if s == nil {
		return nil
	}
	built := corev1ac.SecurityContextApplyConfiguration{
		AllowPrivilegeEscalation: s.AllowPrivilegeEscalation,
		ReadOnlyRootFilesystem:   s.ReadOnlyRootFilesystem,
		RunAsNonRoot:             s.RunAsNonRoot,
	}
	if s.Capabilities != nil {
		at := at.Child("capabilities")
		add, drop := capabilities(d, s.Capabilities.Add, at.Child("add")), capabilities(d, s.Capabilities.Drop, at.Child("drop"))
		if len(add)+len(drop) > 0 {
			built.Capabilities = corev1ac.Capabilities().WithAdd(add...).WithDrop(drop...)
		}
	}
	if built == (corev1ac.SecurityContextApplyConfiguration{}) {
		return nil
	}
	return &built
}

func podSecurity(d *controllers.Draft, s *orkv1.PodSecurity, at *field.Path) *corev1ac.PodSecurityContextApplyConfiguration {
	if s == nil {
		return nil
	}
	id := func(n *int64, name string) *int64 {
		if n != nil && (*n < 0 || *n > 1<<31-1) {
			d.Report(field.Invalid(at.Child(name), *n, "is not an id: want 0 to 2147483647"))
		}
		return n
	}
	built := corev1ac.PodSecurityContextApplyConfiguration{
		RunAsNonRoot: s.RunAsNonRoot,
		RunAsUser:    id(s.RunAsUser, "runAsUser"),
		RunAsGroup:   id(s.RunAsGroup, "runAsGroup"),
		FSGroup:      id(s.FSGroup, "fsGroup"),
	}
	if built.RunAsNonRoot == nil && built.RunAsUser == nil && built.RunAsGroup == nil && built.FSGroup == nil {
		return nil
	}
	return &built
}

func capabilities(d *controllers.Draft, texts []orkv1.Template, at *field.Path) []corev1.Capability {
	var list []corev1.Capability
	for i, text := range texts {
		name := d.Text(text)
		if name == nil {
			continue
		}
		if !slices.Contains(linuxCapabilities(), *name) {
			detail := "is not a capability of Linux, such as NET_ADMIN, or ALL"
			if known := strings.TrimPrefix(strings.ToUpper(*name), "CAP_"); slices.Contains(linuxCapabilities(), known) {
				detail = "is spelled " + known + " here"
			}
			d.Report(field.Invalid(at.Index(i), *name, detail))
		}
		if !slices.Contains(list, corev1.Capability(*name)) {
			list = append(list, corev1.Capability(*name))
		}
	}
	return list
}

// linuxCapabilities are the names of capabilities(7) without CAP_, and ALL.
func linuxCapabilities() []string {
	return []string{
		"ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN",
		"DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE",
		"MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_RAW", "PERFMON",
		"SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE",
		"SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM",
	}
}
