package main

import (
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// vocabulary is the words that a text, or an element of a list of texts, is one of. A type with Values needs none: the words of
// this kind are checked by whoever reads the field, not by its decoder.
type vocabulary struct {
	words []string
	// anyCase takes the words in any case.
	anyCase bool
	// open takes other words as well, such as the names that a Katalog declares.
	open bool
}

func one(words ...string) vocabulary { return vocabulary{words: words} }

func anyCase(words ...string) vocabulary { return vocabulary{words: words, anyCase: true} }

func open(words ...string) vocabulary { return vocabulary{words: words, open: true} }

// presets are the names of the built-in profiles of a class.
func presets(class profile.Class) vocabulary { return open(profile.NewSet(nil).Names(class)...) }

// vocabularies are those of fields, by Type.Field.
func vocabularies() map[string]vocabulary {
	protocols := one("TCP", "UDP", "SCTP")
	days := anyCase("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
	accessModes := one("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
	group := one("rbac.authorization.k8s.io")
	return map[string]vocabulary{
		"Condition.Operator":     operators(),
		"Condition.ValueType":    one("string", "int", "integer", "float", "bool", "boolean"),
		"DayOfWeek.In":           days,
		"DayOfWeek.NotIn":        days,
		"MutationRule.ValueType": one("string", "int", "integer", "float", "number", "bool", "boolean"),
		"StatusField.Type":       one("string", "int", "float", "bool", "auto", "str", "integer", "boolean"),

		"PreReconcile.Sentinels":    sentinels(),
		"Gate.Sentinels":            sentinels(),
		"ExternalCall.Method":       anyCase("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
		"Reconciler.Profile":        presets(profile.Reconciler),
		"OperatorAutoscale.Profile": anyCase("burst", "steady", "batch", "latency-sensitive", "cost-optimized"),

		"Workload.Protocol":       protocols,
		"Probe.Type":              one("http", "tcp", "exec"),
		"Probe.Scheme":            one("HTTP", "HTTPS"),
		"Probe.Profile":           presets(profile.Probes),
		"Resources.Profile":       presets(profile.Resources),
		"SecurityContext.Profile": presets(profile.ContainerSecurity),
		"PodSecurity.Profile":     presets(profile.PodSecurity),
		"Capabilities.Add":        capabilities(),
		"Capabilities.Drop":       capabilities(),
		"EmptyDir.Medium":         anyCase("Memory", "HugePages"),

		"RollingUpdate.Profile":     presets(profile.RollingUpdate),
		"Pod.RestartPolicy":         one("Always", "OnFailure", "Never"),
		"CronJob.ConcurrencyPolicy": anyCase("Allow", "Forbid", "Replace"),
		"Secret.Type": open("Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson", "kubernetes.io/basic-auth",
			"kubernetes.io/ssh-auth"),

		"Service.Type":          one("ClusterIP", "NodePort", "LoadBalancer"),
		"Service.Protocol":      protocols,
		"Ingress.PathType":      one("Prefix", "Exact", "ImplementationSpecific"),
		"NetworkPort.Protocol":  protocols,
		"NetworkPolicy.Profile": presets(profile.NetworkPolicies),

		"PersistentVolume.AccessModes":      accessModes,
		"PersistentVolume.ReclaimPolicy":    one("Retain", "Delete", "Recycle"),
		"PersistentVolumeClaim.AccessModes": accessModes,
		"PersistentVolumeClaim.VolumeMode":  one("Filesystem", "Block"),
		"VolumeClaimTemplate.AccessModes":   accessModes,

		"ScaleTargetRef.Kind":     open("Deployment", "StatefulSet", "ReplicaSet"),
		"HPABehavior.Profile":     presets(profile.HPA),
		"HPAScaling.SelectPolicy": one("Max", "Min", "Disabled"),
		"HPAScalingPolicy.Type":   one("Pods", "Percent"),
		"PDBBehavior.Profile":     presets(profile.PDB),
		"ResourceQuota.Profile":   presets(profile.ResourceQuotas),
		"LimitRangeItem.Type":     one("Container", "Pod", "PersistentVolumeClaim"),

		"PolicyRule.Verbs": open("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"),
		"RoleRef.Kind":     one("Role", "ClusterRole"),
		"RoleRef.APIGroup": group,
		"Subject.Kind":     one("ServiceAccount", "User", "Group"),
		"Subject.APIGroup": group,
	}
}

// operators are the names of comparisons, short ones and those of the short forms last.
func operators() vocabulary {
	return one("equals", "notEquals", "in", "notIn", "contains", "notContains", "prefix", "notPrefix", "suffix", "notSuffix",
		"regex", "gt", "gte", "lt", "lte", "between", "notBetween", "exists", "notExists", "unique", "typeOf", "typeMap",
		"typeList", "typeString", "typeNumber", "typeBool", "typeNull",
		"eq", "ne", "neq", "greaterThan", "greaterThanOrEqual", "min", "lessThan", "lessThanOrEqual", "max")
}

func sentinels() vocabulary {
	return one("generationChanged", "labelsChanged", "annotationsChanged", "deletionStarted", "finalizersChanged", "nameChanged",
		"namespaceChanged", "generateNameChanged", "uidChanged", "resourceVersionChanged", "creationTimestampChanged",
		"deletionGracePeriodSecondsChanged", "ownerReferenceChanged", "managedFieldsChanged")
}

// capabilities are those of Linux without CAP_, and ALL.
func capabilities() vocabulary {
	return one("ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN",
		"DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE",
		"MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_RAW", "PERFMON", "SETFCAP",
		"SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT",
		"SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM")
}

var typeTemplate = reflect.TypeFor[orkv1.Template]()

// schema is that of a field of a type: a text, or a list of texts.
func (v vocabulary) schema(t reflect.Type) object {
	if t.Kind() == reflect.Slice {
		return object{"type": "array", "items": v.schema(t.Elem())}
	}
	words := object{"type": "string", "enum": v.words}
	var others []string
	if t == typeTemplate {
		others = append(others, "^$", expression)
	}
	if v.anyCase {
		others = append(others, spelledAs(v.words, ""))
	}
	switch {
	case v.open:
		return either(words, object{"type": text})
	case len(others) > 0:
		return either(words, object{"type": "string", "pattern": strings.Join(others, "|")})
	default:
		return words
	}
}

// spelledAs is a pattern of words in any case, and with anything of a pattern between two letters. The regular expressions of
// JSON schema know no other way.
func spelledAs(words []string, between string) string {
	spellings := make([]string, len(words))
	for i, word := range words {
		letters := make([]string, 0, len(word))
		for _, letter := range word {
			lower, upper := string(unicode.ToLower(letter)), string(unicode.ToUpper(letter))
			if lower == upper {
				letters = append(letters, regexp.QuoteMeta(lower))
			} else {
				letters = append(letters, "["+upper+lower+"]")
			}
		}
		spellings[i] = strings.Join(letters, between)
	}
	return "^(" + strings.Join(spellings, "|") + ")$"
}
