package gate

import (
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Limits tell which new items a queue that fills up drops. Nil Limits drop none.
type Limits struct {
	// Threshold applies from a part of the largest depth on, and Limit from that depth on. Each is judged by itself; nil ones never drop.
	Threshold, Limit *Limit
}

// Limit drops new items from a depth on.
type Limit struct {
	// Percent of the largest depth from which on it applies, 1 to 100.
	Percent int
	// Conditions with which an item is dropped. Nil: every item is.
	Conditions *conditions.Program
}

// The names of limits, in logs and metrics.
const (
	Threshold = "threshold"
	Full      = "limit"
)

// Judgement of an item.
type Judgement struct {
	// Drop names the limit that drops the item, empty when none does.
	Drop string
	// Depth is that of the limit that drops it.
	Depth int
	// Below is the depth from which on the item would have to be judged anew. 0: it would not.
	Below int
}

// Judge judges an item that finds a depth, where most is the largest one, 0 for none. Facts are asked for only when a limit that applies has conditions.
func (l *Limits) Judge(depth, most int, facts func(*Limit) template.Facts) Judgement {
	if l == nil || most <= 0 {
		return Judgement{}
	}
	var judged Judgement
	for _, one := range []struct {
		name  string
		limit *Limit
	}{{Threshold, l.Threshold}, {Full, l.Limit}} {
		if one.limit == nil {
			continue
		}
		from := one.limit.depth(most)
		switch {
		case depth < from:
			if judged.Below == 0 || from < judged.Below {
				judged.Below = from
			}
		case one.limit.Conditions == nil || one.limit.Conditions.Evaluate(facts(one.limit)).Pass:
			return Judgement{Drop: one.name, Depth: from}
		}
	}
	return judged
}

// depth is the first depth of which it is the percentage.
func (l *Limit) depth(most int) int { return max(1, (most*l.Percent+99)/100) }

// Reads tells whether a limit may read a root.
func (l *Limit) Reads(root string) bool { return l != nil && reads(l.Conditions.References(), root) }
