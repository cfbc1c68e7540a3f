package reconciler

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// readCross shows other resources to whatever comes after. What can't be read is not found, which is no failure.
func (d *Declarative) readCross(ctx context.Context, s *scope) (done bool, err error) {
	d.lookAcross(ctx, s, true)
	return false, nil
}

// lookAcross reads other resources: those that are here from memory, and only what is not here from elsewhere. Fresh tells whether that may
// take the time of asking.
func (d *Declarative) lookAcross(ctx context.Context, s *scope, fresh bool) {
	if len(s.Box.Cross) == 0 { // that of another target may have some
		d.forgetCross(s.Item.NamespacedName)
		return
	}
	reads := make([]*box.Cross, 0, len(s.Box.Cross))
	queries := make([]cross.Query, 0, len(s.Box.Cross))
	values := make(map[string]any, len(s.Box.Cross))
	given, _ := d.Roots[cross.Root].(map[string]any)
	for _, one := range s.Box.Cross {
		if value, ok := given[one.As]; ok {
			values[one.As] = value
			continue
		}
		query, err := one.Query(s.facts, s.Item.NamespacedName)
		if err != nil {
			d.tellUnreadable(ctx, one, err)
			values[one.As] = one.NotFound(&query)
			continue
		}
		reads, queries = append(reads, one), append(queries, query)
	}
	results := make([]cross.Result, len(queries))
	if d.Cross != nil {
		results = d.Cross.Read(s.Item.NamespacedName, queries)
	}
	for i, one := range reads {
		values[one.As] = results[i].Value(&queries[i])
		if len(results[i].Resources) > 0 || results[i].Hidden || one.Source == nil || d.Cross == nil {
			continue
		}
		if told := d.askElsewhere(ctx, one, s.facts, &queries[i], fresh); told != nil {
			values[one.As] = told
		}
	}
	s.facts = s.facts.With(cross.Root, values)
}

// askElsewhere is what another operator says of a query, nil for nothing.
func (d *Declarative) askElsewhere(ctx context.Context, one *box.Cross, facts template.Facts, query *cross.Query, fresh bool) any {
	ask, err := one.Source.Ask(facts, query)
	if err != nil {
		d.tellUnreadable(ctx, one, err)
		return nil
	}
	switch told := d.Cross.Ask(ctx, ask, fresh); {
	case told == nil:
		return nil
	case one.All:
		return []any{told}
	default:
		return told
	}
}

// tellUnreadable logs why nothing is found.
func (d *Declarative) tellUnreadable(ctx context.Context, one *box.Cross, err error) {
	logf.FromContext(ctx).V(1).Info("cross read finds nothing", "as", one.As, "reason", err.Error())
}

// forgetCross has a resource be told of others no more.
func (d *Declarative) forgetCross(name types.NamespacedName) {
	if d.Cross != nil {
		d.Cross.Forget(name)
	}
}
