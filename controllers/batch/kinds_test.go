package batch_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/batch"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
)

func TestGolden(t *testing.T) {
	for _, kind := range []controllers.Kind{batch.Jobs(), batch.CronJobs()} {
		t.Run(kind.Key, func(t *testing.T) { kindtest.Golden(t, kind) })
	}
}

func TestJobsAreCreatedOnce(t *testing.T) {
	if !batch.Jobs().CreateOnce {
		t.Error("a Job would be changed, which the API server refuses")
	}
	if batch.CronJobs().CreateOnce {
		t.Error("a CronJob would not be kept as declared")
	}
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   controllers.Kind
		in     string
		want   string
	}{
		"BackoffLimit": {
			reason: "a limit is a number",
			kind:   batch.Jobs(),
			in:     `{image: i, backoffLimit: few}`,
			want:   `jobs[0].backoffLimit: "few" is not a whole number`,
		},
		"JobName": {
			reason: "the pods carry the name in a label",
			kind:   batch.Jobs(),
			in:     `{image: i, name: a234567890123456789012345678901234567890123456789012345678901234}`,
			want: `jobs[0].name: "a234567890123456789012345678901234567890123456789012345678901234" is not a name that the kind can have: ` +
				`must be no more than 63 characters`,
		},
		"CronJobName": {
			reason: "the Jobs carry the name and a time",
			kind:   batch.CronJobs(),
			in:     `{image: i, schedule: "@daily", name: a2345678901234567890123456789012345678901234567890123}`,
			want: `cronJobs[0].name: "a2345678901234567890123456789012345678901234567890123" is not a name that the kind can have: ` +
				`must be no more than 52 characters`,
		},
		"NoSchedule": {
			reason: "a CronJob without a schedule never runs",
			kind:   batch.CronJobs(),
			in:     `{image: i}`,
			want:   `cronJobs[0].schedule: a schedule is required`,
		},
		"Schedule": {
			reason: "the parser's words say what is wrong",
			kind:   batch.CronJobs(),
			in:     `{image: i, schedule: "61 * * * *"}`,
			want:   `cronJobs[0].schedule: "61 * * * *" is not a cron expression: end of range (61) above maximum (59): 61`,
		},
		"ScheduleWithTimeZone": {
			reason: "the API server refuses a time zone in a schedule",
			kind:   batch.CronJobs(),
			in:     `{image: i, schedule: "TZ=UTC"}`,
			want:   `cronJobs[0].schedule: "TZ=UTC" names a time zone: Kubernetes does not take one in a schedule`,
		},
		"Suspend": {
			reason: "suspend is true or false",
			kind:   batch.CronJobs(),
			in:     `{image: i, schedule: "@daily", suspend: "yes"}`,
			want:   `cronJobs[0].suspend: "yes" is not one of true, false`,
		},
		"Policy": {
			reason: "there are three policies",
			kind:   batch.CronJobs(),
			in:     `{image: i, schedule: "@daily", concurrencyPolicy: queue}`,
			want:   `cronJobs[0].concurrencyPolicy: "queue" is not one of Allow, Forbid, Replace`,
		},
		"Limits": {
			reason: "the limits are numbers of at least 0",
			kind:   batch.CronJobs(),
			in: `{image: i, schedule: "@daily", successfulJobsHistoryLimit: x, failedJobsHistoryLimit: "-1", ` +
				`startingDeadlineSeconds: 1s}`,
			want: `cronJobs[0].startingDeadlineSeconds: "1s" is not a whole number; ` +
				`cronJobs[0].successfulJobsHistoryLimit: "x" is not a whole number; ` +
				`cronJobs[0].failedJobsHistoryLimit: "-1" is out of range: want 0 to 2147483647`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, tc.kind, tc.in, tc.want)
		})
	}
}
