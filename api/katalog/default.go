package katalog

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// defaults are those that the environment of the operator can change.
type defaults struct {
	workers, failureThreshold int32
	resync                    time.Duration
	protections               protections
}

// readDefaults reports a variable that cannot be read.
func (l *log) readDefaults(env func(string) string) defaults {
	d := defaults{workers: 3, failureThreshold: 5, resync: 30 * time.Second}
	if env == nil {
		return d
	}
	l.readNumber(env, "DEFAULT_WORKERS", &d.workers, 1, maxWorkers)
	l.readNumber(env, "FAILURE_THRESHOLD", &d.failureThreshold, 0, math.MaxInt32)
	if resync := l.readDuration(env, "DEFAULT_RESYNC"); resync != nil {
		d.resync = resync.Duration
	}
	d.protections = l.readProtections(env)
	return d
}

func (l *log) readNumber(env func(string) string, name string, target *int32, least, most int64) {
	text := env(name)
	if text == "" {
		return
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < least || number > most {
		l.errorf(Position{File: "environment"}, name, "want a number from %d to %d, got %s", least, most, quote(text))
		return
	}
	*target = int32(number)
}

// set fills in what the documentation of a field calls its default, wherever that does not depend on a resource.
func (d *defaults) set(katalog *orkv1.Katalog) {
	setDefault(&katalog.CrossAccess, true)
	presets := profile.NewSet(katalog.Profiles)
	for name, crd := range katalog.Spec.CRDs {
		setCRDDefaults(&crd, *katalog.CrossAccess)
		d.setReconciler(&crd.OperatorBox, presets)
		katalog.Spec.CRDs[name] = crd
	}
}

func setCRDDefaults(crd *orkv1.CRD, crossAccess bool) {
	setDefault(&crd.Enabled, true)
	setDefault(&crd.Namespaced, true)
	setDefault(&crd.CrossAccess, crossAccess)
	setDefault(&crd.ForceConflict, true)
	setAPITypesDefaults(&crd.APITypes)
	if crd.Setup != nil {
		for i := range crd.Setup.Wait {
			wait := &crd.Setup.Wait[i]
			if kind, known := builtins[wait.Kind]; known && wait.APIVersion == "" {
				wait.APIVersion = kind.String()
			}
		}
	}
	if crd.Mode == "" {
		crd.Mode = orkv1.ModeDynamic
		if crd.APITypes.Location != "" {
			crd.Mode = orkv1.ModeTyped
		}
	}
	if crd.Endpoints == nil {
		crd.Endpoints = &orkv1.Endpoints{}
	}
	setDefault(&crd.Endpoints.Enabled, true)
	setDefault(&crd.Endpoints.Health, *crd.Endpoints.Enabled)
	setDefault(&crd.Endpoints.Info, *crd.Endpoints.Enabled)
	for name, dependency := range crd.DependsOn {
		if dependency.Condition == "" {
			dependency.Condition = orkv1.DependencyStarted
		}
		crd.DependsOn[name] = dependency
	}
}

func setAPITypesDefaults(types *orkv1.APITypes) {
	if types.APIPath == "" {
		types.APIPath = "/apis"
		if types.Group == "" {
			types.APIPath = "/api"
		}
	}
	if types.Location == "" {
		return
	}
	if types.Object == "" {
		types.Object = types.Kind
	}
	if types.ObjectList == "" {
		types.ObjectList = types.Object + "List"
	}
	if types.Alias == "" {
		types.Alias = importAlias(types.Location)
	}
}

// importAlias joins the last two parts of an import path as far as they make an identifier.
func importAlias(location string) string {
	parts := strings.Split(location, "/")
	alias := strings.Join(parts[max(0, len(parts)-2):], "")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(alias))
}

func (d *defaults) setReconciler(box *orkv1.OperatorBox, presets *profile.Set) {
	if box.Reconciler == nil {
		box.Reconciler = &orkv1.Reconciler{}
	}
	r := box.Reconciler
	setDefault(&r.Default, true)
	for _, site := range profile.Sites(r, nil) {
		if preset, err := presets.Find(site.Class, site.Name); err == nil { // of a name that there is not, namedProfiles tells
			site.Fill(preset.Value)
		}
	}
	setDefault(&r.Workers, d.workers)
	if r.Resync == nil || r.Resync.Duration == 0 {
		r.Resync = &orkv1.Duration{Duration: d.resync}
	}
	if r.Queue == nil {
		r.Queue = &orkv1.Queue{}
	}
	setDefault(&r.Queue.FailureThreshold, d.failureThreshold)
	if r.Queue.Type == "" {
		r.Queue.Type = orkv1.QueueTypeRateLimited
	}
}

func setDefault[T any](target **T, value T) {
	if *target == nil {
		*target = &value
	}
}
