package katalog

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// blockRole is what a block is for. In blockDelete a declaration needs no more than a name, except a job, which is run.
type blockRole int

const (
	blockCreate blockRole = iota
	blockReconcile
	blockDelete
)

// maxSleep bounds the delay that a test can ask for.
const maxSleep = 5 * time.Minute

func (c *checker) block(block *orkv1.Block, role blockRole, path *field.Path) {
	if block == nil {
		return
	}
	if role != blockDelete {
		c.notStaged(block, path)
	}
	v := reflect.ValueOf(block).Elem()
	for _, f := range infoOf(v.Type()).fields {
		list := v.FieldByIndex(f.index)
		if list.Kind() != reflect.Slice || list.Len() == 0 {
			continue
		}
		at := path.Child(f.name)
		seen := map[string]int{}
		for i := range list.Len() {
			c.child(list.Index(i).Addr().Interface(), role, at.Index(i))
			c.twice(list.Index(i), i, seen, at)
		}
	}
	c.external(block.External, path.Child("external"))
	c.git(block.Git, path.Child("git"))
	c.docker(block.Docker, block.Git != nil, role, path.Child("docker"))
	c.scaledTwice(block, path)
	for i := range block.Groups {
		c.block(&block.Groups[i], role, path.Child("groups").Index(i))
	}
	c.positive(block.Timeout, path.Child("timeout"))
}

// child checks one declaration.
func (c *checker) child(child any, role blockRole, path *field.Path) {
	v := reflect.ValueOf(child).Elem()
	if e := part[orkv1.Entry](v); e != nil {
		c.entry(e, v.Type(), path)
	}
	if p := part[orkv1.EntryPolicy](v); p != nil {
		c.policy(p, role, path)
		c.createdOnce(child, p, role, path)
	}
	if w := part[orkv1.Workload](v); w != nil {
		_, isJob := child.(*orkv1.Job)
		if w.Image == "" && (role != blockDelete || isJob) {
			c.errorf(path.Child("image"), "required")
		}
		c.workload(w, claimsOf(child), path)
	}
	switch typed := child.(type) {
	case *orkv1.Deployment:
		c.count(typed.Replicas, path.Child("replicas"))
		c.rollingUpdate(typed.RollingUpdate, path.Child("rollingUpdate"))
		c.autoscale(typed.Autoscale, path.Child("autoscale"))
	case *orkv1.Service:
		c.service(typed, role, path)
	case *orkv1.Secret:
		c.secret(typed, role, path)
	case *orkv1.Job:
		c.count(typed.BackoffLimit, path.Child("backoffLimit"))
	case *orkv1.CronJob:
		c.cronJob(typed, role, path)
	case *orkv1.Custom:
		c.custom(typed, path)
	default:
		c.otherKind(child, role != blockDelete, path)
	}
}

// part returns the struct of type T that v inlines at any depth, or nil.
func part[T any](v reflect.Value) *T {
	if found, ok := reflect.TypeAssert[*T](v.Addr()); ok {
		return found
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			if found := part[T](v.Field(i)); found != nil {
				return found
			}
		}
	}
	return nil
}

// claimsOf are the volumes that a child has besides those of its workload.
func claimsOf(child any) []orkv1.VolumeClaimTemplate {
	if set, ok := child.(*orkv1.StatefulSet); ok {
		return set.VolumeClaimTemplates
	}
	return nil
}

// anyName are the declarations of kinds whose names may have more than the letters of DNS in them, such as a colon. What is wrong with
// one, its builder tells.
var anyName = map[reflect.Type]bool{
	reflect.TypeFor[orkv1.Role]():               true,
	reflect.TypeFor[orkv1.RoleBinding]():        true,
	reflect.TypeFor[orkv1.ClusterRole]():        true,
	reflect.TypeFor[orkv1.ClusterRoleBinding](): true,
}

// clusterScoped are the declarations of kinds without a namespace.
var clusterScoped = map[reflect.Type]bool{
	reflect.TypeFor[orkv1.Namespace]():          true,
	reflect.TypeFor[orkv1.PersistentVolume]():   true,
	reflect.TypeFor[orkv1.ClusterRole]():        true,
	reflect.TypeFor[orkv1.ClusterRoleBinding](): true,
}

func (c *checker) entry(e *orkv1.Entry, t reflect.Type, path *field.Path) {
	if !anyName[t] {
		c.name(e.Name, path.Child("name"))
	}
	if e.Namespace != "" && clusterScoped[t] {
		c.errorf(path.Child("namespace"), "a %s is cluster-scoped; it has no namespace", t.Name())
	} else if e.Namespace != "" && isStatic(e.Namespace) {
		c.problems(path.Child("namespace"), validation.IsDNS1123Label(string(e.Namespace)))
	}
	for key, value := range e.Labels {
		c.label(key, value, path.Child("labels").Key(key))
	}
	for key := range e.Annotations {
		c.problems(path.Child("annotations").Key(key), validation.IsQualifiedName(strings.ToLower(key)))
	}
}

// name checks a name that is given and holds no template.
func (c *checker) name(name orkv1.Template, path *field.Path) {
	if name != "" && isStatic(name) {
		c.problems(path, validation.IsDNS1123Subdomain(string(name)))
	}
}

// reserved are the names that forEach always sets, and the roots of templates.
var reserved = setOf("index", "value", "metadata", "spec", "status", "children", "cross", "external", "git", "docker", "request",
	"metrics", "health", "events", "previous", "inputs", "profiles")

// sleep bounds a delay that a test asks for: it holds a worker.
func (c *checker) sleep(d *orkv1.Duration, path *field.Path) {
	if d != nil && (d.Duration < 0 || d.Duration > maxSleep) {
		c.errorf(path, "must be from 0s to %s, got %s", orkv1.Duration{Duration: maxSleep}, d)
	}
}

func (c *checker) policy(p *orkv1.EntryPolicy, role blockRole, path *field.Path) {
	c.sleep(p.Sleep, path.Child("sleep"))
	if p.Reconcile && role == blockDelete {
		c.warnf(path.Child("reconcile"), "has no effect in onDelete")
	}
	if f := p.ForEach; f != nil {
		c.dotPath(f.Field, path.Child("forEach", "field"))
		switch at := path.Child("forEach", "as"); {
		case f.As == "":
		case !identifier.MatchString(f.As):
			c.errorf(at, "want an identifier such as shard, got %s", quote(f.As))
		case reserved[f.As]:
			c.errorf(at, "%s has another meaning in templates; take another name", f.As)
		}
	}
}

// twice reports two declarations of a list that always make the same object.
func (c *checker) twice(v reflect.Value, i int, seen map[string]int, path *field.Path) {
	var name string
	var conditions *orkv1.Conditions
	var policy *orkv1.EntryPolicy
	switch e := part[orkv1.Entry](v); {
	case e != nil:
		name, conditions, policy = string(e.Namespace+"/"+e.Name), &e.Conditions, &e.EntryPolicy
	default:
		custom, ok := reflect.TypeAssert[*orkv1.Custom](v.Addr())
		if !ok {
			return
		}
		m := custom.Metadata
		name = fmt.Sprintf("%s %s %s/%s", custom.APIVersion, custom.Kind, m.Namespace, m.Name)
		conditions, policy = &custom.Conditions, &custom.EntryPolicy
	}
	if policy.ForEach != nil || !isUnconditional(conditions) {
		return
	}
	if first, taken := seen[name]; taken {
		other := path.Index(first).String()
		if c.doc.origin(other).via != nil {
			other += " (" + c.doc.place(other) + ")"
		}
		c.errorf(path.Index(i), "makes the same object as %s; give it another name, or both of them conditions", other)
		return
	}
	seen[name] = i
}

func (c *checker) custom(custom *orkv1.Custom, path *field.Path) {
	if custom.APIVersion != "" && isStatic(custom.APIVersion) {
		if gv, err := schema.ParseGroupVersion(custom.APIVersion); err != nil || gv.Version == "" {
			c.errorf(path.Child("apiVersion"), "want group/version such as apps/v1, got %s", quote(custom.APIVersion))
		}
	}
	m, at := &custom.Metadata, path.Child("metadata")
	c.name(m.Name, at.Child("name"))
	if m.Namespaced != nil && !*m.Namespaced && m.Namespace != "" {
		c.errorf(at.Child("namespace"), "namespaced: false says that the kind is cluster-scoped; remove one of the two")
	}
	for key, value := range m.Labels {
		c.label(key, value, at.Child("labels").Key(key))
	}
}
