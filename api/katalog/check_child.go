package katalog

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func (c *checker) service(s *orkv1.Service, role blockRole, path *field.Path) {
	c.oneOf(s.Type, serviceTypes, path.Child("type"))
	c.oneOf(s.Protocol, protocols, path.Child("protocol"))
	if s.Port == "" && !s.Headless && role != blockDelete { // DNS alone needs no port
		c.errorf(path.Child("port"), "required")
	}
	c.port(s.Port, path.Child("port"), false)
	c.port(s.TargetPort, path.Child("targetPort"), true)
	if s.Headless && s.Type != "" && isStatic(s.Type) && s.Type != "ClusterIP" {
		c.errorf(path.Child("headless"), "a headless Service has the type ClusterIP, not %s", s.Type)
	}
}

func (c *checker) secret(s *orkv1.Secret, role blockRole, path *field.Path) {
	kept := role == blockReconcile || role == blockCreate && s.Reconcile
	if s.Once && kept {
		c.warnf(path.Child("once"), "is ignored, for the Secret is kept as declared; declare it in onCreate without reconcile")
	}
	if s.RotateAfter != nil && kept && s.TLS == nil {
		c.warnf(path.Child("rotateAfter"), "is ignored, for the data is kept as declared; declare it in onCreate without reconcile")
	}
	if s.TLS != nil && len(s.Data) > 0 {
		c.warnf(path.Child("data"), "is ignored, for tls makes the data")
	}
	if s.TLS != nil && s.TLS.ValidFor != nil && s.RotateAfter != nil && s.TLS.ValidFor.Duration < s.RotateAfter.Duration {
		c.errorf(path.Child("tls", "validFor"), "must not be shorter than rotateAfter (%s), got %s", s.RotateAfter, s.TLS.ValidFor)
	}
	c.positive(s.RotateAfter, path.Child("rotateAfter"))
}

func (c *checker) cronJob(j *orkv1.CronJob, role blockRole, path *field.Path) {
	if j.Schedule == "" && role != blockDelete {
		c.errorf(path.Child("schedule"), "required")
	}
	if j.ConcurrencyPolicy != "" && isStatic(j.ConcurrencyPolicy) && !slices.ContainsFunc(concurrencyPolicies, func(valid string) bool {
		return strings.EqualFold(valid, string(j.ConcurrencyPolicy))
	}) {
		c.invalidf(path.Child("concurrencyPolicy"), concurrencyPolicies, "unknown value %s", quote(string(j.ConcurrencyPolicy)))
	}
	if j.Suspend != "" && isStatic(j.Suspend) {
		if _, err := strconv.ParseBool(string(j.Suspend)); err != nil {
			c.errorf(path.Child("suspend"), "want true or false, got %s", quote(string(j.Suspend)))
		}
	}
	c.count(j.SuccessfulJobsHistoryLimit, path.Child("successfulJobsHistoryLimit"))
	c.count(j.FailedJobsHistoryLimit, path.Child("failedJobsHistoryLimit"))
	c.count(j.StartingDeadlineSeconds, path.Child("startingDeadlineSeconds"))
}
