package apply

// atomicField tells whether a field of a built-in kind is one value for the API server: whoever applies it owns the whole of it.
// A key that another hand adds changes what it says, as a selector with one more label selects less. Of the lists among them
// this holds for each element, as a rule with a resourceName grants less.
func atomicField(name string) bool {
	switch name {
	case "selector", "podSelector", "namespaceSelector", "labelSelector", "nodeSelector", "matchLabels", "ipBlock",
		"rules", "ingress", "egress", "from", "to":
		return true
	}
	return false
}

// exceeds tells whether an atomic value has a field more than desired. It says nothing about the other fields.
func exceeds(desired, observed any) bool {
	switch have := observed.(type) {
	case map[string]any:
		want, _ := desired.(map[string]any)
		for field, value := range have {
			if _, ok := want[field]; !ok && !empty(value) {
				return true
			}
		}
	case []any:
		want, _ := desired.([]any)
		for i := range min(len(want), len(have)) {
			if element, ok := want[i].(map[string]any); ok && exceeds(element, have[i]) {
				return true
			}
		}
	}
	return false
}

// empty tells whether a value may as well not be there.
func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// additions reports what an atomic value of a built-in kind has beyond desired.
func (c *comparison) additions(path, name string, desired, observed any) {
	// Admission adds to the nodeSelector of a Pod, which nobody can change afterwards.
	if !c.builtin || !atomicField(name) || path == "spec.nodeSelector" {
		return
	}
	if exceeds(desired, observed) {
		c.differs(path, desired, observed)
	}
}
