package katalog

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

var (
	pathTypes       = []string{"Prefix", "Exact", "ImplementationSpecific"}
	accessModes     = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}
	volumeModes     = []string{"Filesystem", "Block"}
	reclaimPolicies = []string{"Retain", "Delete", "Recycle"}
	restartPolicies = []string{"Always", "OnFailure", "Never"}
	limitTypes      = []string{"Container", "Pod", "PersistentVolumeClaim"}
	subjectKinds    = []string{"ServiceAccount", "User", "Group"}
)

// otherKind checks the declarations that are neither workloads of the first kinds nor custom.
func (c *checker) otherKind(child any, complete bool, path *field.Path) {
	switch t := child.(type) {
	case *orkv1.ReplicaSet:
		c.count(t.Replicas, path.Child("replicas"))
		c.autoscale(t.Autoscale, path.Child("autoscale"))
	case *orkv1.StatefulSet:
		c.statefulSet(t, path)
	case *orkv1.DaemonSet:
		c.rollingUpdate(t.RollingUpdate, path.Child("rollingUpdate"))
	case *orkv1.Pod:
		c.oneOf(t.RestartPolicy, restartPolicies, path.Child("restartPolicy"))
	case *orkv1.Ingress:
		c.oneOf(t.PathType, pathTypes, path.Child("pathType"))
		c.needed(complete && t.ServicePort == "", path.Child("servicePort"))
		c.port(t.ServicePort, path.Child("servicePort"), true)
	case *orkv1.PersistentVolume:
		c.volume(t, complete, path)
	case *orkv1.PersistentVolumeClaim:
		c.needed(complete && t.Storage == "", path.Child("storage"))
		c.quantityIfSet(t.Storage, path.Child("storage"))
		c.oneOf(t.VolumeMode, volumeModes, path.Child("volumeMode"))
		c.eachOneOf(t.AccessModes, accessModes, path.Child("accessModes"))
	case *orkv1.Role:
		c.rules(t.Rules, complete, path.Child("rules"))
	case *orkv1.ClusterRole:
		c.rules(t.Rules, complete, path.Child("rules"))
	case *orkv1.RoleBinding:
		c.binding(t.RoleRef, t.Subjects, complete, path)
	case *orkv1.ClusterRoleBinding:
		c.binding(t.RoleRef, t.Subjects, complete, path)
	default:
		c.policyKind(child, complete, path)
	}
}

// policyKind checks the declarations of what bounds other objects.
func (c *checker) policyKind(child any, complete bool, path *field.Path) {
	switch t := child.(type) {
	case *orkv1.HPA:
		c.needed(complete && t.ScaleTargetRef == nil, path.Child("scaleTargetRef"))
		c.needed(complete && t.MaxReplicas == "", path.Child("maxReplicas"))
		c.count(t.MinReplicas, path.Child("minReplicas"))
		c.count(t.MaxReplicas, path.Child("maxReplicas"))
		if b := t.Behavior; b != nil {
			c.profileOr(b.Profile, b.ScaleUp != nil || b.ScaleDown != nil, "scaleUp and scaleDown", path.Child("behavior"))
		}
	case *orkv1.PDB:
		c.pdb(t, complete, path)
	case *orkv1.NetworkPolicy:
		c.oneForm(complete, path, map[string]bool{
			"profile": t.Profile != "", "ingress or egress": t.Ingress != nil || t.Egress != nil || len(t.PolicyTypes) > 0,
			"fromNetworkPolicy": t.FromNetworkPolicy != "",
		})
	case *orkv1.ResourceQuota:
		c.oneForm(complete, path, map[string]bool{"profile": t.Profile != "", "hard": len(t.Hard) > 0, "fromResourceQuota": t.FromResourceQuota != ""})
		for name, quantity := range t.Hard {
			c.quantity(quantity, path.Child("hard").Key(name))
		}
	case *orkv1.LimitRange:
		c.oneForm(complete, path, map[string]bool{"profile": t.Profile != "", "limits": len(t.Limits) > 0, "fromLimitRange": t.FromLimitRange != ""})
		for i := range t.Limits {
			c.oneOf(t.Limits[i].Type, limitTypes, path.Child("limits").Index(i).Child("type"))
		}
	}
}

func (c *checker) oneForm(complete bool, path *field.Path, forms map[string]bool) {
	if complete {
		c.exactlyOne(path, forms)
	}
}

func (c *checker) needed(missing bool, path *field.Path) {
	if missing {
		c.errorf(path, "required")
	}
}

func (c *checker) quantityIfSet(text orkv1.Template, path *field.Path) {
	if text != "" {
		c.quantity(text, path)
	}
}

func (c *checker) eachOneOf(texts []orkv1.Template, valid []string, path *field.Path) {
	for i, text := range texts {
		c.oneOf(text, valid, path.Index(i))
	}
}

func (c *checker) statefulSet(s *orkv1.StatefulSet, path *field.Path) {
	c.count(s.Replicas, path.Child("replicas"))
	c.rollingUpdate(s.RollingUpdate, path.Child("rollingUpdate"))
	if s.RollingUpdate != nil && s.RollingUpdate.MaxSurge != "" {
		c.errorf(path.Child("rollingUpdate", "maxSurge"), "a StatefulSet has none; set maxUnavailable")
	}
	for i := range s.VolumeClaimTemplates {
		v, at := &s.VolumeClaimTemplates[i], path.Child("volumeClaimTemplates").Index(i)
		c.quantityIfSet(v.StorageSize, at.Child("storageSize"))
		c.eachOneOf(v.AccessModes, accessModes, at.Child("accessModes"))
	}
	c.autoscale(s.Autoscale, path.Child("autoscale"))
}

func (c *checker) volume(v *orkv1.PersistentVolume, complete bool, path *field.Path) {
	c.needed(complete && v.Capacity == "", path.Child("capacity"))
	c.quantityIfSet(v.Capacity, path.Child("capacity"))
	c.oneOf(v.ReclaimPolicy, reclaimPolicies, path.Child("reclaimPolicy"))
	c.eachOneOf(v.AccessModes, accessModes, path.Child("accessModes"))
	c.oneForm(complete, path, map[string]bool{"hostPath": v.HostPath != "", "csiDriver": v.CSIDriver != ""})
	if (v.CSIDriver == "") != (v.CSIVolumeHandle == "") {
		c.errorf(path.Child("csiVolumeHandle"), "csiDriver and csiVolumeHandle need each other")
	}
}

func (c *checker) rules(rules []orkv1.PolicyRule, complete bool, path *field.Path) {
	c.needed(complete && len(rules) == 0, path)
	for i := range rules {
		c.needed(len(rules[i].Verbs) == 0, path.Index(i).Child("verbs"))
		c.needed(len(rules[i].Resources)+len(rules[i].NonResourceURLs) == 0, path.Index(i).Child("resources"))
	}
}

func (c *checker) binding(role *orkv1.RoleRef, subjects []orkv1.Subject, complete bool, path *field.Path) {
	c.needed(complete && role == nil, path.Child("roleRef"))
	c.needed(complete && len(subjects) == 0, path.Child("subjects"))
	for i := range subjects {
		c.oneOf(subjects[i].Kind, subjectKinds, path.Child("subjects").Index(i).Child("kind"))
	}
}

func (c *checker) pdb(p *orkv1.PDB, complete bool, path *field.Path) {
	c.oneForm(complete, path, map[string]bool{
		"minAvailable": p.MinAvailable != "", "maxUnavailable": p.MaxUnavailable != "", "behavior": p.Behavior != nil,
	})
	c.countOrPercent(p.MinAvailable, path.Child("minAvailable"))
	c.countOrPercent(p.MaxUnavailable, path.Child("maxUnavailable"))
	if b := p.Behavior; b != nil {
		c.exactlyOne(path.Child("behavior"), map[string]bool{
			"profile": b.Profile != "", "minAvailable": b.MinAvailable != "", "maxUnavailable": b.MaxUnavailable != "",
		})
	}
}
