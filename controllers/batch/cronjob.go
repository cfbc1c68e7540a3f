package batch

import (
	"strings"

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// maxCronJobName leaves room for the time that the names of its Jobs end in.
const maxCronJobName = 52

// CronJobs builds batch/v1 CronJobs. A container that fails restarts in its pod: with a pod for each attempt, a schedule
// that keeps failing would fill the namespace with them.
func CronJobs() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.CronJob]{
		Kind:       controllers.Kind{Key: "cronJobs", GVK: batchv1.SchemeGroupVersion.WithKind("CronJob")},
		List:       func(b *orkv1.Block) []orkv1.CronJob { return b.CronJobs },
		Common:     func(in *orkv1.CronJob) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-cronjob",
		CheckName:  subdomainUpTo(maxCronJobName),
		Build:      buildCronJob,
	})
}

func buildCronJob(d *controllers.Draft, in *orkv1.CronJob, at *field.Path) any {
	template := core.PodTemplate(d, &in.Workload, d.PodLabels(), at)
	template.Spec.WithRestartPolicy(corev1.RestartPolicyOnFailure)
	spec := batchv1ac.CronJobSpec().
		WithSuspend(false).
		WithSuccessfulJobsHistoryLimit(3).
		WithFailedJobsHistoryLimit(1).
		WithConcurrencyPolicy(batchv1.AllowConcurrent).
		WithJobTemplate(batchv1ac.JobTemplateSpec().WithSpec(batchv1ac.JobSpec().WithTemplate(template)))
	spec.Schedule = schedule(d, in.Schedule, at.Child("schedule"))
	spec.StartingDeadlineSeconds = d.Int64(in.StartingDeadlineSeconds, 0, at.Child("startingDeadlineSeconds"))
	if suspend := d.Bool(in.Suspend, at.Child("suspend")); suspend != nil {
		spec.WithSuspend(*suspend)
	}
	if limit := d.Int32(in.SuccessfulJobsHistoryLimit, 0, at.Child("successfulJobsHistoryLimit")); limit != nil {
		spec.WithSuccessfulJobsHistoryLimit(*limit)
	}
	if limit := d.Int32(in.FailedJobsHistoryLimit, 0, at.Child("failedJobsHistoryLimit")); limit != nil {
		spec.WithFailedJobsHistoryLimit(*limit)
	}
	if policy := d.OneOf(in.ConcurrencyPolicy, at.Child("concurrencyPolicy"), string(batchv1.AllowConcurrent),
		string(batchv1.ForbidConcurrent), string(batchv1.ReplaceConcurrent)); policy != nil {
		spec.WithConcurrencyPolicy(batchv1.ConcurrencyPolicy(*policy))
	}
	return batchv1ac.CronJob(d.Name, "").WithSpec(spec)
}

func schedule(d *controllers.Draft, text orkv1.Template, at *field.Path) *string {
	expression := d.Required(text, "a schedule is required", at)
	if expression == nil {
		return nil
	}
	// The parser would take it, the API server does not.
	if strings.Contains(*expression, "TZ=") {
		d.Report(field.Invalid(at, *expression, "names a time zone: Kubernetes does not take one in a schedule"))
		return nil
	}
	if _, err := cron.ParseStandard(*expression); err != nil {
		d.Report(field.Invalid(at, *expression, "is not a cron expression: "+err.Error()))
		return nil
	}
	return expression
}
