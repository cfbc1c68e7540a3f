package katalog

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// autoscale checks the autoscaler of a workload.
func (c *checker) autoscale(a *orkv1.WorkloadAutoscale, path *field.Path) {
	if a == nil {
		return
	}
	c.count(a.Min, path.Child("min"))
	c.count(a.Max, path.Child("max"))
	least, leastErr := strconv.Atoi(string(a.Min))
	most, mostErr := strconv.Atoi(string(a.Max))
	if leastErr == nil && mostErr == nil && least > most {
		c.errorf(path.Child("max"), "must not be below min (%d), got %d", least, most)
	}
	if a.ScaleUp == nil && a.ScaleDown == nil {
		c.errorf(path, "needs scaleUp or scaleDown")
	}
	if up := a.ScaleUp; up != nil {
		c.exactlyOne(path.Child("scaleUp"), map[string]bool{"increment": up.Increment != "", "target": up.Target != ""})
		c.condition(&up.Conditions, path.Child("scaleUp", "conditions"))
	}
	if down := a.ScaleDown; down != nil {
		c.exactlyOne(path.Child("scaleDown"), map[string]bool{"decrement": down.Decrement != "", "target": down.Target != ""})
		c.condition(&down.Conditions, path.Child("scaleDown", "conditions"))
	}
	if a.Cooldown != nil && a.Cooldown.Duration < 0 {
		c.errorf(path.Child("cooldown"), "must not be negative, got %s", a.Cooldown)
	}
}

// condition checks that a gate has a condition where it would otherwise always pass.
func (c *checker) condition(conditions *orkv1.Conditions, path *field.Path) {
	if isUnconditional(conditions) {
		c.errorf(path, "needs a condition, for without one it is always true")
	}
}

// operatorAutoscale checks the autoscaler of a controller.
func (c *checker) operatorAutoscale(a *orkv1.OperatorAutoscale, path *field.Path) {
	if a == nil {
		return
	}
	explicit := a.Interval != nil || a.Cooldown != nil || a.Conditions != nil || a.Do != nil
	c.profileOr(orkv1.Template(a.Profile), explicit, "every other field", path)
	c.positive(a.Interval, path.Child("interval"))
	if a.Cooldown != nil && a.Cooldown.Duration < 0 {
		c.errorf(path.Child("cooldown"), "must not be negative, got %s", a.Cooldown)
	}
	if a.Profile == "" {
		c.needed(a.Conditions == nil, path.Child("conditions"))
		c.needed(a.Do == nil, path.Child("do"))
	}
	if a.Conditions != nil {
		c.condition(a.Conditions, path.Child("conditions"))
		c.conditionSources(a.Conditions.When, path.Child("conditions", "when"))
		c.conditionSources(a.Conditions.Or, path.Child("conditions", "or"))
	}
	if do := a.Do; do != nil {
		if do.Workers == nil && do.QueueDepth == nil && do.Resync == nil {
			c.errorf(path.Child("do"), "changes nothing; set workers, queueDepth or resync")
		}
		if do.Workers != nil && (*do.Workers < 1 || *do.Workers > maxWorkers) {
			c.errorf(path.Child("do", "workers"), "must be from 1 to %d, got %d", maxWorkers, *do.Workers)
		}
		if do.QueueDepth != nil && *do.QueueDepth < 0 {
			c.errorf(path.Child("do", "queueDepth"), "must not be negative, got %d", *do.QueueDepth)
		}
		c.positive(do.Resync, path.Child("do", "resync"))
	}
}

// scaledTwice reports a workload that both an HPA of the block and its own autoscaler scale. Where both have conditions they may
// exclude each other, which is known when they are rendered.
func (c *checker) scaledTwice(block *orkv1.Block, path *field.Path) {
	type scaler struct {
		at          *field.Path
		conditional bool
	}
	scaled := map[string]scaler{}
	add := func(kind, list, suffix string, i int, entry *orkv1.Entry, a *orkv1.WorkloadAutoscale) {
		if a == nil {
			return
		}
		name := string(entry.Name)
		if name == "" {
			name = "{{ .metadata.name }}" + suffix
		}
		scaled[scaledKey(entry, kind, name)] = scaler{path.Child(list).Index(i), !isUnconditional(&entry.Conditions)}
	}
	for i := range block.Deployments {
		add("Deployment", "deployments", "-deployment", i, &block.Deployments[i].Entry, block.Deployments[i].Autoscale)
	}
	for i := range block.StatefulSets {
		add("StatefulSet", "statefulSets", "", i, &block.StatefulSets[i].Entry, block.StatefulSets[i].Autoscale)
	}
	for i := range block.ReplicaSets {
		add("ReplicaSet", "replicaSets", "-replicaset", i, &block.ReplicaSets[i].Entry, block.ReplicaSets[i].Autoscale)
	}
	for i := range block.HPA {
		hpa := &block.HPA[i]
		target := hpa.ScaleTargetRef
		if target == nil {
			continue
		}
		kind := cmp.Or(string(target.Kind), "Deployment")
		other, twice := scaled[scaledKey(&hpa.Entry, kind, string(target.Name))]
		if twice && (!other.conditional || isUnconditional(&hpa.Conditions)) {
			c.errorf(path.Child("hpa").Index(i), "%s has an autoscaler of its own; keep one", other.at)
		}
	}
}

// scaledKey is a workload as it is written, but for the blanks of templates.
func scaledKey(entry *orkv1.Entry, kind, name string) string {
	return strings.ReplaceAll(fmt.Sprint(entry.Namespace, "/", kind, "/", name), " ", "")
}
