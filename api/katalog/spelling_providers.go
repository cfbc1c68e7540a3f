package katalog

import (
	"reflect"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// actionAsKind turns {action: database, input: {...}} into {database: {...}}.
func actionAsKind(d *decoder, n *node, path string) {
	action := n.get("action")
	if action == nil || !action.isText() {
		return // a kind may be called so
	}
	named, _ := n.take("action")
	input, given := n.take("input")
	if !given {
		input = entry{"", named.pos, newMap(named.pos)}
	}
	if n.index(action.text) >= 0 {
		d.errorf(named.pos, join(path, "action"), "%s is declared beside it; keep one", quote(action.text))
		return
	}
	n.put(entry{action.text, named.pos, input.value})
}

// providersOfBlocks moves what a block of a box declares under the name of a claimed provider, where older files have it, to the providers
// of the box.
func providersOfBlocks(d *decoder, n *node, _ string) {
	claims, crds := n.get("providers"), n.get("spec").get("crds")
	if claims == nil || crds == nil || crds.kind != kindMap {
		return
	}
	for _, crd := range crds.fields {
		path := "spec.crds[" + crd.key + "]"
		d.takeProviders(crd.value.get("operatorBox"), claims.items, path+".operatorBox")
		targets := crd.value.get("serve").get("target")
		if targets == nil || targets.kind != kindMap {
			continue
		}
		for _, target := range targets.fields {
			d.takeProviders(target.value.get("operatorBox"), claims.items, path+".serve.target["+target.key+"].operatorBox")
		}
	}
}

func (d *decoder) takeProviders(box *node, claims []*node, path string) {
	for _, name := range []string{"onCreate", "onReconcile"} {
		block, at := box.get(name), join(path, name)
		for _, claim := range claims {
			d.takeProvider(box, block, claim.get("name"), at)
		}
	}
}

func (d *decoder) takeProvider(box, block, claim *node, path string) {
	if claim == nil || block.index(claim.text) < 0 || infoOf(reflect.TypeFor[orkv1.Block]()).byName[claim.text] != nil {
		return
	}
	e, _ := block.take(claim.text)
	if block.index("when") >= 0 || block.index("or") >= 0 || block.index("anyOf") >= 0 {
		d.errorf(e.pos, join(path, claim.text), "write operatorBox.providers.%s, and the conditions of the block in its elements: they would not hold there",
			claim.text)
		return
	}
	providers := child(box, "providers", e.pos)
	if providers == nil {
		return // not a map: the decoder says so
	}
	d.warnf(e.pos, join(path, claim.text), "older spelling; write operatorBox.providers.%s", claim.text)
	if mine := providers.get(claim.text); mine != nil && mine.kind == kindList && e.value.kind == kindList {
		mine.items = append(mine.items, e.value.items...)
		return
	}
	providers.put(entry{claim.text, e.pos, e.value})
}
