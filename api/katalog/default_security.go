package katalog

import (
	"strconv"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// protections are what variables of the environment say of security, for Katalogs with a gateway that say nothing themselves. Nil and empty: nothing.
type protections struct {
	admission, deletion, conversion, namespaces      *bool
	admissionGoes, deletionGoes, namespacesGo        *bool
	admissionPolicy, deletionPolicy, namespacePolicy orkv1.FailurePolicy
	autoRotate                                       *bool
	threshold, validFor                              *orkv1.Duration
	window                                           *int32
}

// readProtections reports a variable that cannot be read.
func (l *log) readProtections(env func(string) string) protections {
	return protections{
		admission: l.readSwitch(env, "ENABLE_ADMISSION_WEBHOOK"), deletion: l.readSwitch(env, "ENABLE_DELETION_PROTECTION"),
		conversion: l.readSwitch(env, "ENABLE_CONVERSION"), namespaces: l.readSwitch(env, "ENABLE_NAMESPACE_PROTECTION"),
		admissionGoes: l.readSwitch(env, "WEBHOOK_CLEANUP_ON_SHUTDOWN"), deletionGoes: l.readSwitch(env, "DELETION_PROTECTION_CLEANUP_ON_SHUTDOWN"),
		namespacesGo:    l.readSwitch(env, "NAMESPACE_PROTECTION_CLEANUP_ON_SHUTDOWN"),
		admissionPolicy: l.readPolicy(env, "WEBHOOK_FAILURE_POLICY"), deletionPolicy: l.readPolicy(env, "DELETION_PROTECTION_POLICY"),
		namespacePolicy: l.readPolicy(env, "NAMESPACE_PROTECTION_FAILURE_POLICY"),
		autoRotate:      l.readSwitch(env, "TLS_AUTO_ROTATE"), threshold: l.readDuration(env, "TLS_ROTATION_THRESHOLD"), validFor: l.readDuration(env, "TLS_VALID_FOR"),
		window: l.readWindow(env, "CONVERSION_WINDOW"),
	}
}

func (l *log) readSwitch(env func(string) string, name string) *bool {
	text := strings.TrimSpace(env(name))
	if text == "" {
		return nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		l.errorf(Position{File: "environment"}, name, "want true or false, got %s", quote(text))
		return nil
	}
	return &value
}

func (l *log) readPolicy(env func(string) string, name string) orkv1.FailurePolicy {
	switch text := strings.TrimSpace(env(name)); text {
	case "", string(orkv1.FailurePolicyFail), string(orkv1.FailurePolicyIgnore):
		return orkv1.FailurePolicy(text)
	default:
		l.errorf(Position{File: "environment"}, name, "want Fail or Ignore, got %s", quote(text))
		return ""
	}
}

func (l *log) readWindow(env func(string) string, name string) *int32 {
	text := strings.TrimSpace(env(name))
	if text == "" {
		return nil
	}
	value, err := strconv.ParseInt(text, 10, 32)
	if err != nil || value < 1 || value > orkv1.MaxConversionWindow {
		l.errorf(Position{File: "environment"}, name, "want a number from 1 to %d, got %s", orkv1.MaxConversionWindow, quote(text))
		return nil
	}
	return new(int32(value))
}

// readDuration takes a number alone for seconds. A duration is above 0.
func (l *log) readDuration(env func(string) string, name string) *orkv1.Duration {
	text := strings.TrimSpace(env(name))
	if text == "" {
		return nil
	}
	written := text
	if _, err := strconv.ParseUint(text, 10, 31); err == nil {
		written += "s"
	}
	value, err := orkv1.ParseDuration(written)
	if err != nil || value.Duration <= 0 {
		l.errorf(Position{File: "environment"}, name, "want a duration above 0, such as 30s, or a number of seconds, got %s", quote(text))
		return nil
	}
	return &value
}

// set fills in what a Katalog does not say. Written tells whether it says something at a path.
func (p *protections) set(katalog *orkv1.Katalog, written func(path string) bool) {
	s := &orkv1.Security{}
	if katalog.Security != nil {
		s = katalog.Security
	}
	block(&s.Webhooks, p.admission)
	if s.Webhooks != nil {
		block(&s.Webhooks.Admission, p.admission)
		policyOr(&s.Webhooks.FailurePolicy, p.admissionPolicy)
		switchOr(&s.Webhooks.CleanupOnShutdown, p.admissionGoes, written("security.webhooks.cleanupOnShutdown"))
	}
	block(&s.DeletionProtection, p.deletion)
	if d := s.DeletionProtection; d != nil {
		policyOr(&d.FailurePolicy, p.deletionPolicy)
		switchOr(&d.CleanupOnShutdown, p.deletionGoes, written("security.deletionProtection.cleanupOnShutdown"))
	}
	block(&s.NamespaceProtection, p.namespaces)
	if n := s.NamespaceProtection; n != nil {
		policyOr(&n.FailurePolicy, p.namespacePolicy)
		switchOr(&n.CleanupOnShutdown, p.namespacesGo, written("security.namespaceProtection.cleanupOnShutdown"))
	}
	block(&s.Conversion, p.conversion)
	if s.Conversion != nil {
		setUnset(&s.Conversion.ConversionWindow, p.window)
	}
	if p.autoRotate != nil || p.threshold != nil || p.validFor != nil {
		block(&s.CertManager, new(true))
		setUnset(&s.CertManager.AutoRotate, p.autoRotate)
		setUnset(&s.CertManager.RotationThreshold, p.threshold)
		setUnset(&s.CertManager.ValidFor, p.validFor)
	}
	if *s != (orkv1.Security{}) {
		katalog.Security = s
	}
}

// block makes a block that is not there, if a variable switches it on.
func block[T any](field **T, on *bool) {
	if *field == nil && on != nil && *on {
		*field = new(T)
	}
}

func policyOr(field *orkv1.FailurePolicy, value orkv1.FailurePolicy) {
	if *field == "" {
		*field = value
	}
}

func switchOr(field *bool, value *bool, written bool) {
	if value != nil && !written {
		*field = *value
	}
}

func setUnset[T any](field **T, value *T) {
	if *field == nil {
		*field = value
	}
}
