package katalog

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// onDelete checks the block and its stages.
func (c *checker) onDelete(block *orkv1.Block, path *field.Path) {
	if block == nil {
		return
	}
	c.block(block, blockDelete, path)
	c.unnamed(block, path)
	groups := path.Child("groups")
	switch {
	case len(block.Groups) == 0:
	case !block.Ordered:
		c.errorf(groups, "groups are the stages of an ordered deletion; add ordered: true, or move what they list into onDelete itself")
	case listsChildren(block):
		c.errorf(groups, "onDelete lists objects of its own beside its groups; move them into a group")
	}
	if block.Timeout != nil && !block.Ordered && len(block.Jobs) == 0 && len(block.Groups) == 0 {
		c.warnf(path.Child("timeout"), "has no effect without ordered: true or jobs")
	}
	names := map[string]*field.Path{}
	for i := range block.Groups {
		group, at := &block.Groups[i], groups.Index(i)
		c.named(group.Name, names, at.Child("name"))
		if group.Ordered {
			c.errorf(at.Child("ordered"), "belongs to onDelete itself, not to a group; remove it")
		}
		if len(group.Groups) > 0 {
			c.errorf(at.Child("groups"), "a group has no groups; write them one after the other into onDelete.groups")
		}
		if !listsChildren(group) {
			c.warnf(at, "the group lists nothing and is passed over")
		}
	}
}

// notStaged reports what onDelete alone may have.
func (c *checker) notStaged(block *orkv1.Block, path *field.Path) {
	const only = "belongs to onDelete alone; remove it"
	if block.Ordered {
		c.errorf(path.Child("ordered"), only)
	}
	if len(block.Groups) > 0 {
		c.errorf(path.Child("groups"), only)
	}
	if block.Timeout != nil {
		c.errorf(path.Child("timeout"), only)
	}
	c.unnamed(block, path)
}

func (c *checker) unnamed(block *orkv1.Block, path *field.Path) {
	if block.Name != "" {
		c.errorf(path.Child("name"), "belongs to a group of onDelete alone; remove it")
	}
}

// listsChildren tells whether a block lists children.
func listsChildren(block *orkv1.Block) bool {
	v := reflect.ValueOf(block).Elem()
	for _, f := range infoOf(v.Type()).fields {
		list := v.FieldByIndex(f.index)
		if list.Kind() != reflect.Slice || list.Len() == 0 {
			continue
		}
		element := list.Index(0)
		if part[orkv1.EntryPolicy](element) != nil {
			return true
		}
	}
	return false
}
