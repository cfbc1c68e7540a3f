package box

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// ScalingRead is another CRD whose metrics an autoscaler reads.
type ScalingRead struct {
	// Name is what conditions call it, below .cross.
	Name  string
	Entry cross.Entry
	// Ask is what another operator is asked where the CRD is not here. Nil: nobody is.
	Ask *cross.Ask
}

// scalingSources are the sources that conditions name, by what they read. Each must be of a field that is read of another CRD, and be the same
// for all conditions that read of it.
func (c *compiler) scalingSources(declared *orkv1.Conditions, at *field.Path) map[string]*orkv1.CrossSource {
	sources := map[string]*orkv1.CrossSource{}
	for _, list := range []struct {
		key        string
		conditions []orkv1.Condition
	}{{"when", declared.When}, {"or", declared.Or}} {
		for i := range list.conditions {
			one, here := &list.conditions[i], at.Child(list.key).Index(i).Child("source")
			if one.Source == nil {
				continue
			}
			path, err := template.ParsePath(string(one.Field))
			if err != nil || len(path) < 2 || path[0] != cross.Root {
				c.report(field.Forbidden(here, "is where to ask for a field such as cross.database.metrics.queueDepth, which this condition does not read"))
				continue
			}
			if sources[path[1]] == nil {
				sources[path[1]] = one.Source
			}
			for key, text := range map[string]orkv1.Template{"endpoint": one.Source.Endpoint, "host": one.Source.Host} {
				switch {
				case text == "":
				case !isStatic(text):
					c.report(field.Invalid(here.Child(key), string(text), "must be a plain text: a controller looks at no single resource that a template could read"))
				default:
					c.url(text, orkv1.ProtocolHTTP, here.Child(key))
				}
			}
		}
	}
	return sources
}

// withoutSources are the conditions as they are compiled.
func withoutSources(declared *orkv1.Conditions) orkv1.Conditions {
	without := orkv1.Conditions{When: slices.Clone(declared.When), Or: slices.Clone(declared.Or)}
	for _, list := range [][]orkv1.Condition{without.When, without.Or} {
		for i := range list {
			list[i].Source = nil
		}
	}
	return without
}

// scalingReads are the CRDs that conditions read of: what operatorBox.cross calls so, or the CRD of that name.
func (c *compiler) scalingReads(references [][]string, sources map[string]*orkv1.CrossSource) []ScalingRead {
	reads := map[string]ScalingRead{}
	for _, reference := range references {
		if len(reference) < 2 || reference[0] != cross.Root {
			continue
		}
		name := reference[1]
		crd, entry, source := name, cross.Named(name), sources[name]
		if declared := c.crossCalled(name); declared != nil {
			crd, entry = declared.CRD, cross.Named(declared.CRD)
			if crd == "" {
				entry = cross.Labelled(declared.LabelSelector)
			}
			if source == nil {
				source = declared.Source
			}
		}
		reads[name] = ScalingRead{Name: name, Entry: entry, Ask: scalingAsk(source, name, crd)}
	}
	all := make([]ScalingRead, 0, len(reads))
	for _, name := range slices.Sorted(maps.Keys(reads)) {
		all = append(all, reads[name])
	}
	return all
}

// crossCalled is the read that the entry's own box calls so, else one of the CRD of that name. Nil: there is none.
func (c *compiler) crossCalled(name string) *orkv1.CrossRead {
	reads := c.entry.OperatorBox.Cross
	for _, called := range []func(orkv1.CrossRead) bool{
		func(one orkv1.CrossRead) bool { return one.As == name },
		func(one orkv1.CrossRead) bool { return one.CRD == name },
	} {
		if at := slices.IndexFunc(reads, called); at >= 0 {
			return &reads[at]
		}
	}
	return nil
}

// scalingAsk asks for the metrics of a CRD, whatever else its source is for. Nil: it is not known whom to ask, as without a resource.
func scalingAsk(source *orkv1.CrossSource, name, crd string) *cross.Ask {
	if source == nil {
		return nil
	}
	ask := askOf(source, name)
	ask.Protocol = orkv1.CrossProtocolMetrics
	switch {
	case source.Endpoint != "" && isStatic(source.Endpoint):
		ask.URL = strings.TrimSpace(string(source.Endpoint))
	case source.Endpoint == "" && isStatic(source.Host) && crd != "":
		url, err := cross.At(string(source.Host), ask.Protocol, crd, "", "")
		if err != nil {
			return nil
		}
		ask.URL = url
	default:
		return nil
	}
	return &ask
}
