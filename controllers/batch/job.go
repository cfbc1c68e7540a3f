package batch

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// maxJobName is the length of a label value: the pods of a Job carry its name in a label.
const maxJobName = 63

// Jobs builds batch/v1 Jobs. Their pods never restart, so that backoffLimit counts pods and the log of each attempt stays.
func Jobs() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Job]{
		Kind: controllers.Kind{
			Key:        "jobs",
			GVK:        batchv1.SchemeGroupVersion.WithKind("Job"),
			CreateOnce: true,
		},
		List:       func(b *orkv1.Block) []orkv1.Job { return b.Jobs },
		Common:     func(in *orkv1.Job) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-job",
		CheckName:  subdomainUpTo(maxJobName),
		Build:      buildJob,
	})
}

func buildJob(d *controllers.Draft, in *orkv1.Job, at *field.Path) any {
	template := core.PodTemplate(d, &in.Workload, d.PodLabels(), at)
	template.Spec.WithRestartPolicy(corev1.RestartPolicyNever)
	spec := batchv1ac.JobSpec().WithBackoffLimit(3).WithTemplate(template)
	if limit := d.Int32(in.BackoffLimit, 0, at.Child("backoffLimit")); limit != nil {
		spec.WithBackoffLimit(*limit)
	}
	return batchv1ac.Job(d.Name, "").WithSpec(spec)
}
