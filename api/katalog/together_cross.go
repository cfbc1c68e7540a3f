package katalog

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// checkCross checks that what CRDs read of one another is there, or that there is somebody else to ask. A read of a name that is like no other may
// be of a Katalog that is loaded elsewhere: one in the cluster, or in other files. Alone tells that there are probably others than these.
func checkCross(all map[string]*declared, alone bool) {
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		d := all[name]
		for _, one := range d.boxes() {
			for i := range one.box.Cross {
				read, at := &one.box.Cross[i], one.at.Child("cross").Index(i)
				if read.CRD != "" && read.Source == nil {
					d.crossed(read.CRD, at.Child("crd"), all, names, alone || nearest.Word(read.CRD, names) == "")
				}
			}
			d.scaledBy(one.box, one.at.Child("autoscale", "conditions"), all, names, alone)
		}
	}
}

// boxOf is a box of a CRD, and where it stands.
type boxOf struct {
	box *orkv1.OperatorBox
	at  *field.Path
}

func (d *declared) boxes() []boxOf {
	boxes := []boxOf{{&d.OperatorBox, d.path().Child("operatorBox")}}
	if d.Serve == nil {
		return boxes
	}
	for _, target := range slices.Sorted(maps.Keys(d.Serve.Target)) {
		if own := d.Serve.Target[target].OperatorBox; own != nil {
			boxes = append(boxes, boxOf{own, d.path().Child("serve", "target").Key(target).Child("operatorBox")})
		}
	}
	return boxes
}

// crossed reports a CRD that is read and not there. Elsewhere tells that it may be in another Katalog.
func (d *declared) crossed(crd string, at *field.Path, all map[string]*declared, names []string, elsewhere bool) {
	other, known := all[crd]
	switch near := nearest.Word(crd, names); {
	case known && !*other.Enabled && *d.Enabled:
		d.warnf(at, "%s is disabled (%s): nothing is found", crd, other.pos())
	case known:
	case elsewhere:
		d.warnf(at, "no CRD is called %s here (there are: %s): nothing is found unless another Katalog that runs with this one has it", crd, strings.Join(names, ", "))
	case near != "":
		d.errorf(at, "no CRD is called %s; did you mean %s?", crd, near)
	default:
		d.invalidf(at, names, "no CRD is called %s; without source it must be one of these Katalogs", crd)
	}
}

// scaledBy checks what the conditions of an autoscaler read of other CRDs.
func (d *declared) scaledBy(box *orkv1.OperatorBox, at *field.Path, all map[string]*declared, names []string, alone bool) {
	if box.Autoscale == nil || box.Autoscale.Conditions == nil {
		return
	}
	for _, list := range []struct {
		key        string
		conditions []orkv1.Condition
	}{{"when", box.Autoscale.Conditions.When}, {"or", box.Autoscale.Conditions.Or}} {
		for i := range list.conditions {
			one := &list.conditions[i]
			path := strings.Split(strings.TrimPrefix(string(one.Field), "."), ".")
			if one.Source != nil || len(path) < 2 || path[0] != "cross" {
				continue
			}
			called := func(read orkv1.CrossRead) bool {
				return read.As == path[1] || read.CRD == path[1] && read.Source != nil
			}
			if !slices.ContainsFunc(box.Cross, called) {
				d.crossed(path[1], at.Child(list.key).Index(i).Child("field"), all, names, alone)
			}
		}
	}
}
