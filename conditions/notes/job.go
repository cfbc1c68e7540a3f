package notes

func jobFamily() []Function {
	test := func(name, doc, example, result string, code func(any) bool) Function {
		return Function{Name: name, Signature: "obj", Result: "bool", Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	text := func(name, doc, example, result string, code func(any) string) Function {
		return Function{Name: name, Signature: "obj", Result: "text", Doc: doc, Code: code, Examples: []Example{{example, result}}}
	}
	pods := func(name, phase, result string) Function {
		return Function{
			Name: name, Signature: "obj", Result: "list", Needs: "pods", Doc: "the names of its Pods in the phase " + phase,
			Code:     func(obj any) []any { return textsAt(podsInPhase(obj, phase), "metadata", "name") },
			Examples: []Example{{"{{ " + name + " .children.job }}", result}},
		}
	}
	last := func(f Function) Function {
		f.Needs = "cronjob"
		return f
	}
	return []Function{
		test("jobSucceeded", "whether the Job is complete", "{{ jobSucceeded .children.job }}", "false", jobSucceeded),
		test("jobFailed", "whether the Job has failed for good", "{{ jobFailed .children.job }}", "true", func(obj any) bool { return isTrue(obj, "Failed") }),
		test("jobActive", "whether Pods of the Job run", "{{ jobActive .children.job }}", "false", func(obj any) bool { return countAt(obj, "status", "active") > 0 }),
		pods("jobActivePodNames", "Running", "[]"),
		pods("jobFailedPodNames", "Failed", `["shop-migrate-x7k2p"]`),
		pods("jobSucceededPodNames", "Succeeded", "[]"),
		{
			Name: "jobFirstExitCode", Signature: "obj", Result: "number", Needs: "pods", Code: jobFirstExitCode, Doc: "the exit code of the first container that ended, -1 without one",
			Examples: []Example{{"{{ jobFirstExitCode .children.job }}", "137"}},
		},
		{
			Name: "cronJobActiveCount", Signature: "obj", Result: "number", Code: func(obj any) int64 { return int64(len(listAt(obj, "status", "active"))) }, Doc: "the number of Jobs that run",
			Examples: []Example{{"{{ cronJobActiveCount .children.cronjob }}", "1"}},
		},
		text("cronJobLastScheduleTime", "`status.lastScheduleTime`", "{{ cronJobLastScheduleTime .children.cronjob }}", "2026-03-04T09:30:00Z",
			func(obj any) string { return textAt(obj, "status", "lastScheduleTime") }),
		text("cronJobLastSuccessTime", "`status.lastSuccessfulTime`", "{{ cronJobLastSuccessTime .children.cronjob }}", "2026-03-03T09:31:12Z",
			func(obj any) string { return textAt(obj, "status", "lastSuccessfulTime") }),
		{
			Name: "cronJobNextScheduleTime", Signature: "obj", Result: "text", Code: cronJobNextScheduleTime, Doc: "when `spec.schedule` fires next; `\"\"` when it does not, is suspended or in a time zone other than UTC",
			Examples: []Example{{"{{ cronJobNextScheduleTime .children.cronjob }}", "2026-03-05T09:30:00Z"}},
		},
		last(text("cronJobLastJobName", "the name of the Job that was started last", "{{ cronJobLastJobName .children.cronjob }}", "shop-report-29543",
			func(obj any) string { return textAt(obj, keyLastJob, "metadata", "name") })),
		last(test("cronJobLastJobSucceeded", "whether that Job is complete", "{{ cronJobLastJobSucceeded .children.cronjob }}", "false",
			func(obj any) bool { return jobSucceeded(fieldOf(obj, keyLastJob)) })),
		last(text("cronJobLastSuccessfulJobName", "the name of the Job that completed last", "{{ cronJobLastSuccessfulJobName .children.cronjob }}", "shop-report-29542",
			func(obj any) string { return textAt(obj, keyLastSuccessfulJob, "metadata", "name") })),
	}
}

func jobSucceeded(obj any) bool { return isTrue(obj, "Complete") }

func podsInPhase(obj any, phase string) []any {
	var found []any
	for _, pod := range listAt(obj, keyPods) {
		if textAt(pod, "status", "phase") == phase {
			found = append(found, pod)
		}
	}
	return found
}

func jobFirstExitCode(obj any) int64 {
	for _, pod := range listAt(obj, keyPods) {
		for _, container := range listAt(pod, "status", "containerStatuses") {
			if code := fieldOf(container, "state", "terminated", "exitCode"); code != nil {
				return count(code)
			}
		}
	}
	return -1
}

func cronJobNextScheduleTime(e Evaluation, obj any) string {
	zone := textAt(obj, "spec", "timeZone")
	if fieldOf(obj, "spec", "suspend") == true || zone != "" && zone != "UTC" && zone != "Etc/UTC" {
		return ""
	}
	schedule, err := parseSchedule("cronJobNextScheduleTime", fieldOf(obj, "spec", "schedule"))
	if err != nil {
		return "" // The API server takes no such CronJob.
	}
	return nextFire(e, schedule)
}
